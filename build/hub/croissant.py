"""croissant.json: the files and columns of a built dataset for machines (Croissant 1.1, with RAI 1.0), pure.

One record set for each config that has files of its own; the language configs are columns of `all`.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from build.dataset.facts import Facts
from build.vocab import Row
from globalmood import CITATION, FEATURES, FILES, SPLITS, STATISTICS, VERSION

NAME = "croissant.json"
CONFIGS = {  # config with files of its own -> the table of metadata/columns.csv that describes its columns
    "all": "song",
    "ratings": "rating",
    "terms": "terms",
    "lexicon": "lexicon",
    "chains": "chains",
    "participants": "participants",
}
HOMEPAGE = "https://github.com/harin-git/GlobalMood"
LICENSE = "https://opensource.org/license/mit"
RIGHTS = "The license covers annotations. Audio belongs to its owners; see the card."
PUBLISHED = "2025-09-21"  # first day of the conference at which the dataset was presented
PARQUET = "application/x-parquet"
TYPES = {
    "string": "sc:Text",
    "date32": "sc:Date",
    **dict.fromkeys(("int8", "int16", "int32", "int64"), "sc:Integer"),
    **dict.fromkeys(("float32", "float64"), "sc:Float"),
}
_TERMS = (
    "arrayShape citeAs column containedIn equivalentProperty extract field fileProperty fileObject fileSet format "
    "includes isArray isLiveDataset jsonPath key md5 parentField path recordSet references regex repeated replace "
    "samplingRate separator source subField transform"
)
CONTEXT: dict[str, Any] = {  # the context that the specification prints
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{term: f"cr:{term}" for term in _TERMS.split()},
}


def render(
    facts: Facts, files: Mapping[str, Mapping[str, Any]], columns: Sequence[Row], rai: Mapping[str, Mapping[str, Any]]
) -> bytes:
    """The content of croissant.json, the same bytes for the same dataset.

    Parameters
    ----------
    facts : numbers of the dataset (`build.dataset.facts`)
    files : path -> sha256 and bytes of every file beside it (`build.dataset.manifest.describe_files`)
    columns : rows of `metadata/columns.csv`
    rai : `metadata/rai.yaml`
    """
    described = json.dumps(_described(facts, files, columns, rai), indent=1, ensure_ascii=False)
    return (described + "\n").encode()


def _described(
    facts: Facts, files: Mapping[str, Mapping[str, Any]], columns: Sequence[Row], rai: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    shards = {name: entry for name, entry in files.items() if name.endswith(".parquet")}
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"],
        "name": facts["title"],
        "description": _description(facts),
        "version": VERSION,
        "datePublished": PUBLISHED,
        "creator": {"@type": "sc:Person", "name": "Harin Lee and others"},
        "url": HOMEPAGE,
        "license": LICENSE,
        "usageInfo": RIGHTS,
        "citeAs": CITATION,
        "keywords": ["music", "music emotion recognition", "cross-cultural", "audio"],
        "inLanguage": [language["tag"] for language in facts["languages"]],
        **rai["sample" if facts["source"] == "sample" else "people"],
        "rai:annotationsPerItem": _raters(facts["languages"]),
        "distribution": [*map(_file, shards, shards.values()), *(_file_set(name) for name in CONFIGS)],
        "recordSet": [_record_set(name, columns) for name in CONFIGS],
    }


def _description(facts: Facts) -> str:
    made_up = "A synthetic sample in the form of GlobalMood: " if facts["source"] == "sample" else ""
    return (
        f"{made_up}{facts['songs']['all']} songs of {facts['songs']['countries']} countries, "
        f"{facts['songs']['with_audio']} of them with 15 s of sound, and {facts['ratings']['kept']} ratings of mood "
        "terms by listeners of several cultures."
    )


def _raters(languages: Iterable[Facts]) -> str:
    means = {language["config"]: language["mean_count"] for language in languages if language["mean_count"]}
    told = ", ".join(f"{config} {mean:.2f}" for config, mean in means.items())
    return f"mean number of raters a rated song and term: {told}" if told else "there are no ratings"


def _file(name: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "contentSize": f"{entry['bytes']} B",
        "encodingFormat": PARQUET,
        "sha256": entry["sha256"],
    }


def _file_set(config: str) -> dict[str, Any]:
    """The files of a config; without `containedIn`, which would keep mlcroissant from finding the columns in them."""
    return {
        "@type": "cr:FileSet",
        "@id": _files_id(config),
        "name": _files_id(config),
        "encodingFormat": PARQUET,
        "includes": list(FILES[config].values()),
    }


def _files_id(config: str) -> str:
    return f"files-of-{config}"


def _record_set(config: str, columns: Sequence[Row]) -> dict[str, Any]:
    meaning = {row["column"]: row for row in columns if row["table"] == CONFIGS[config]}
    fields = [_field(config, name, feature, meaning.get(name)) for name, feature in FEATURES[config].items()]
    if len(FILES[config]) > 1:
        fields.append(_split_field(config))
    return {"@type": "cr:RecordSet", "@id": config, "name": config, "field": fields}


def _field(config: str, name: str, feature: Any, row: Row | None) -> dict[str, Any]:
    field = {"@type": "cr:Field", "@id": f"{config}/{name}", "name": name}
    if name in STATISTICS:
        field["description"] = f"ratings in {name}, in the order of its terms"
        return field | {"subField": [_statistic(config, name, inner, kind) for inner, kind in feature.items()]}
    if row:
        field["description"] = row["meaning"] + (f" ({row['unit']})" if row["unit"] else "")
    return field | _typed(feature) | {"source": _source(config, name, "bytes" if name == "audio" else None)}


def _statistic(config: str, language: str, name: str, feature: Any) -> dict[str, Any]:
    field = {"@type": "cr:Field", "@id": f"{config}/{language}/{name}", "name": name}
    return field | _typed(feature) | {"source": _source(config, language, name)}


def _typed(feature: Any) -> dict[str, Any]:
    if hasattr(feature, "feature"):
        return {"dataType": TYPES[feature.feature.dtype], "isArray": True, "arrayShape": str(feature.length)}
    if hasattr(feature, "sampling_rate"):
        return {"dataType": "sc:AudioObject"}
    return {"dataType": TYPES[feature.dtype]}


def _source(config: str, column: str, inside: str | None) -> dict[str, Any]:
    source: dict[str, Any] = {"fileSet": {"@id": _files_id(config)}, "extract": {"column": column}}
    return source | ({"transform": {"jsonPath": inside}} if inside else {})


def _split_field(config: str) -> dict[str, Any]:
    """The split of a row, which stands in the name of its file."""
    source = {"fileSet": {"@id": _files_id(config)}, "extract": {"fileProperty": "filename"}}
    regex = f"^.*({'|'.join(SPLITS)})-.*$"
    field = {"@type": "cr:Field", "@id": f"{config}/split", "name": "split", "dataType": "sc:Text"}
    return field | {"source": source | {"transform": {"regex": regex}}}
