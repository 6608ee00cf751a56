"""The command line: `app` and what every verb shares. The verbs live in the modules of this package."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from build.errors import InputError, RunError

app = typer.Typer(
    name="python -m build",
    help="Build, check, score and publish the GlobalMood and MADB datasets.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
errors = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)

Work = Annotated[Path, typer.Option("--work", help="Folder of caches, journal and intermediate tables.")]
WORK = Path("work")


@app.callback()
def options(debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False) -> None:
    """Build, check, score and publish the GlobalMood and MADB datasets."""


def main() -> None:
    """Run the command line: exit code 0 done, 1 the run failed, 2 wrong usage or input, with a one-line reason."""
    try:
        app()
    except (InputError, RunError) as error:
        if "--debug" in sys.argv:
            raise
        errors.print(f"error: {' '.join(str(error).split())}")
        sys.exit(2 if isinstance(error, InputError) else 1)
    except KeyboardInterrupt:
        errors.print("stopped; the same command goes on from here")
        sys.exit(1)
