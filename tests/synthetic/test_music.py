import numpy as np
import pytest

from build.synthetic.moods import MOODS
from build.synthetic.music import BARS, BEATS_A_BAR, compose, pitch, style_of

LEAST, MOST = -np.sqrt(3.0), np.sqrt(3.0)


def moods(**given: float) -> np.ndarray:
    return np.array([given.get(mood, 0.0) for mood in MOODS])


def random() -> np.random.Generator:
    return np.random.default_rng(0)


def test_energy_sets_the_tempo() -> None:
    assert style_of(moods(energy=LEAST)).tempo_bpm == pytest.approx(64.0)
    assert style_of(moods(energy=MOST)).tempo_bpm == pytest.approx(153.6)


def test_valence_sets_mode_and_register() -> None:
    dark, bright = style_of(moods(valence=LEAST)), style_of(moods(valence=MOST))
    assert dark.scale == (0, 1, 3, 5, 7, 8, 10)  # Phrygian
    assert bright.scale == (0, 2, 4, 6, 7, 9, 11)  # Lydian
    assert bright.lowest_melody - dark.lowest_melody == 21


def test_energy_makes_for_more_notes() -> None:
    calm, busy = (compose(moods(energy=energy), random()).melody for energy in (LEAST, MOST))
    assert len(busy) > 2 * len(calm)


def test_dance_brings_a_kick_on_every_beat() -> None:
    kicks = [hit.start for hit in compose(moods(dance=MOST), random()).drums if hit.drum == "kick"]
    assert kicks == list(range(BEATS_A_BAR * BARS))


def test_without_dance_there_is_no_percussion() -> None:
    assert compose(moods(dance=LEAST), random()).drums == []


def test_tension_makes_the_chords_clash() -> None:
    loudest = [
        max(note.velocity for note in compose(moods(tension=tension), random()).chords if note.velocity != 0.7)
        for tension in (LEAST, 0.9 * MOST)
    ]
    assert loudest[0] == 0 < 0.8 < loudest[1]


def test_tenderness_makes_notes_long_and_soft() -> None:
    hard, soft = style_of(moods(tenderness=LEAST)), style_of(moods(tenderness=MOST))
    assert soft.legato > 3 * hard.legato
    assert soft.attack_s > 20 * hard.attack_s


def test_all_notes_begin_inside_the_loop() -> None:
    score = compose(moods(energy=MOST, dance=MOST), random())
    starts = [event.start for part in score[1:] for event in part]
    assert min(starts) >= 0
    assert max(starts) < BEATS_A_BAR * BARS


def test_melody_and_chords_use_the_notes_of_the_scale() -> None:
    score = compose(moods(valence=MOST, tension=LEAST), random())
    heard = {note.pitch % 12 for note in [*score.melody, *score.bass, *score.chords] if note.velocity > 0}
    scales = [{(root + step) % 12 for step in score.style.scale} for root in range(12)]
    assert any(heard <= scale for scale in scales)


def test_pitch_is_the_degree_in_the_octave_above_the_lowest() -> None:
    style = style_of(moods(valence=0.9))  # Ionian
    assert style.scale == (0, 2, 4, 5, 7, 9, 11)
    assert pitch(style, root=0, degree=0, lowest=60) == 60  # C4 on C
    assert pitch(style, root=0, degree=4, lowest=60) == 67  # its fifth
    assert pitch(style, root=2, degree=6, lowest=60) == 61  # C sharp, the leading note of D
    assert pitch(style, root=2, degree=7, lowest=60) == 62  # D again


def test_moods_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match=r"shape \(5,\), not \(4,\)"):
        compose(np.zeros(4), random())
