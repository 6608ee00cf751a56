"""A source folder: its files by name, anywhere below it."""

from pathlib import Path

from build.errors import InputError

SONGS = ("songmeta_GlobalMood.csv", "songs.csv")
RATINGS = ("rawrating_GlobalMood.csv", "ratings.csv")
CHAINS = ("chains_GlobalMood.csv", "chains.csv")
CHARTS = "charts"  # folder of weekly chart files
TERMS = "{locale}_STEP_for_dense_rate.csv"


def find(root: Path, *names: str) -> Path | None:
    """The one file below `root` that has one of `names`, or None; raises InputError where there are several."""
    if not root.is_dir():
        raise InputError(f"{root}: no such folder; --source takes `sample`, `upstream`, or a folder with {SONGS[0]}")
    found = sorted(path for name in names for path in root.rglob(name) if path.is_file())
    if len(found) > 1:
        raise InputError(f"{root}: more than one file could be meant: {', '.join(map(str, found))}; keep one of them")
    return found[0] if found else None


def find_songs(root: Path) -> Path:
    """The song list below `root`; raises InputError where there is none."""
    path = find(root, *SONGS)
    if path is None:
        there = sorted(item.name for item in root.iterdir())[:10]
        raise InputError(f"{root}: there is no song list {' or '.join(SONGS)} in it; it holds {there}")
    return path
