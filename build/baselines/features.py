"""What a song sounds like in some hundred numbers: spectrum, loudness, harmony, rhythm (librosa)."""

from importlib.metadata import version

import librosa
import numpy as np
import pyarrow as pa
from librosa.onset import onset_strength

from build.analysis.correlation import Floats
from build.baselines.sounds import Samples, sounds
from build.baselines.stage import Job, Stage

RATE_HZ = 22_050
HOP = 512  # samples between frames
N_FFT = 2_048
N_MELS = 40
FLOOR = 1e-10  # power below which a sound is silent: -100 dB
FEATURES = pa.schema(
    [pa.field("song_id", pa.string(), nullable=False), pa.field("features", pa.list_(pa.float32()), nullable=False)]
)
# Krumhansl and Kessler (1982), Psychological Review 89: how well each pitch class fits a major and a minor key
MAJOR = np.array([6.35, 2.23, 3.48, 2.33, 4.38, 4.09, 2.52, 5.19, 2.39, 3.66, 2.29, 2.88])
MINOR = np.array([6.33, 2.68, 3.52, 5.38, 2.60, 3.53, 2.54, 4.75, 3.98, 2.69, 3.34, 3.17])


def features(samples: Samples) -> Floats:
    """The features of a mono sound (n,) at RATE_HZ: always as many, all finite, also for silence.

    Means and deviations over time of log-mel bands, of their changes, chroma, level, centroid, roll-off, flatness and
    zero crossings; tempo and the strength of onsets; how well the chroma fits major and minor keys.
    """
    power = np.abs(librosa.stft(samples, n_fft=N_FFT, hop_length=HOP)) ** 2
    mel = librosa.power_to_db(librosa.feature.melspectrogram(S=power, sr=RATE_HZ, n_mels=N_MELS), amin=FLOOR)
    chroma = librosa.feature.chroma_stft(S=power, sr=RATE_HZ, tuning=0.0)
    magnitude = np.sqrt(power)
    rows = [
        mel,
        np.abs(np.diff(mel, axis=1)),
        chroma,
        librosa.power_to_db(power.sum(axis=0, keepdims=True), amin=FLOOR),
        librosa.feature.spectral_centroid(S=magnitude, sr=RATE_HZ),
        librosa.feature.spectral_rolloff(S=magnitude, sr=RATE_HZ),
        librosa.feature.spectral_flatness(S=magnitude),
        librosa.feature.zero_crossing_rate(samples, hop_length=HOP),
    ]
    moments = [moment for row in rows for moment in (row.mean(axis=1), row.std(axis=1))]
    return np.concatenate([*moments, _rhythm(mel), _keys(chroma.mean(axis=1))]).astype(np.float64)


def _rhythm(mel: Floats) -> Floats:
    onsets = onset_strength(S=mel, sr=RATE_HZ, hop_length=HOP)
    tempo = librosa.feature.tempo(onset_envelope=onsets, sr=RATE_HZ, hop_length=HOP)[0]
    return np.array([np.log2(max(tempo, 1.0)), onsets.mean(), onsets.std(), np.quantile(onsets, 0.9)])


def _keys(chroma: Floats) -> Floats:
    """The best fit to a major key, to a minor key, and their difference; 0 where all pitch classes are alike."""
    if np.ptp(chroma) == 0:
        return np.zeros(3)
    fits = [max(np.corrcoef(np.roll(profile, key), chroma)[0, 1] for key in range(12)) for profile in (MAJOR, MINOR)]
    return np.array([*fits, fits[0] - fits[1]])


def _of_group(job: Job) -> pa.Table:
    rows = [{"song_id": sound.song_id, "features": features(sound.samples)} for sound in sounds(job.group, RATE_HZ)]
    return pa.Table.from_pylist(rows, FEATURES)


STAGE = Stage("features", _of_group, {"version": 1, "librosa": version("librosa")})
