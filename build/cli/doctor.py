"""`python -m build doctor`."""

import typer
from rich.table import Table

from build.cli import WORK, Work, app
from build.terminal import page


@app.command()
def doctor(work: Work = WORK) -> None:
    """Say what this machine has, what it lacks, what that costs and how to get it.

    Example: python -m build doctor
    """
    from build.doctor import examine  # which imports yt-dlp and Matplotlib: seconds that other verbs should not pay

    table = Table("what", "", "found", "what to do")
    findings = examine(work)
    for finding in findings:
        table.add_row(finding.name, finding.level, finding.found, finding.fix)
    page.print(table)
    if any(finding.level == "failure" for finding in findings):
        raise typer.Exit(1)
