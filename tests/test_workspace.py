"""`build.workspace`: tidying away what killed runs left."""

from build.files import whole_file
from build.workspace import Workspace


def test_only_unfinished_files_are_removed(tmp_path):
    workspace, left = Workspace(tmp_path), []
    for path in (workspace.clips / "a.flac", workspace.tables / "songs.parquet"):
        path.write_bytes(b"finished")
        with whole_file(path) as partial:
            left.append(partial.with_name(partial.name.replace(".part", "x.part")))
            left[-1].touch()
    workspace.tidy()
    assert [path for path in left if path.exists()] == []
    assert {path.name for path in tmp_path.rglob("*") if path.is_file()} == {"a.flac", "songs.parquet"}
