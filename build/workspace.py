"""Where a build keeps what it can use again: caches, the fetch journal and intermediate tables."""

from dataclasses import dataclass
from pathlib import Path

from build import storage

REPOSITORY = Path(__file__).resolve().parent.parent
METADATA = REPOSITORY / "metadata"
PARTIAL = ".*.part*"  # names of files that are being written (`build.files.whole_file`)


@dataclass(frozen=True)
class Workspace:
    """The folders under `work/` (or under the folder given by `--work`), made when first asked for.

    With `store`, a folder of an object store (`build.storage`), audio, clips and tables are kept there, where workers
    on other machines find them too; journal, locks and downloads stay on this machine, under the root.
    """

    root: Path
    store: Path | None = None

    def folder(self, name: str) -> Path:
        """The folder `name` under the root, created if it is not there."""
        path = self.root / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    @property
    def audio(self) -> Path:
        """Whole tracks as fetched, in their native containers."""
        return self._shared("audio")

    @property
    def clips(self) -> Path:
        """Encoded excerpts, named by everything that their bytes depend on."""
        return self._shared("clips")

    @property
    def tables(self) -> Path:
        """One Parquet file a stage."""
        return self._shared("tables")

    def _shared(self, name: str) -> Path:
        return self.store / name if self.store else self.folder(name)

    @property
    def downloads(self) -> Path:
        """Files of the upstream release, checked against `metadata/upstream.csv`."""
        return self.folder("downloads")

    @property
    def journal(self) -> Path:
        """The SQLite journal of every attempt to fetch a song."""
        self.root.mkdir(parents=True, exist_ok=True)
        return self.root / "journal.sqlite"

    @property
    def unfinished(self) -> Path:
        """Where tracks are until they are whole: on this machine, and beside the cache if that is here too."""
        return self.root / "audio" / ".partial"

    def tidy(self) -> None:
        """Remove what a killed run left unfinished: for the process that holds the folder (`build.lock`)."""
        for folder in () if self.store else (self.clips, self.tables):
            for partial in folder.glob(PARTIAL):
                partial.unlink(missing_ok=True)


def open_workspace(work: Path) -> Workspace:
    """The workspace in the folder `work`; that of a store has its part on this machine in a folder of its own."""
    if storage.is_remote(work):
        return Workspace(Path("work") / f"store-{storage.short_name(work)}", work)
    return Workspace(work)
