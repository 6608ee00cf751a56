"""One verb a stage, for those who look into a build or change one step of it: `songs`, `terms`, `ratings`, `shards`.

`fetch` and `excerpt` have modules of their own. Every stage reads and writes tables under `work/tables/`.
"""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from build import lock, made
from build.cli import WORK, app
from build.cli.excerpt import AnyWork, Dask, EarlierSeed, EarlierSource
from build.cli.run import OUT, Column, Exclude, Limit, Out, Seed, Source, Urls, checks
from build.terminal import console
from build.workspace import Workspace, open_workspace

if TYPE_CHECKING:
    from build.pipeline import Build


@app.command()
def songs(
    source: Source = "sample",
    from_charts: Annotated[
        Path | None, typer.Option("--from-charts", help="Draw the songs from the weekly chart files in this folder.")
    ] = None,
    exclusive: Annotated[
        str, typer.Option("--exclusive", help="recording: no upload of it charts in another country. id: not this one.")
    ] = "recording",
    per_country: Annotated[int, typer.Option("--per-country", min=1, help="Songs to draw a country.")] = 20,
    expect: Annotated[
        bool, typer.Option("--expect", help="List the chart files of a full rebuild, and which of them are here.")
    ] = False,
    seed: Seed = 0,
    limit: Limit = None,
    column: Column = None,
    urls: Urls = None,
    work: AnyWork = WORK,
) -> None:
    """Read the song list, or draw it from weekly charts; assign splits and folds.

    Example: `python -m build songs --from-charts charts/`
    """
    if expect:
        return _print_expected(from_charts)
    chosen = {"source": source, "seed": seed, "limit": limit, "urls": urls}
    charts = {"charts": from_charts, "exclusive": exclusive, "per_country": per_country}
    workspace = open_workspace(work)
    with lock.work_folder(workspace.root):
        _build(workspace, column, **chosen, **charts).songs()
    return None


@app.command()
def terms(
    source: EarlierSource = None,
    from_chains: Annotated[
        Path | None, typer.Option("--from-chains", help="Lexicon and top terms from this file of chains alone.")
    ] = None,
    seed: EarlierSeed = None,
    column: Column = None,
    work: AnyWork = WORK,
) -> None:
    """Replay elicitation chains into a lexicon and each language's top terms.

    Example: `python -m build terms --from-chains my_chains.csv`
    """
    workspace = open_workspace(work)
    with lock.work_folder(workspace.root):
        if from_chains is None:
            _build(workspace, column, **made.as_before(workspace.tables, source, seed)).terms()
        else:
            _from_chains(from_chains, column, workspace)


@app.command()
def ratings(
    source: EarlierSource = None,
    exclude_raters: Exclude = "",
    seed: EarlierSeed = None,
    column: Column = None,
    work: AnyWork = WORK,
) -> None:
    """Clean the ratings, check the raters, and average.

    Example: `python -m build ratings --source my_study/ --column rating=answer --exclude-raters straightlining,few`
    """
    workspace = open_workspace(work)
    with lock.work_folder(workspace.root):
        before = made.as_before(workspace.tables, source, seed)
        _build(workspace, column, exclude_raters=checks(exclude_raters), **before).ratings()


@app.command()
def shards(
    source: EarlierSource = None,
    out: Out = OUT,
    seed: EarlierSeed = None,
    dask: Dask = None,
    work: AnyWork = WORK,
) -> None:
    """Put the built folder together from the tables of the other stages.

    Example: `python -m build shards --source upstream --out globalmood`
    """
    workspace = open_workspace(work)
    with lock.work_folder(workspace.root):
        build = _build(workspace, None, out=out, dask=dask, **made.as_before(workspace.tables, source, seed))
        with build.place():
            build.shards()


def _from_chains(from_chains: Path, column: list[str] | None, workspace: Workspace) -> None:
    from build.elicitation import terms_from_chains
    from build.files import write_table
    from build.sources.columns import parse_mapping

    made.forget(workspace.tables, "terms")  # they are not the source's
    elicited = terms_from_chains(from_chains, parse_mapping(column or []))
    found = {"dropped_acts": elicited.dropped}
    found |= {name: getattr(elicited, name) for name in ("lexicon", "terms", "chains", "participants")}
    for name, table in found.items():
        write_table(workspace.tables / f"{name}.parquet", table)
    for row in elicited.terms.to_pylist():
        console.print(
            f"{row['language']} {row['rank']:>2} {row['term']} ({row['frequency']} x, score {row['score']:.1f})"
        )
    reasons = Counter(elicited.dropped["reason"].to_pylist())
    left_out = ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items()))
    where = f" (each in {workspace.tables / 'dropped_acts.parquet'})" if left_out else ""
    console.print(f"{elicited.lexicon.num_rows} terms elicited; left out: {left_out or 'nothing'}{where}")


def _build(workspace: Workspace, column: list[str] | None, **options: Any) -> "Build":
    from build.hub.rebuild import open_build
    from build.options import BuildOptions
    from build.sources.columns import parse_mapping

    return open_build(BuildOptions(mapping=parse_mapping(column or []), **options), workspace, console.print)


def _print_expected(folder: Path | None) -> None:
    import pyarrow.compute as pc

    from build.charts import charts_here

    expected = charts_here(folder)
    for row in expected.to_pylist():
        console.print(f"{'here   ' if row['here'] else 'missing'} {row['file']}  {row['page']}")
    console.print(f"{pc.sum(expected['here']).as_py()} of {expected.num_rows} are here")
