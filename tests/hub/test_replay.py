import pyarrow as pa
import pytest

from build.hub.replay import OUTCOMES, compare, lines
from build.tables import CLIPS


def clips(**songs) -> pa.Table:
    """CLIPS of songs given as (status, audio_sha256, source_sha256)."""
    names = ("status", "audio_sha256", "source_sha256")
    return pa.Table.from_pylist([{"song_id": song, **dict(zip(names, row))} for song, row in songs.items()], CLIPS)  # noqa: B905


CASES = {  # outcome -> recorded, made
    "same": (("ok", "aa", "s1"), ("ok", "aa", "s1")),
    "differs": (("ok", "aa", "s1"), ("ok", "bb", "s1")),
    "gone": (("ok", "aa", "s1"), ("private",)),
    "new": (("not_found",), ("ok", "aa", "s1")),
    "absent": (("not_found",), ("private",)),
}


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_each_outcome(outcome):
    recorded, made = CASES[outcome]
    assert compare(clips(x=recorded), clips(x=made))["outcome"].to_pylist() == [outcome]


def test_both_digests_are_told_in_the_order_of_the_ids():
    recorded = clips(b=("ok", "aa", "s1"), a=("ok", "cc", "s3"))
    told = compare(recorded, clips(b=("ok", "bb", "s2"), a=("ok", "cc", "s3"))).to_pylist()
    assert [row["song_id"] for row in told] == ["a", "b"]
    assert told[1] == {
        "song_id": "b",
        "outcome": "differs",
        "status": "ok",
        "message": None,
        "audio_sha256": "bb",
        "recorded_audio_sha256": "aa",
        "source_sha256": "s2",
        "recorded_source_sha256": "s1",
    }


def test_songs_that_were_not_built_are_not_told():
    assert compare(clips(a=("ok", "x", "y"), b=("ok", "x", "y")), clips(b=("ok", "x", "y"))).num_rows == 1


def test_a_user_is_told_numbers_and_reasons():
    recorded = clips(a=("ok", "aa", "s1"), b=("ok", "aa", "s1"), c=("ok", "aa", "s1"), d=("not_found",), e=("ok", "aa"))
    made = clips(a=("ok", "bb", "s1"), b=("ok", "bb", "s2"), c=("private",), d=("ok", "aa"), e=("ok", "aa"))
    assert list(lines(compare(recorded, made))) == [
        "replay: same 1, differs 2, gone 1, new 1, absent 0",
        "  a differs: the track is the same file: other versions of the tools have made another payload of it",
        "  b differs: what is served now is another file of the track",
        "  c gone: private",
        "  d new: it had no audio in the published build",
    ]


def test_many_songs_are_not_all_listed():
    ids = [f"s{number:02d}" for number in range(25)]
    told = list(
        lines(compare(clips(**dict.fromkeys(ids, ("ok", "a", "s"))), clips(**dict.fromkeys(ids, ("private",)))))
    )
    assert len(told) == 22
    assert told[-1] == "  and 5 more"
