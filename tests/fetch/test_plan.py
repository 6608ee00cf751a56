import pyarrow as pa
import pytest

from build.errors import InputError
from build.fetch.plan import JOURNAL, PATIENCE_S, plan
from build.fetch.urls import identity
from tests.fetch.songlist import song_table

NOW = 10_000.0
URL = "https://host.example/a.wav"


def known(
    state: str, *, status: str = "x", last_at: float = 0.0, next_at: float | None = None, fault: str | None = None
):
    row = {"key": identity("song", URL), "state": state, "status": status, "last_at": last_at}
    return pa.Table.from_pylist([{**row, "next_at": next_at, "fault": fault}], schema=JOURNAL)


def planned(journal: pa.Table, mode: str = "incremental", only: tuple[str, ...] = ()) -> tuple[str, str]:
    (row,) = plan(song_table({"song": URL}), journal, mode, only, NOW).to_pylist()
    return row["action"], row["reason"]


@pytest.mark.parametrize(
    ("state", "actions"),
    [  # incremental, retry-failed, recheck
        ("untried", ("fetch", "fetch", "fetch")),
        ("had", ("keep", "keep", "keep")),
        ("failed", ("skip", "fetch", "fetch")),
        ("gone", ("skip", "skip", "fetch")),
        ("blocked", ("skip", "skip", "fetch")),
        ("refused", ("skip", "skip", "fetch")),
    ],
)
def test_each_mode_asks_for_more_than_the_one_before(state, actions):
    modes = ("incremental", "retry-failed", "recheck")
    assert tuple(planned(known(state), mode)[0] for mode in modes) == actions


def test_a_song_that_the_journal_does_not_know_is_fetched():
    assert planned(JOURNAL.empty_table()) == ("fetch", "new")


@pytest.mark.parametrize("fault", ["its file is missing", "its file is damaged", "its source file has changed"])
def test_had_means_that_the_file_is_what_it_was(fault):
    assert planned(known("had", fault=fault)) == ("fetch", fault)


@pytest.mark.parametrize(
    ("next_at", "action"),
    [(NOW - 1, "fetch"), (NOW + PATIENCE_S, "fetch"), (NOW + PATIENCE_S + 1, "wait")],
)
def test_a_retry_is_waited_for_within_patience_and_else_left_to_a_later_run(next_at, action):
    assert planned(known("retry", last_at=NOW - 100, next_at=next_at))[0] == action


def test_a_retry_that_is_not_due_is_made_at_once_when_asked_for():
    assert planned(known("retry", last_at=0.0, next_at=NOW * 9), "retry-failed") == ("fetch", "asked again")


def test_a_clock_that_was_set_back_does_not_put_a_retry_off():
    assert planned(known("retry", last_at=NOW + 90_000, next_at=NOW + 99_999))[0] == "fetch"


def test_only_asks_for_the_named_songs_whatever_their_state_but_not_for_what_is_had():
    songs = song_table({"song": URL, "other": "https://host.example/b.wav"})
    rows = plan(songs, known("gone"), "incremental", ("song",), NOW).to_pylist()
    assert [(row["song_id"], row["action"]) for row in rows] == [("song", "fetch"), ("other", "skip")]
    assert planned(known("had"), only=("song",)) == ("keep", "had")


def test_tries_are_forgiven_where_a_song_is_asked_for_again():
    anew = [
        plan(song_table({"song": URL}), known(state), mode, (), NOW)["anew"].to_pylist()
        for state, mode in (("untried", "incremental"), ("failed", "retry-failed"))
    ]
    assert anew == [[False], [True]]


def test_an_address_that_cannot_be_asked_for_is_refused_with_its_place_in_the_list():
    songs = song_table({"good": URL, "bad": "https://www.youtube.com/watch?v="})
    row = plan(songs, JOURNAL.empty_table(), "incremental", (), NOW).to_pylist()[1]
    assert row["action"] == "refuse"
    assert row["reason"].startswith("song 2 of the list (bad): '' is no YouTube id")


def test_the_same_song_at_another_address_is_another_song_to_the_journal():
    songs = song_table({"song": "https://elsewhere.example/a.wav"})
    assert plan(songs, known("had"), "incremental", (), NOW)["action"].to_pylist() == ["fetch"]


def test_an_unknown_mode_is_an_error_that_names_the_known_ones():
    with pytest.raises(InputError, match="allowed are incremental, retry-failed, recheck"):
        planned(known("had"), "everything")


def test_an_id_that_no_song_has_is_an_error():
    with pytest.raises(InputError, match="has no song nosuch"):
        planned(known("had"), only=("nosuch",))


def test_an_id_that_is_there_twice_is_an_error():
    songs = pa.concat_tables([song_table({"song": None}), song_table({"song": None})])
    with pytest.raises(InputError, match="more than once: song"):
        plan(songs, JOURNAL.empty_table(), "incremental")


@pytest.mark.parametrize("state", ["gone", "failed", "refused", "retry"])
def test_a_file_of_the_source_is_looked_at_again_until_it_is_had(state):
    journal = known(state, next_at=NOW * 9)
    journal = journal.set_column(0, "key", [[identity("song", "a.wav")]])
    (row,) = plan(song_table({"song": "a.wav"}), journal, "incremental", (), NOW).to_pylist()
    assert (row["action"], row["reason"]) == ("fetch", "a file of the source")
