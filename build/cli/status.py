"""`python -m build status`."""

import json
import time
from typing import Annotated, Any

import typer
from rich.table import Table

from build.cli import WORK, Work, app
from build.cli.fetch import DEFAULTS, Pace, read_songs_table
from build.fetch import summarise
from build.fetch.taxonomy import STATES, statuses
from build.terminal import console, one_line, page
from build.workspace import Workspace


@app.command()
def status(
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    pace: Pace = DEFAULTS.pace_per_hour,
    work: Work = WORK,
) -> None:
    """Say which songs are had, gone, blocked or still to come, and when.

    Example: python -m build status --json
    """
    found = summarise(read_songs_table(work), Workspace(work), pace, time.time())
    if as_json:
        console.print(json.dumps(found, ensure_ascii=False, indent=2))
        return
    for table in (_by_status(found), _by_country(found)):
        page.print(table)
    for line in _lines(found):
        console.print(one_line(line))


def _by_status(found: dict[str, Any]) -> Table:
    table = Table("state", "status", "songs", "meaning", title=f"{found['songs']} songs")
    rows = [(statuses()[name], count) for name, count in found["statuses"].items()]
    for one, count in sorted(rows, key=lambda row: (STATES.index(row[0].state), -row[1])):
        table.add_row(one.state, one.name, str(count), one.meaning)
    return table


def _by_country(found: dict[str, Any]) -> Table:
    states = [state for state in STATES if state in found["states"]]
    table = Table("country", *states)
    for country, counts in found["countries"].items():
        table.add_row(country, *(str(counts.get(state, "")) for state in states))
    return table


def _lines(found: dict[str, Any]) -> list[str]:
    asked, pace = found["asked_last_hour"], found["pace_per_hour"]
    lines = [f"{asked} songs asked of YouTube in the last hour, at a pace of {pace:g}"]
    if found["running_pid"]:
        lines.append(f"process {found['running_pid']} is fetching now")
    if found["resting_until"]:
        lines.append(f"resting until {found['resting_until']}: the site asked for it")
    if found["seconds_left"]:
        lines.append(f"about {found['seconds_left'] / 60:.0f} minutes left at that pace")
    if found["next_try_at"]:
        lines.append(f"next retry from {found['next_try_at']}")
    return lines + [
        f"a better url would help {song['song_id']} ({song['status']}): {song['artist']} - {song['title']}"
        for song in found["better_url_would_help"]
    ]
