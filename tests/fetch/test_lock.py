import os
import subprocess
import sys
import threading

import pytest

from build.errors import RunError
from build.fetch import lock
from build.fetch.lock import holder, only_run
from build.workspace import REPOSITORY

HOLD = (
    "import sys; from pathlib import Path; from build.fetch.lock import only_run\n"
    "with only_run(Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
)


def holding(folder) -> subprocess.Popen:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, folder], cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_run_refuses_and_names_the_first(tmp_path):
    first = holding(tmp_path)
    try:
        assert holder(tmp_path) == first.pid
        with pytest.raises(RunError, match=f"process {first.pid} is fetching into"), only_run(tmp_path):
            pass
    finally:
        first.communicate()


def test_what_a_killed_run_leaves_holds_nobody_up(tmp_path):
    first = holding(tmp_path)
    first.kill()
    first.wait()
    assert (tmp_path / lock.LOCK).exists()
    assert (tmp_path / "fetch.pid").exists()
    assert holder(tmp_path) is None
    with only_run(tmp_path):
        assert holder(tmp_path) == os.getpid()


def test_the_lock_is_let_go_at_the_end_and_after_an_error(tmp_path):
    with pytest.raises(ZeroDivisionError), only_run(tmp_path):
        raise ZeroDivisionError
    with only_run(tmp_path):
        pass
    assert holder(tmp_path) is None


def test_two_threads_of_one_process_do_not_share_it(tmp_path):
    refused = []

    def second():
        try:
            with only_run(tmp_path):
                pass
        except RunError as error:
            refused.append(str(error))

    with only_run(tmp_path):
        thread = threading.Thread(target=second)
        thread.start()
        thread.join()
    assert str(os.getpid()) in refused[0]


def test_a_folder_that_nobody_ever_fetched_into_has_no_holder(tmp_path):
    assert holder(tmp_path) is None
    assert not list(tmp_path.iterdir())
