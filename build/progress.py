"""A progress bar for long work: done, failed, rate and time left; silent where the output is no terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

Advance = Callable[[bool], None]


class _RateColumn(ProgressColumn):
    """Items a second, or an hour where they are slow."""

    def render(self, task: Task) -> Text:
        per_second = task.finished_speed or task.speed
        if not per_second:
            return Text("")
        return Text(f"{per_second:.1f}/s" if per_second >= 1 else f"{per_second * 3600:.0f}/h")


@contextmanager
def progress(label: str, total: int) -> Iterator[Advance]:
    """Yield `advance(ok)`, to be called once for every finished item, also for those that failed."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[failed]} failed"),
        _RateColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task(label, total=total, failed=0)
        failures = 0

        def advance(ok: bool) -> None:
            nonlocal failures
            failures += not ok
            bar.update(task, advance=1, failed=failures)

        yield advance
