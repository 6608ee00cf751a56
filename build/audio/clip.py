"""One song from cached track to finished excerpt: what a worker process does.

The payload is named by a key of everything that its bytes depend on. A small JSON file beside it, written last, is
the mark that it is finished and holds its row; a payload is used again only if mark and payload are still whole.
"""

import hashlib
import json
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import av
import numpy as np
import soundfile
import soxr

from build import storage
from build.audio import flac, opus
from build.audio.excerpt import N_SAMPLES, read_excerpt
from build.audio.loudness import decibels, integrated_lufs, peak, true_peak
from build.audio.options import ClipOptions
from build.audio.policy import Levelled, amplify, level, linear_gain_db
from build.audio.samples import HoleError
from build.audio.status import UnusableError
from build.audio.track import Track
from build.audio.window import WindowRequest, choose
from build.errors import RunError, in_words
from build.files import sha256_of, write_bytes

RECIPE = 1  # to be raised with every change of the code that changes payloads
SEAL = "seal"  # key of a mark: the SHA-256 of the row in it
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
        tools = [av.__version__, soundfile.__libsndfile_version__, soxr.__libsoxr_version__]
        facts = [asdict(self.request), asdict(self.options), self.source_sha256, RECIPE, tools]
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def make_clip(job: ClipJob) -> Row:
    """The row of CLIPS of one song; its payload is in the folder once this returns with status `ok`.

    Raises RunError where the folder cannot be written: that is no fault of the song.
    """
    done = _finished(job)
    if done is not None:
        return done
    row: Row = {"song_id": job.request.song_id, "source_sha256": job.source_sha256}
    try:
        with ExitStack() as held:
            payload = _make(replace(job, source=_require_source(job, held)), row)
    except UnusableError as error:
        return row | {"status": error.status, "message": error.message}
    name = f"{job.key}.{row['codec']}"
    row |= {"status": "ok", "audio_sha256": hashlib.sha256(payload).hexdigest(), "path": name}
    try:
        write_bytes(job.folder / name, payload)
        write_bytes(_mark(job), json.dumps(row | {SEAL: _seal(row)}).encode())
    except OSError as error:
        raise RunError(in_words(error)) from error
    return _in_folder(job, row)


def _seal(row: Row) -> str:
    return hashlib.sha256(json.dumps(row, sort_keys=True).encode()).hexdigest()


def _mark(job: ClipJob) -> Path:
    return job.folder / f"{job.key}.json"


def _in_folder(job: ClipJob, row: Row) -> Row:
    return row | {"path": str(job.folder / str(row["path"]))}


def _finished(job: ClipJob) -> Row | None:
    """The row of an excerpt that was made before and is still whole."""
    try:
        row = json.loads(storage.read_bytes(_mark(job)))
        if row.pop(SEAL) != _seal(row):
            return None
        name, row = str(row["path"]), _in_folder(job, row)
        payload = storage.read_bytes(job.folder / name)
        return row if hashlib.sha256(payload).hexdigest() == row["audio_sha256"] else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None  # absent, or no mark any more


def _require_source(job: ClipJob, held: ExitStack) -> Path:
    """The track on this machine, for as long as it is held."""
    try:
        source = held.enter_context(storage.at_hand(job.source))
        unchanged = sha256_of(source) == job.source_sha256
    except OSError as error:
        raise UnusableError("source_changed", f"{job.source}: {error.strerror}; fetch the song again") from error
    if not unchanged:
        raise UnusableError("source_changed", f"{job.source} is not the file that was fetched; fetch the song again")
    return source


def _make(job: ClipJob, row: Row) -> bytes:
    """The payload. What becomes known on the way goes into `row`, so that a failure keeps it.

    Time stamps are believed at first; where they have holes, the track is counted from its beginning instead.
    """
    try:
        with Track(job.source) as track:
            return _cut(track, job, row)
    except HoleError:
        with Track(job.source, counted=True) as track:
            return _cut(track, job, row)


def _cut(track: Track, job: ClipJob, row: Row) -> bytes:
    row |= {"source_format": track.source_format, "track_duration_s": track.n_samples / track.rate_hz}
    window = choose(job.request, track.n_samples, track.rate_hz)
    row |= {"window": window.kind, "start_s": window.start_s, "start_sample": window.start_sample}
    samples = read_excerpt(track, window.start_sample)
    loudness_lufs = _loudness_of(samples)
    head = opus.read_head(track.extradata) if job.options.codec == "source" and not track.counted else None
    row |= {"codec": "opus" if head else "flac", "loudness_in_lufs": round(loudness_lufs, DECIMALS)}
    row["loudness_policy"] = policy = job.options.policy_for(str(row["codec"]))
    if head is None:
        levelled = level(samples, loudness_lufs, job.options.loudness_lufs, policy)
        row |= _levels(levelled)
        return flac.encode(levelled.samples)
    gain_db = linear_gain_db(peak(samples), loudness_lufs, job.options.loudness_lufs, policy)
    levelled = amplify(samples, opus.whole_steps_db(gain_db), loudness_lufs)
    row |= _levels(levelled)
    packets, place = opus.read_packets(track, window.start_sample, N_SAMPLES)
    return opus.write(packets, place, window.start_sample, N_SAMPLES, head, levelled.gain_db)


def _levels(levelled: Levelled) -> Row:
    measured = {
        "gain_db": levelled.gain_db,
        "limiter_db": levelled.limiter_db,
        "loudness_out_lufs": levelled.loudness_lufs,
        "peak_out_dbfs": decibels(peak(levelled.samples)),
        "true_peak_out_dbtp": decibels(true_peak(levelled.samples)),
    }
    return {name: value if value is None else round(value, DECIMALS) for name, value in measured.items()}


def _loudness_of(samples: np.ndarray) -> float:
    if not np.isfinite(samples).all():
        raise UnusableError("non_finite", "the decoded excerpt holds samples that are not numbers")
    loudness_lufs = integrated_lufs(samples)
    if loudness_lufs == -np.inf:
        raise UnusableError("silent", "the excerpt is silent, or below -70 LUFS throughout")
    return loudness_lufs
