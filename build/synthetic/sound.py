"""From a score to samples: wavetable voices, percussion, echoes and level."""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from build.synthetic.moods import Reals
from build.synthetic.music import BARS, BEATS_A_BAR, Hit, Note, Score, Style, compose

Signal = NDArray[np.float32]

TABLE = 4096  # points of one cycle
MAX_PARTIALS = 40
OCTAVE = 12  # semitones
BELL = np.array([1.0, 0.0, 0.4, 0.0, 0.0, 0.2])  # amplitudes of the partials
CENTRED, DETUNED = (0,), (-1, 1)  # one channel in tune; left flat and right sharp
RELEASE_S = 0.08
FADE_S = 0.5
ECHOES = ((0.031, 0.037), (0.047, 0.053), (0.089, 0.097), (0.139, 0.149), (0.211, 0.223))  # seconds, left and right
BAND_DBFS = -20.0  # RMS of all but the percussion, before it is added
PEAK = 0.97  # full scale is 1; lossy encoders overshoot a little


class Loop(NamedTuple):
    """The time base of a loop: `beat` and `length` in samples."""

    rate_hz: int
    beat: float
    length: int


class Voice(NamedTuple):
    """Notes and how they sound: amplitudes of the partials, gain, and a tuning (-1 flat to 1 sharp) a channel."""

    notes: list[Note]
    spectrum: Reals
    gain: float
    tunings: tuple[int, ...]


def synthesise(moods: Reals, random: np.random.Generator, duration_s: float, rate_hz: int) -> Signal:
    """A song with these moods (shape (5,)), as samples of shape (2, round(duration_s * rate_hz)) within -1 to 1."""
    loop = render(compose(moods, random), rate_hz, random)
    n_samples = round(duration_s * rate_hz)
    song = np.tile(loop, -(-n_samples // loop.shape[1]))[:, :n_samples]
    fade = min(round(FADE_S * rate_hz), n_samples // 2)
    ramp = np.linspace(0, 1, fade, dtype=np.float32)
    song[:, :fade] *= ramp
    song[:, n_samples - fade :] *= ramp[::-1]
    return song


def render(score: Score, rate_hz: int, random: np.random.Generator) -> Signal:
    """The loop as samples of shape (2, n); what rings on past its end goes on at its beginning."""
    style = score.style
    beat = rate_hz * 60.0 / style.tempo_bpm
    loop = Loop(rate_hz, beat, round(beat * BEATS_A_BAR * BARS))
    dry = np.zeros((2, loop.length), np.float32)
    for voice in _voices(score):
        dry += _played(voice, style, loop) * np.float32(voice.gain)
    mix = _scaled(_echo(_rough(dry, style, random), style, rate_hz), BAND_DBFS)
    mix += _percussion(score.drums, loop)
    return _scaled(mix, style.level_dbfs)


def _voices(score: Score) -> list[Voice]:
    style = score.style
    bells = [note._replace(pitch=note.pitch + OCTAVE, beats=0.5 * note.beats) for note in score.melody]
    return [
        Voice(score.chords, _spectrum(style, 0.8), 0.16, DETUNED),
        Voice(score.bass, _spectrum(style, 0.5), 0.15 + 0.35 * style.beat, CENTRED),
        Voice(score.melody, _spectrum(style, 1.0), 0.3, CENTRED),
        Voice(bells, BELL, 0.2 * style.sparkle, CENTRED),
    ]


def _spectrum(style: Style, share: float) -> Reals:
    """Amplitudes of the partials: steeper for the dark, hollow (odd ones only) without sparkle."""
    partial = np.arange(1, MAX_PARTIALS + 1)
    slope = 3.0 - 2.0 * share * style.brightness
    return partial ** np.float64(-slope) * np.where(partial % 2 == 0, 0.1 + 0.9 * style.sparkle, 1.0)


def _played(voice: Voice, style: Style, loop: Loop) -> Signal:
    """All notes of a voice, shape (1 or 2, length): a channel a tuning."""
    detuning = 0.04 + 0.26 * style.roughness  # semitones
    tones: dict[tuple[float, int], Signal] = {}
    track = np.zeros((len(voice.tunings), loop.length), np.float32)
    for note in voice.notes:
        key = (note.beats, note.pitch)
        if key not in tones:
            seconds = note.beats * loop.beat / loop.rate_hz
            pitches = [note.pitch + tuning * detuning for tuning in voice.tunings]
            tones[key] = np.stack([_tone(pitch, seconds, voice.spectrum, style, loop.rate_hz) for pitch in pitches])
        _add(track, tones[key] * np.float32(note.velocity), round(note.start * loop.beat))
    return track


def _tone(pitch: float, seconds: float, spectrum: Reals, style: Style, rate_hz: int) -> Signal:
    frequency_hz = 440.0 * 2.0 ** ((pitch - 69.0) / 12.0)
    audible = spectrum[: max(1, int(0.42 * rate_hz / frequency_hz))]
    cycle = np.fft.irfft(np.concatenate([[0], -0.5j * TABLE * audible]), TABLE).astype(np.float32)
    n_samples = round((seconds + RELEASE_S) * rate_hz)
    phase = np.arange(n_samples) * (frequency_hz * TABLE / rate_hz)
    return cycle[phase.astype(np.int64) & (TABLE - 1)] * _envelope(n_samples, style, rate_hz)


def _envelope(n_samples: int, style: Style, rate_hz: int) -> Signal:
    """A rise of `attack_s`, a decay that is quick for the staccato, and a release at the end."""
    time_s = np.arange(n_samples, dtype=np.float32) / np.float32(rate_hz)
    decay_s = 0.12 + 2.5 * style.legato**2
    rise = np.minimum(time_s / np.float32(style.attack_s), 1)
    release = np.minimum(time_s[::-1] / np.float32(RELEASE_S), 1)
    return rise * release * np.exp(-time_s / np.float32(decay_s))


def _add(track: Signal, sound: Signal, start: int) -> None:
    """Add `sound` to a loop, once round its end where it is longer than what is left."""
    length = track.shape[-1]
    start %= length
    first = sound[..., : length - start]
    track[..., start : start + first.shape[-1]] += first
    rest = sound[..., length - start :][..., :length]
    track[..., : rest.shape[-1]] += rest


def _rough(mix: Signal, style: Style, random: np.random.Generator) -> Signal:
    """Overdrive, and a bed of noise that is wide because its channels are far apart in time."""
    driven = mix * np.float32(1.0 + 7.0 * style.roughness)
    driven /= 1 + np.abs(driven)
    hiss = random.standard_normal(mix.shape[1], dtype=np.float32) * np.float32(0.012 * style.roughness)
    driven[0] += hiss
    driven[1] += np.roll(hiss, mix.shape[1] // 3)
    return driven


def _echo(mix: Signal, style: Style, rate_hz: int) -> Signal:
    wet = np.zeros_like(mix)
    for number, delays_s in enumerate(ECHOES):
        for channel, delay_s in enumerate(delays_s):
            wet[channel] += np.roll(mix[1 - channel], round(delay_s * rate_hz)) * np.float32(0.75**number)
    return mix + wet * np.float32(0.35 * style.reverb)


def _percussion(hits: list[Hit], loop: Loop) -> Signal:
    track = np.zeros(loop.length, np.float32)
    for hit in hits:
        _add(track, drum(hit.drum, loop.rate_hz) * np.float32(hit.velocity), round(hit.start * loop.beat))
    return track


@cache
def drum(name: str, rate_hz: int) -> Signal:
    """One stroke of a `kick`, a `snare` or a `hat`, shape (n,), peak about 0.5; the same at every call."""
    time_s = np.arange(round(0.3 * rate_hz)) / rate_hz
    noise = np.random.default_rng(0).standard_normal(len(time_s))
    if name == "kick":
        sound = np.sin(2 * np.pi * (48.0 * time_s + 4.5 * (1 - np.exp(-time_s / 0.03)))) * np.exp(-time_s / 0.09)
    elif name == "snare":
        sound = (0.3 * noise + 0.4 * np.sin(2 * np.pi * 190.0 * time_s)) * np.exp(-time_s / 0.06)
    else:
        sound = 0.25 * np.diff(noise, prepend=0.0) * np.exp(-time_s / 0.02)
    return (0.5 * sound).astype(np.float32)


def _scaled(mix: Signal, level_dbfs: float) -> Signal:
    """Scaled to an RMS of `level_dbfs`, or to a peak just under full scale where that is lower."""
    rms = float(np.sqrt(np.mean(np.square(mix, dtype=np.float64))))
    peak = float(np.abs(mix).max())
    return mix * np.float32(min(10 ** (level_dbfs / 20) / rms, PEAK / peak))
