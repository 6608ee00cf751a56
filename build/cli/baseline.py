"""`baseline NAME`: the papers' systems, and a floor for them."""

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from build.baselines.clap import WEIGHTS
from build.cli import WORK, Work, app
from build.cli.excerpt import Dask
from build.errors import InputError
from build.terminal import console
from build.workspace import Workspace

baseline = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Predict with a system of the papers, or with the floor below them. Each writes a file that `score` takes.\n\n"
    "All but `features` need `pip install -r requirements-baselines.txt`. "
    "Example: `python -m build baseline features --out features.parquet`",
)
app.add_typer(baseline, name="baseline")

Data = Annotated[Path, typer.Option(help="A built folder.")]
GLOBALMOOD, MADB = Path("globalmood"), Path("madb")
Out = Annotated[Path, typer.Option(help="The file of predictions to write, or the folder of a trained model.")]
Workers = Annotated[int, typer.Option(min=1, help="Processes that stages use, or questions asked at once.")]
Device = Annotated[str, typer.Option(help="cpu, cuda, cuda:1, mps: where models run.")]
Seed = Annotated[int, typer.Option(min=0, help="Draws variants, windows, orders and texts.")]
Model = Annotated[str, typer.Option(help="CLAP weights: a folder, or a name on the Hub.")]
Terms = Annotated[str, typer.Option(help="native, or translated: the control with English translations.")]
Epochs = Annotated[int, typer.Option(min=1)]
Batch = Annotated[int, typer.Option("--batch", min=2, help="Examples in a batch.")]
Rate = Annotated[float, typer.Option(min=0, help="Learning rate.")]
Loaders = Annotated[int, typer.Option(min=0, help="Processes that read sound in training.")]


@baseline.command()
def features(
    data: Data = GLOBALMOOD,
    out: Out = Path("features.parquet"),
    workers: Workers = 2,
    dask: Dask = None,
    work: Work = WORK,
) -> None:
    """Spectrum, harmony and rhythm in 201 numbers (librosa), and ridge regression: the floor for all languages."""
    floor = _module("floor")
    for row in floor.predict_by_features(data, out, _cache(work), workers, dask):
        console.print(
            f"{row.language}: alpha {row.alpha:g}, primary measure on held-out folds {row.cross_validated:.3f}"
        )
    _told(out, data)


@baseline.command()
def clap(
    data: Data = GLOBALMOOD,
    out: Out = Path("clap.parquet"),
    model: Model = WEIGHTS,
    terms: Terms = "native",
    device: Device = "cpu",
    workers: Workers = 1,
    dask: Dask = None,
    work: Work = WORK,
) -> None:
    """CLAP as it comes, or as `clap-tune` made it: how near a song and a mood term lie.

    Example: `python -m build baseline clap --model tuned/best --out tuned.parquet`
    """
    moods = _module("clap.moods")
    moods.predict_moods(model, _terms(terms), _place(data, work, device, workers, dask), out)
    _told(out, data)


@baseline.command()
def clap_tune(
    data: Data = GLOBALMOOD,
    out: Out = Path("clap-tuned"),
    model: Model = WEIGHTS,
    terms: Terms = "native",
    variants: Annotated[int, typer.Option(min=0, help="Augmented variants of each song.")] = 10,
    held_fold: Annotated[int, typer.Option(help="Published fold that chooses the epoch.")] = 0,
    epochs: Epochs = 10,
    batch: Batch = 32,
    rate: Rate = 1e-5,
    seed: Seed = 0,
    device: Device = "cpu",
    workers: Workers = 2,
    dask: Dask = None,
    loaders: Loaders = 0,
    work: Work = WORK,
) -> None:
    """Fine-tune one CLAP for all languages by the paper's recipe. The same command goes on where it was stopped."""
    moods, training = _module("clap.moods"), _module("clap.training")
    options = training.TuneOptions(model, epochs, batch, rate, seed, loaders)
    place = _place(data, work, device, workers, dask)
    moods.tune(options, _terms(terms), held_fold, variants, place, out, console.print)
    console.print(f"{out}/best is the model; predict with `python -m build baseline clap --model {out}/best`")


@baseline.command()
def head(
    encoder: Annotated[str, typer.Option(help="KIND:NAME; kinds are clap, transformers and muq.")],
    data: Data = MADB,
    out: Out = Path("head.parquet"),
    correlation: Annotated[float, typer.Option(min=0, help="Weight of 1 - r beside the squared error.")] = 0.0,
    epochs: Epochs = 50,
    batch: Batch = 64,
    rate: Rate = 1e-3,
    seed: Seed = 0,
    device: Device = "cpu",
    workers: Workers = 1,
    dask: Dask = None,
    work: Work = WORK,
) -> None:
    """MADB: a frozen encoder, and a small Transformer that learns the scores from its vectors.

    Example: `python -m build baseline head --encoder muq:OpenMuQ/MuQ-large-msd-iter`
    """
    scores = _module("aesthetics.scores")
    options = scores.HeadOptions(epochs, batch, rate, correlation, seed=seed)
    scores.predict_scores(encoder, options, _place(data, work, device, workers, dask), out, console.print)
    _told(out, data)


@baseline.command()
def comments(
    data: Data = MADB,
    out: Out = Path("clap-comments"),
    model: Model = WEIGHTS,
    tags: Annotated[bool, typer.Option("--tags", help="Learn from genre and mood tags too.")] = False,
    epochs: Epochs = 10,
    batch: Batch = 32,
    rate: Rate = 1e-5,
    seed: Seed = 0,
    device: Device = "cpu",
    workers: Workers = 2,
    dask: Dask = None,
    loaders: Loaders = 0,
    work: Work = WORK,
) -> None:
    """MADB: adapt CLAP to what annotators wrote; the result is an encoder for `head`."""
    adapting, training = _module("aesthetics.comments"), _module("clap.training")
    options = training.TuneOptions(model, epochs, batch, rate, seed, loaders)
    adapting.adapt(options, tags, _place(data, work, device, workers, dask), out, console.print)
    console.print(f"{out}/best is the model; go on with `python -m build baseline head --encoder clap:{out}/best`")


@baseline.command()
def listen(
    provider: Annotated[str, typer.Option(help="chat (any OpenAI-compatible endpoint), or gemini.")],
    model: Annotated[str, typer.Option(help="The model's name there.")],
    data: Data = GLOBALMOOD,
    out: Out = Path("listen.parquet"),
    few_shot: Annotated[bool, typer.Option("--few-shot", help="Show a rated training song first.")] = False,
    language: Annotated[list[str] | None, typer.Option(help="Only this language; may be repeated.")] = None,
    inputs: Annotated[str, typer.Option(help="MADB: audio; audio,comments; audio,comments,tags.")] = "audio",
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N songs: to see what it costs.")] = None,
    base_url: Annotated[str | None, typer.Option(help="Where the service is, if not where its client thinks.")] = None,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds that one try may take.")] = 120.0,
    tries: Annotated[int, typer.Option(min=1, help="Tries before a question is left for the next run.")] = 4,
    workers: Workers = 4,
    work: Work = WORK,
) -> None:
    """Ask a language model that listens to rate the songs, as raters were asked. Every answer is paid for once.

    The key is read from OPENAI_API_KEY or GEMINI_API_KEY.

    Example: `python -m build baseline listen --provider gemini --model gemini-2.5-pro --limit 2`
    """
    listening, listeners = _module("listening.listen"), _module("listening.listeners")
    service = listeners.Service(provider, model, base_url, timeout, tries)
    place = _place(data, work, "cpu", workers)
    if _module("sounds").dataset_of(data) == "madb":
        if few_shot or language:
            raise InputError(f"{data}: holds MADB, which is asked about without --few-shot and --language")
        chosen = _module("listening.aesthetics").parse_inputs(inputs)
        listening.listen_to_tracks(service, place, out, chosen, limit, console.print)
    else:
        if inputs != "audio":
            raise InputError(f"--inputs {inputs}: {data} holds GlobalMood, whose songs have audio alone")
        listening.listen_to_moods(service, place, out, few_shot, language or [], limit, console.print)
    _told(out, data, language or ())


def _module(name: str) -> Any:
    """A module of the baselines, which may need packages that not everybody has."""
    try:
        return importlib.import_module(f"build.baselines.{name}")
    except ModuleNotFoundError as error:
        raise InputError(f"{error}: pip install -r requirements-baselines.txt") from error


def _cache(work: Path) -> Path:
    return Workspace(work).folder("baselines")


def _place(data: Path, work: Path, device: str, workers: int, dask: str | None = None) -> Any:
    return _module("place").Place(data, _cache(work), device, workers, dask)


def _terms(name: str) -> str:
    if name not in ("native", "translated"):
        raise InputError(f"--terms {name}: wanted native or translated")
    return name


def _told(out: Path, data: Path, languages: Sequence[str] = ()) -> None:
    group = languages[0] if len(languages) == 1 else "all"
    task = "madb" if _module("sounds").dataset_of(data) == "madb" else f"globalmood:{group}"
    console.print(f"{out}: score it with `python -m build score {out} --task {task} --data {data}`")
