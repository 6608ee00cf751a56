"""From moods to a score: an eight-bar loop of chords, bass, melody and percussion.

Which mood does what follows how listeners are known to hear it: mode and register carry valence; tempo, density and
brightness energy; dissonance and roughness tension; a steady beat dance; slow attacks and legato tenderness.
"""

from typing import NamedTuple

import numpy as np

from build.synthetic.moods import MOODS, Reals, share

BEATS_A_BAR, BARS = 4, 8
SCALES = (  # semitones above the root, from the darkest mode to the brightest
    (0, 1, 3, 5, 7, 8, 10),
    (0, 2, 3, 5, 7, 8, 10),
    (0, 2, 3, 5, 7, 9, 10),
    (0, 2, 4, 5, 7, 9, 10),
    (0, 2, 4, 5, 7, 9, 11),
    (0, 2, 4, 6, 7, 9, 11),
)
DARK_PROGRESSIONS = ((0, 5, 2, 6), (0, 3, 5, 6), (0, 6, 5, 6), (0, 5, 3, 0))
BRIGHT_PROGRESSIONS = ((0, 4, 5, 3), (0, 5, 3, 4), (0, 3, 0, 4), (0, 3, 5, 4))
HELD, HALVES, STABS = [(0.0, 4.0)], [(0.0, 2.0), (2.0, 2.0)], [(0.0, 1.0), (1.5, 1.0), (3.0, 1.0)]  # start, beats
LOWEST_BASS, LOWEST_CHORD = 33, 50  # MIDI note numbers


class Note(NamedTuple):
    """A note of a loop: times in beats, pitch as a MIDI note number, velocity from 0 to 1."""

    start: float
    beats: float
    pitch: int
    velocity: float


class Hit(NamedTuple):
    """A stroke of percussion (`kick`, `snare`, `hat`): time in beats, velocity from 0 to 1."""

    start: float
    drum: str
    velocity: float


class Style(NamedTuple):
    """How a song is played; what has no unit in its name runs from 0 to 1."""

    tempo_bpm: float
    scale: tuple[int, ...]
    lowest_melody: int
    progressions: tuple[tuple[int, ...], ...]
    brightness: float
    sparkle: float
    dissonance: float
    roughness: float
    density: float
    beat: float
    attack_s: float
    legato: float
    reverb: float
    level_dbfs: float


class Score(NamedTuple):
    """An eight-bar loop."""

    style: Style
    chords: list[Note]
    bass: list[Note]
    melody: list[Note]
    drums: list[Hit]


def style_of(moods: Reals) -> Style:
    """The style in which a song of these moods, shape (5,), is played."""
    valence, energy, tension, dance, tenderness = (float(value) for value in share(moods))
    return Style(
        tempo_bpm=64.0 * 2.4**energy,
        scale=SCALES[min(int(valence * len(SCALES)), len(SCALES) - 1)],
        lowest_melody=55 + round(21 * valence),
        progressions=BRIGHT_PROGRESSIONS if valence > 0.5 else DARK_PROGRESSIONS,
        brightness=energy,
        sparkle=valence,
        dissonance=tension,
        roughness=tension**1.5,
        density=energy,
        beat=dance,
        attack_s=0.004 + 0.14 * tenderness**1.5,
        legato=0.3 + 0.75 * tenderness,
        reverb=tenderness,
        level_dbfs=-27.0 + 14.0 * energy,
    )


def compose(moods: Reals, random: np.random.Generator) -> Score:
    """A loop for a song with these moods, shape (5,) in the order of `MOODS`."""
    if moods.shape != (len(MOODS),):
        raise ValueError(f"moods of one song have the shape ({len(MOODS)},), not {moods.shape}")
    style = style_of(moods)
    root = int(random.integers(12))
    degrees = style.progressions[random.integers(len(style.progressions))] * (BARS // 4)
    return Score(
        style,
        [note for bar, degree in enumerate(degrees) for note in _chord(style, root, bar, degree)],
        [note for bar, degree in enumerate(degrees) for note in _bass(style, root, bar, degree)],
        _melody(style, root, degrees, random),
        [hit for bar in range(BARS) for hit in _drums(style, bar)],
    )


def pitch(style: Style, root: int, degree: int, lowest: int) -> int:
    """The MIDI note number, from `lowest` to eleven above it, of a degree of the scale on `root` (0 is C)."""
    octave, step = divmod(degree, len(style.scale))
    return lowest + (root + style.scale[step] + 12 * octave - lowest) % 12


def _chord(style: Style, root: int, bar: int, degree: int) -> list[Note]:
    tones = [pitch(style, root, degree + third, LOWEST_CHORD) for third in (0, 2, 4)]
    strokes = HELD if style.legato > 0.7 else HALVES if style.legato > 0.5 else STABS
    clash = [Note(bar * BEATS_A_BAR, 4.0 * style.legato, tones[0] + shift, style.dissonance**1.5) for shift in (13, 6)]
    return clash + [
        Note(bar * BEATS_A_BAR + start, beats * style.legato, tone, 0.7) for start, beats in strokes for tone in tones
    ]


def _bass(style: Style, root: int, bar: int, degree: int) -> list[Note]:
    low = pitch(style, root, degree, LOWEST_BASS)
    starts = [0, 2] if style.beat < 0.35 else [0, 1.5, 2, 3.5] if style.beat < 0.7 else [0.5, 1, 1.5, 2.5, 3, 3.5]
    length = (4.0 / len(starts)) * style.legato
    return [Note(bar * BEATS_A_BAR + start, length, low + 12 * (start % 1 > 0), 0.9) for start in starts]


def _melody(style: Style, root: int, degrees: tuple[int, ...], random: np.random.Generator) -> list[Note]:
    motif = [_rhythm(style, random) for _ in range(2)]
    position, notes = 4, []
    for bar, degree in enumerate(degrees):
        for start in motif[bar % 2] if bar % 4 < 3 else [0.0, 2.0]:
            position = int(np.clip(position + random.integers(-2, 3), 0, 9))
            tone = degree + 2 * (position // 2 % 3) if start == 0 else position
            beats = (2.0 if bar % 4 == 3 else 1.2 - 0.7 * style.density) * style.legato
            octave = 12 * (position > 6)
            height = pitch(style, root, tone, style.lowest_melody) + octave
            notes.append(Note(bar * BEATS_A_BAR + start, beats, height, 0.6 + 0.3 * (start % 2 == 0)))
    return notes


def _rhythm(style: Style, random: np.random.Generator) -> list[float]:
    """When the notes of a bar begin, on a grid of quarter notes to sixteenths: from about 2 notes to about 10."""
    grid = np.arange(0, 4, 1.0 if style.density < 0.35 else 0.5 if style.density < 0.75 else 0.25)
    chance = np.clip((2.0 + 8.0 * style.density) / len(grid), 0.2, 0.9)
    return [0.0] + [float(start) for start in grid[1:] if random.random() < chance]


def _drums(style: Style, bar: int) -> list[Hit]:
    first, beat = bar * BEATS_A_BAR, style.beat
    if beat < 0.25:
        return []
    kicks = [0, 1, 2, 3] if beat > 0.6 else [0, 2.5] if beat > 0.4 else [0]
    snares = [1, 3] if beat > 0.4 else [2]
    hats = np.arange(0.5, 4, 1.0) if style.density < 0.35 else np.arange(0, 4, 0.5 if style.density < 0.75 else 0.25)
    return (
        [Hit(first + start, "kick", beat) for start in kicks]
        + [Hit(first + start, "snare", 0.7 * beat) for start in snares]
        + [Hit(first + float(start), "hat", 0.5 * beat) for start in hats]
    )
