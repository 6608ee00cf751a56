"""Excerpts against the naive recipe, the floor and FFmpeg's command line, in CPU seconds on one core.

    python -m tests.bench.excerpts [--music FOLDER ...] [--result RESULT.json]

The music is the sample's unless folders of real music are named. All contenders cut the same windows of the same
files, one after the other, in every round; a file counts with the median of its rounds, and a ratio is the median over
files of the ratios within a file, so that a busy machine slows all alike. Exits with 1 where a limit is missed.
"""

import argparse
import io
import json
import multiprocessing
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from statistics import median

import av
import librosa
import numpy as np
import pyloudnorm
import soundfile
from scipy.signal import sosfilt
from threadpoolctl import threadpool_limits

from build.audio import flac
from build.audio.clip import ClipJob, make_clip
from build.audio.excerpt import N_SAMPLES, read_excerpt
from build.audio.limiter import limit
from build.audio.loudness import integrated_lufs, k_weighting, true_peak
from build.audio.options import ClipOptions
from build.audio.track import Track
from build.audio.window import EXCERPT_S, WindowRequest, choose
from build.files import sha256_of, write_bytes
from build.workers import pool

HERE = Path(__file__).parent
RESULT = HERE / "results" / "excerpts.json"
SAMPLE = [HERE.parents[1] / "work/sample/seed-0/media"]  # what `make dataset` leaves; real music is more telling
ENDINGS = {".mp3", ".ogg", ".flac", ".wav"}  # what libsndfile knows, with which the naive recipe and the floor read
ROUNDS = 3
N_OPUS = 12  # tracks that are made into Opus, for `--codec source`
LIMITS = {  # ratio: at least, at most
    "naive / headroom": (4.5, None),
    "headroom / floor": (None, 1.3),
    "limit / floor": (None, 2.0),
    "source / decode and measure": (None, 1.3),
    "gain of two workers / gain of two floors": (0.9, None),
    "seconds of true peak": (None, 0.02),
}
Seconds = dict[str, float]


def naive(job: ClipJob, start_s: float) -> bytes:
    """librosa.load of the whole file at 48 kHz, slice, pyloudnorm, soundfile."""
    samples, _ = librosa.load(job.source, sr=48_000, mono=False)
    excerpt = np.atleast_2d(samples)[:, round(start_s * 48_000) :][:, :N_SAMPLES].T
    loudness_lufs = pyloudnorm.Meter(48_000).integrated_loudness(excerpt)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # possible clipping
        levelled = pyloudnorm.normalize.loudness(excerpt, loudness_lufs, -5.0)
    return as_flac(levelled, 48_000)


def floor(job: ClipJob, start_s: float) -> bytes:
    """The least that can be done: decode 15 s, one K-weighting, one FLAC encode, all at the file's own rate."""
    with soundfile.SoundFile(job.source) as file:
        file.seek(round(start_s * file.samplerate))
        samples = file.read(EXCERPT_S * file.samplerate, dtype="float32", always_2d=True)
        sosfilt(k_weighting(file.samplerate), samples.T)
        return as_flac(samples, file.samplerate)


def as_flac(samples: np.ndarray, rate_hz: int) -> bytes:
    """FLAC as soundfile writes it when nothing is asked for."""
    payload = io.BytesIO()
    soundfile.write(payload, samples, rate_hz, format="FLAC", subtype="PCM_16")
    return payload.getvalue()


def ffmpeg(program: str, job: ClipJob, start_s: float) -> None:
    """FFmpeg's command line with its loudness filter, in one pass."""
    source = ["-ss", str(start_s), "-t", str(EXCERPT_S), "-i", str(job.source)]
    target = ["-af", "loudnorm=I=-5:TP=-1", "-ar", "48000", "-ac", "2", "-y", str(job.folder / "out.flac")]
    subprocess.run([program, "-v", "error", "-nostdin", *source, *target], check=True)


def ours(job: ClipJob) -> None:
    """The whole task of a worker, from the hash of the source to payload and row on disk, in a folder of its own."""
    row = make_clip(replace(job, folder=Path(tempfile.mkdtemp(dir=job.folder))))
    if row["status"] != "ok":
        raise RuntimeError(f"{job.source}: {row}")


def our_excerpt(job: ClipJob) -> np.ndarray:
    """Demux, decode and resample."""
    with Track(job.source) as track:
        return read_excerpt(track, choose(job.request, track.n_samples, track.rate_hz).start_sample)


def with_policy(job: ClipJob, policy: str) -> ClipJob:
    """The same job under another policy."""
    return replace(job, options=replace(job.options, policy=policy))


def cpu_s(call: Callable[[], object]) -> float:
    """CPU seconds of a call, with those of its child processes."""
    before = _used_s()
    call()
    return _used_s() - before


def _used_s() -> float:
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in usage)


def compete(contenders: dict[str, Callable[[], object]]) -> Seconds:
    """Median CPU seconds of each contender over interleaved rounds; the round before them warms up."""
    seconds = [{name: cpu_s(call) for name, call in contenders.items()} for _ in range(ROUNDS + 1)]
    return {name: median(one[name] for one in seconds[1:]) for name in contenders}


def song(job: ClipJob, start_s: float) -> Seconds:
    """Every contender, and the parts of our work, on one file."""
    samples = our_excerpt(job)
    gain_db = -5 - integrated_lufs(samples)
    contenders = {
        "naive": partial(naive, job, start_s),
        "floor": partial(floor, job, start_s),
        "headroom": partial(ours, with_policy(job, "headroom")),
        "limit": partial(ours, with_policy(job, "limit")),
        "part: hash of the source": partial(sha256_of, job.source),
        "part: demux, decode, resample": partial(our_excerpt, job),
        "part: measure": partial(integrated_lufs, samples),
        "part: true peak": partial(true_peak, samples),
        "part: limit, a round": partial(limit, samples, gain_db),
        "part: encode": partial(flac.encode, samples),
    }
    program = shutil.which("ffmpeg")
    if program:
        contenders["ffmpeg"] = partial(ffmpeg, program, job, start_s)
    return compete(contenders)


def opus_song(job: ClipJob) -> Seconds:
    """Copied packets against what cannot be done without: decode and measure."""
    contenders = {
        "source": partial(ours, job),
        "decode and measure": lambda: integrated_lufs(our_excerpt(job)),
        "part: true peak": partial(true_peak, our_excerpt(job)),
    }
    return compete(contenders)


def as_opus(job: ClipJob) -> ClipJob:
    """The same track as WebM with Opus at 128 kbit/s."""
    path = job.folder / f"{job.source.stem}.webm"
    with av.open(str(job.source)) as source, av.open(str(path), "w") as target:
        stream = target.add_stream("libopus", rate=48_000, layout="stereo")
        stream.bit_rate = 128_000
        for frame in source.decode(audio=0):
            target.mux(stream.encode(frame))
        target.mux(stream.encode(None))
    return replace(job, source=path, source_sha256=sha256_of(path), options=ClipOptions(codec="source"))


def find_jobs(folders: list[Path], scratch: Path) -> tuple[list[tuple[ClipJob, float]], list[str]]:
    """A job and its start for every file that all contenders can read; the names of the others."""
    jobs, left_out = [], []
    for path in sorted(path for folder in folders for path in folder.glob("*") if path.suffix in ENDINGS):
        job = ClipJob(WindowRequest(path.name, 0), path, sha256_of(path), ClipOptions(policy="headroom"), scratch)
        row = make_clip(job)
        try:
            floor(job, row["start_s"])
            jobs.append((job, row["start_s"]))
        except (KeyError, soundfile.LibsndfileError):  # too short for a window, or libsndfile cannot seek to it
            left_out.append(path.name)
    return jobs, left_out


def floors(jobs: list[tuple[ClipJob, float]], workers: int) -> float:
    """Seconds by the clock of the floor in this many processes, once they are warm."""
    with ProcessPoolExecutor(workers, multiprocessing.get_context("forkserver")) as processes:
        list(processes.map(floor, *zip(*jobs[: 2 * workers], strict=True)))
        start = time.perf_counter()
        list(processes.map(floor, *zip(*jobs, strict=True)))
        return time.perf_counter() - start


def builds(jobs: list[tuple[ClipJob, float]], workers: int) -> float:
    """The same of our workers."""
    tasks = [job for job, _ in jobs]
    with pool(workers) as processes:
        list(processes.run_each(ours, tasks[: 2 * workers], 600))
        start = time.perf_counter()
        list(processes.run_each(ours, tasks, 600))
        return time.perf_counter() - start


def two_workers(jobs: list[tuple[ClipJob, float]]) -> float:
    """What a second process gains us, as a share of what it gains the floor: the median of interleaved rounds."""
    gains = [(builds(jobs, 1) / builds(jobs, 2)) / (floors(jobs, 1) / floors(jobs, 2)) for _ in range(ROUNDS)]
    return median(gains)


def ratios(songs: list[Seconds], opus_songs: list[Seconds]) -> dict[str, float]:
    """The ratios that have limits; the true peak is timed apart, so it is taken out of ours."""
    true_peak_s = "part: true peak"
    return {
        "naive / headroom": median(one["naive"] / (one["headroom"] - one[true_peak_s]) for one in songs),
        "headroom / floor": median((one["headroom"] - one[true_peak_s]) / one["floor"] for one in songs),
        "limit / floor": median((one["limit"] - one[true_peak_s]) / one["floor"] for one in songs),
        "source / decode and measure": median(
            (one["source"] - one[true_peak_s]) / one["decode and measure"] for one in opus_songs
        ),
        "seconds of true peak": median(one[true_peak_s] for one in songs),
    }


def missed(found: dict[str, float]) -> list[str]:
    """The ratios outside their limits."""
    return [
        name
        for name, (least, most) in LIMITS.items()
        if (least is not None and found[name] < least) or (most is not None and found[name] > most)
    ]


def processor() -> str:
    """The name of the processor, and how many of its cores there are."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.processor()}, {os.cpu_count()} cores"


def main() -> int:
    """Measure, print and write the result; 1 where a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--music", type=Path, nargs="+", default=SAMPLE)
    parser.add_argument("--result", type=Path, default=RESULT)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, threadpool_limits(1):
        jobs, left_out = find_jobs(arguments.music, Path(name))
        if not jobs:
            parser.error(f"no music in {', '.join(map(str, arguments.music))}")
        songs = [song(job, start_s) for job, start_s in jobs]
        opus_songs = [opus_song(as_opus(job)) for job, _ in jobs[:: -(-len(jobs) // N_OPUS)]]
        found = ratios(songs, opus_songs) | {"gain of two workers / gain of two floors": two_workers(jobs)}
    seconds = {name: median(one[name] for one in songs) for name in songs[0]}
    seconds |= {name: median(one[name] for one in opus_songs) for name in ("source", "decode and measure")}
    packages = ("av", "soundfile", "soxr", "scipy", "numpy", "pyloudnorm", "librosa")
    result = {
        "machine": processor(),
        "system": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "versions": {package: version(package) for package in packages},
        "is_sample": arguments.music == SAMPLE,
        "tracks": len(jobs),
        "left_out": left_out,
        "cpu_seconds_a_song": {name: round(value, 4) for name, value in seconds.items()},
        "ratios": {name: round(found[name], 3) for name in LIMITS},
        "limits": {name: {"least": least, "most": most} for name, (least, most) in LIMITS.items()},
        "missed": missed(found),
    }
    text = json.dumps(result, indent=1)
    print(text)
    write_bytes(arguments.result, text.encode() + b"\n")
    return 1 if result["missed"] else 0


if __name__ == "__main__":
    sys.exit(main())
