"""`report.html`: everything about a built dataset in one page that needs no network (pure)."""

import base64
import hashlib
import math
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
import pyarrow as pa
import pyarrow.compute as pc

from build.analysis.raters import CHECKS, PAPER
from build.report.built import SONG_COLUMNS, Built
from build.report.findings import Findings
from build.report.plates import Plate
from build.report.previews import MEDIA_TYPE

Rows = list[dict[str, Any]]

HERE = Path(__file__).parent


def render(
    built: Built,
    findings: Findings,
    plates: Sequence[Plate],
    sounds: Mapping[str, bytes],
    faces: str = "",
    notes: Sequence[str] = (),
) -> str:
    """The page. `sounds` are previews by song id, `faces` fonts as CSS (`webfonts`); `notes` are shown at the top.

    Titles and terms are other people's text: everything is escaped, control characters are taken out, text of unknown
    direction is isolated, and a content security policy allows this page's own script and style and no requests.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"sort_keys": False, "ensure_ascii": False}
    environment.filters |= {"fixed": fixed, "clean": clean}
    script, style = ((HERE / name).read_text(encoding="utf-8") for name in ("report.js", "report.css"))
    style = f"{faces}\n{style}"
    return environment.get_template("report.html.j2").render(
        built=built,
        notes=notes,
        facts=_facts(built, sounds),
        songs=_songs(built.songs, sounds),
        terms=_terms(built, findings),
        undefined=findings.reliability["reason"].null_count < findings.reliability.num_rows,
        plates={plate.name: _shown(plate) for plate in plates},
        agreement=findings.agreement.to_pylist(),
        excluded=findings.excluded.to_pylist(),
        unplaced=sorted((built.names.get(key[0], key[0]), key[1], why) for key, why in findings.space.excluded.items()),
        design=_in_order(findings.design.to_pylist(), built),
        paper=PAPER,
        raters=_in_order(_raters(findings.raters), built),
        checks=CHECKS,
        means=_means(built),
        script=script,
        style=style,
        policy=content_policy(script, style),
    )


def content_policy(script: str, style: str) -> str:
    """A policy that lets run what has these hashes and load what is in the page; everything else is refused."""
    own = {name: _digest(text) for name, text in (("script", script), ("style", style))}
    return (
        f"default-src 'none'; script-src '{own['script']}'; style-src '{own['style']}'; "
        "img-src data:; media-src data:; font-src data:; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def shown_texts(built: Built) -> list[str]:
    """All text from outside that the page shows."""
    columns = [built.songs["title"], built.songs["artist"], built.terms["term"], built.terms["translation"]]
    return [text for column in columns for text in column.drop_null().to_pylist()]


def data_uri(kind: str, payload: bytes) -> str:
    """`payload` as a data: URI of the media type `kind`."""
    return f"data:{kind};base64,{base64.b64encode(payload).decode()}"


def clean(text: str) -> str:
    """`text` without control characters, which HTML does not allow; white space becomes single spaces."""
    return "".join(" " if c.isspace() else c for c in text if c.isspace() or unicodedata.category(c) != "Cc")


def fixed(value: float | None, digits: int = 2) -> str:
    """A number with so many digits and a true minus sign; a dash where there is none."""
    return "–" if value is None or math.isnan(value) else f"{value:.{digits}f}".replace("-", "−")


def _shown(plate: Plate) -> dict[str, str | None]:
    return {"alt": clean(plate.alt), "image": data_uri("image/svg+xml", plate.image) if plate.image else None}


def _facts(built: Built, sounds: Mapping[str, bytes]) -> dict[str, int]:
    first = built.ratings.filter(pc.field("repetition") == 0)
    return {
        "songs": built.songs.num_rows,
        "countries": len(pc.unique(built.songs["country"])),
        "songs with sound": pc.sum(pc.equal(built.songs["status"], "ok")).as_py() or 0,
        "languages": len(built.names),
        "rated terms": built.terms.num_rows,
        "ratings": first.num_rows,
        "raters": first.group_by(["language", "participant"]).aggregate([]).num_rows,
        "players in this page": len(sounds),
    }


def _songs(songs: pa.Table, sounds: Mapping[str, bytes]) -> Rows:
    rows = songs.select([*SONG_COLUMNS, "split"]).to_pylist()
    return [
        row | {"sound": data_uri(MEDIA_TYPE, sounds[row["song_id"]]) if row["song_id"] in sounds else None}
        for row in rows
    ]


def _terms(built: Built, findings: Findings) -> Rows:
    measured = {(row["language"], row["term_id"]): row for row in findings.reliability.to_pylist()}
    rows = _in_order(built.terms.sort_by("rank").to_pylist(), built)
    return [row | measured[row["language"], row["term_id"]] for row in rows]


def _in_order(rows: Rows, built: Built) -> Rows:
    """Rows by language in the published order."""
    order = list(built.names)
    return sorted(rows, key=lambda row: order.index(row["language"]))


def _raters(people: pa.Table) -> Rows:
    """For each language, how many raters there are and how many fail each check."""
    rows: dict[str, dict[str, Any]] = {}
    for person in people.to_pylist():
        row = rows.setdefault(
            person["language"], {"language": person["language"], "raters": 0, **dict.fromkeys(CHECKS, 0)}
        )
        row["raters"] += 1
        for check in person["flags"]:
            row[check] += 1
    return list(rows.values())


def _means(built: Built) -> dict[str, Any]:
    """What the page sorts by: language -> its terms and, for each song in table order, [mean, count] of each term."""
    place = {song_id: index for index, song_id in enumerate(built.songs["song_id"].to_pylist())}
    means: dict[str, Any] = {}
    for language, name in built.names.items():
        rows = built.terms.filter(pc.field("language") == language).sort_by("rank").to_pylist()
        grid: list[list[Any]] = [[None] * len(rows) for _ in place]
        column = {row["term_id"]: index for index, row in enumerate(rows)}
        for cell in built.cells.filter(pc.field("language") == language).to_pylist():
            grid[place[cell["song_id"]]][column[cell["term_id"]]] = [round(cell["mean"], 2), cell["count"]]
        labels = [[clean(row["term"]), clean(row["translation"] or "")] for row in rows]
        means[language] = {"name": name, "tag": built.tags[language], "terms": labels, "songs": grid}
    return means
