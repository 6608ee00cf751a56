"""The command line: `app`, how it ends, and what every verb shares. The verbs live in the modules of this package."""

import importlib
import sys
from pathlib import Path
from typing import Annotated

import typer

from build import contract
from build.errors import InputError, RunError, in_words
from build.storage import here
from build.terminal import Terminal

VERBS = (
    "run",
    "stages",
    "fetch",
    "excerpt",
    "card",
    "show",
    "validate",
    "status",
    "doctor",
    "agreement",
    "space",
    "report",
    "score",
    "madb",
    "baseline",
    "publish",
    "release",
)

app = typer.Typer(
    name="python -m build",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)
errors = Terminal(stderr=True)

Work = Annotated[
    Path,
    typer.Option("--work", parser=here, metavar="FOLDER", help="Folder of caches, journal and intermediate tables."),
]
WORK = Path("work")


@app.callback()
def options(debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False) -> None:
    """Build, check, score and publish the GlobalMood and MADB datasets.

    Start with `python -m build run`: it builds the embedded synthetic sample into `globalmood/`, which
    `load_dataset("globalmood", "korean")` then loads. Exit codes: 0 done, 1 the run failed, 2 wrong usage or input.
    """


def main() -> None:
    """Run the command line: exit code 0 done, 1 the run failed, 2 wrong usage or input, with a one-line reason."""
    try:
        if contract.refresh():  # before any module takes the languages from globalmood.py
            errors.print("globalmood.py: took over the languages of metadata/languages.csv")
        for verb in VERBS:
            importlib.import_module(f"build.cli.{verb}")
        app()
    except (InputError, RunError) as error:
        if "--debug" in sys.argv:
            raise
        errors.print(f"error: {' '.join(str(error).split())}")
        sys.exit(2 if isinstance(error, InputError) else 1)
    except OSError as error:  # of the machine, not of the code: no room, no rights, a disk that fails
        if "--debug" in sys.argv:
            raise
        errors.print(f"error: {in_words(error)}")
        sys.exit(1)
    except KeyboardInterrupt:
        errors.print("stopped; the same command goes on from here")
        sys.exit(1)
