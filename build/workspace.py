"""Where a build keeps what it can use again: caches, the fetch journal and intermediate tables."""

from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
METADATA = REPOSITORY / "metadata"
PARTIAL = ".*.part*"  # names of files that are being written (`build.files.whole_file`)


@dataclass(frozen=True)
class Workspace:
    """The folders under `work/` (or under the folder given by `--work`), made when first asked for."""

    root: Path

    def folder(self, name: str) -> Path:
        """The folder `name` under the root, created if it is not there."""
        path = self.root / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    @property
    def audio(self) -> Path:
        """Whole tracks as fetched, in their native containers."""
        return self.folder("audio")

    @property
    def clips(self) -> Path:
        """Encoded excerpts, named by everything that their bytes depend on."""
        return self.folder("clips")

    @property
    def tables(self) -> Path:
        """One Parquet file a stage."""
        return self.folder("tables")

    @property
    def downloads(self) -> Path:
        """Files of the upstream release, checked against `metadata/upstream.csv`."""
        return self.folder("downloads")

    @property
    def journal(self) -> Path:
        """The SQLite journal of every attempt to fetch a song."""
        self.root.mkdir(parents=True, exist_ok=True)
        return self.root / "journal.sqlite"

    def tidy(self) -> None:
        """Remove what a killed run left unfinished: for the process that holds the folder (`build.lock`)."""
        for folder in (self.clips, self.tables):
            for partial in folder.glob(PARTIAL):
                partial.unlink(missing_ok=True)
