import pyarrow as pa

from build.fetch.options import FetchOptions
from build.fetch.run import run
from build.workspace import Workspace
from tests.fetch.clock import FastClock
from tests.fetch.site import site
from tests.fetch.songlist import song_table
from tests.fetch.youtube import LIMIT, says, stand_in, video_id


def test_a_rate_limit_in_the_middle_makes_the_run_rest_and_then_go_on(tmp_path, monkeypatch):
    clock, begun = FastClock(), FastClock().now()
    asked = []

    def script(video):
        asked.append((video, clock.now()))
        if video == video_id(4):
            state["limited"] = state.get("limited", clock.now())
        if "limited" in state and clock.now() < state["limited"] + 3000:
            raise says(LIMIT)

    state = {}
    stand_in(monkeypatch, script)
    songs = song_table({video_id(n): None for n in range(12)})
    with site() as proxy:
        options = FetchOptions(proxy=proxy.url(""))
        table = run(songs, None, Workspace(tmp_path), options, clock)
    assert table["status"].to_pylist() == ["ok"] * 12
    print(asked, clock.slept)
