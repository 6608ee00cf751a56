"""One song from cached track to finished excerpt: what a worker process does.

The payload is named by a key of everything that its bytes depend on. A small JSON file beside it, written last, is
the mark that it is finished and holds its row; a payload is used again only if it still has the hash of its mark.
"""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import av
import numpy as np
import soundfile
import soxr

from build.audio import flac
from build.audio.excerpt import read_excerpt
from build.audio.loudness import decibels, integrated_lufs, peak, true_peak
from build.audio.options import ClipOptions
from build.audio.policy import level
from build.audio.status import UnusableError
from build.audio.track import HoleError, Track
from build.audio.window import WindowRequest, choose
from build.files import sha256_of, write_bytes

RECIPE = 1  # to be raised with every change of the code that changes payloads
DECIMALS = 4  # of recorded levels: finer than anything audible, coarser than differences between processors

Row = dict[str, str | float | int | None]


@dataclass(frozen=True)
class ClipJob:
    """One excerpt to make: of which window of which file, how, and where to keep it."""

    request: WindowRequest
    source: Path
    source_sha256: str
    options: ClipOptions
    folder: Path

    @property
    def key(self) -> str:
        """Names everything that the payload's bytes depend on, the encoders' versions included."""
        facts = asdict(self.request) | asdict(self.options) | {"source": self.source_sha256, "recipe": RECIPE}
        facts["tools"] = [av.__version__, soundfile.__libsndfile_version__, soxr.__libsoxr_version__]
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def make_clip(job: ClipJob) -> Row:
    """The row of CLIPS of one song; its payload is in the folder once this returns with status `ok`."""
    finished = _finished(job)
    if finished is not None:
        return finished
    row: Row = {"song_id": job.request.song_id, "source_sha256": job.source_sha256}
    try:
        _check_source(job)
        payload = _cut(job, row)
    except UnusableError as error:
        return row | {"status": error.status, "message": error.message}
    path = job.folder / f"{job.key}.{row['codec']}"
    write_bytes(path, payload)
    row |= {"status": "ok", "audio_sha256": hashlib.sha256(payload).hexdigest(), "path": str(path)}
    write_bytes(_mark(job), json.dumps(row).encode())
    return row


def _mark(job: ClipJob) -> Path:
    return job.folder / f"{job.key}.json"


def _finished(job: ClipJob) -> Row | None:
    if not _mark(job).is_file():
        return None
    row = json.loads(_mark(job).read_bytes())
    path = job.folder / Path(row["path"]).name
    if not path.is_file() or sha256_of(path) != row["audio_sha256"]:
        return None
    return row | {"path": str(path)}


def _check_source(job: ClipJob) -> None:
    if not job.source.is_file():
        raise UnusableError("source_changed", f"{job.source} is not there; fetch the song again")
    if sha256_of(job.source) != job.source_sha256:
        raise UnusableError("source_changed", f"{job.source} is not the file that was fetched; fetch the song again")


def _cut(job: ClipJob, row: Row) -> bytes:
    """Make the payload and enter into `row` what becomes known on the way, so that a failure keeps it."""
    samples = _window_of(job, row)
    loudness_lufs = _audible(samples)
    row["loudness_in_lufs"] = round(loudness_lufs, DECIMALS)
    policy = job.options.policy_of("flac")
    levelled = level(samples, loudness_lufs, job.options.loudness_lufs, policy)
    row |= {"codec": "flac", "loudness_policy": policy}
    row["gain_db"] = round(levelled.gain_db, DECIMALS)
    row["limiter_db"] = None if levelled.limiter_db is None else round(levelled.limiter_db, DECIMALS)
    row["loudness_out_lufs"] = round(levelled.loudness_lufs, DECIMALS)
    row["peak_out_dbfs"] = round(decibels(peak(levelled.samples)), DECIMALS)
    row["true_peak_out_dbtp"] = round(decibels(true_peak(levelled.samples)), DECIMALS)
    return flac.encode(levelled.samples)


def _window_of(job: ClipJob, row: Row) -> np.ndarray:
    for counted in (False, True):
        track = Track(job.source, counted)
        try:
            row["source_format"] = track.source_format
            row["track_duration_s"] = track.n_samples / track.rate_hz
            window = choose(job.request, track.n_samples, track.rate_hz)
            row |= {"window": window.kind, "start_s": window.start_s, "start_sample": window.start_sample}
            return read_excerpt(track, window.start_sample)
        except HoleError as error:
            hole = error
        finally:
            track.close()
    raise UnusableError("decode_error", str(hole))


def _audible(samples: np.ndarray) -> float:
    if not np.isfinite(samples).all():
        raise UnusableError("non_finite", "the decoded excerpt holds samples that are not numbers")
    loudness_lufs = integrated_lufs(samples)
    if loudness_lufs == -np.inf:
        raise UnusableError("silent", "the excerpt is silent (below -70 LUFS)")
    return loudness_lufs
