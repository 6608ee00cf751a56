"""What came out when excerpts of an earlier build were made anew, song by song (pure)."""

from collections import Counter
from collections.abc import Iterator

import pyarrow as pa

from build.tables import CLIPS, TEXT, conform

OUTCOMES = {
    "same": "the payload has the recorded SHA-256",
    "differs": "there is a payload, with another SHA-256",
    "gone": "there was a payload, and now there is none",
    "new": "there was no payload, and now there is one",
    "absent": "there was no payload, and there is none now",
}
REPLAY = pa.schema(
    {
        "song_id": TEXT,
        "outcome": TEXT,  # a key of OUTCOMES
        "status": TEXT,  # of the song in this build
        "message": TEXT,
        "audio_sha256": TEXT,  # of this build's payload and of the recorded one, null where there is none
        "recorded_audio_sha256": TEXT,
        "source_sha256": TEXT,  # of the tracks that they were cut from
        "recorded_source_sha256": TEXT,
    }
)
WORTH_TELLING = ("differs", "gone", "new")
MOST_LINES = 20


def compare(recorded: pa.Table, made: pa.Table) -> pa.Table:
    """REPLAY of every song in `made`, by song_id; both are CLIPS, of the earlier build and of this one."""
    earlier = {row["song_id"]: row for row in conform(recorded, CLIPS).to_pylist()}
    rows = []
    for now in conform(made, CLIPS).to_pylist():
        then = earlier[now["song_id"]]
        told = {f"recorded_{name}": then[name] for name in ("audio_sha256", "source_sha256")}
        rows.append(now | told | {"outcome": _outcome(then["audio_sha256"], now["audio_sha256"])})
    rows.sort(key=lambda row: row["song_id"])
    return pa.Table.from_pylist(rows, REPLAY)


def _outcome(recorded: str | None, made: str | None) -> str:
    if recorded is None:
        return "absent" if made is None else "new"
    if made is None:
        return "gone"
    return "same" if made == recorded else "differs"


def lines(replay: pa.Table) -> Iterator[str]:
    """What a user is told of a table REPLAY: the numbers, and the songs that did not come out the same."""
    counts = Counter(replay["outcome"].to_pylist())
    yield "replay: " + ", ".join(f"{outcome} {counts[outcome]}" for outcome in OUTCOMES)
    worth = [row for row in replay.to_pylist() if row["outcome"] in WORTH_TELLING]
    for row in worth[:MOST_LINES]:
        yield f"  {row['song_id']} {row['outcome']}: {_why(row)}"
    if len(worth) > MOST_LINES:
        yield f"  and {len(worth) - MOST_LINES} more"


def _why(row: dict[str, str | None]) -> str:
    if row["outcome"] == "gone":
        return f"{row['status']}{': ' + row['message'] if row['message'] else ''}"
    if row["outcome"] == "new":
        return "it had no audio in the published build"
    if row["source_sha256"] != row["recorded_source_sha256"]:
        return "what is served now is another file of the track"
    return "the track is the same file: other versions of the tools have made another payload of it"
