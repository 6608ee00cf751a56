"""Raters and their answers: 7 terms each, the same throughout, one song rated twice, and a few who do not listen."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from build.synthetic.moods import Reals
from build.synthetic.seeds import generator

Whole = NDArray[np.int64]

RATERS_A_CELL, RATERS_A_CELL_SD = 8.38, 2.40  # raters a song and term, paper section 4.2
TERMS_A_RATER = 7
TRIALS_CV = 0.3  # coefficient of variation of the songs a rater hears
CARELESS = ("straightlining", "straightlining", "straightlining", "random", "random", "few", "few")
FEW_TRIALS = 5
ATTEMPTS = 32  # draws of who hears what, of which the one closest to RATERS_A_CELL_SD is taken
BIAS_SD, SCALE_SD, TASTE_SD, NOISE_SD = 0.4, 0.2, 0.65, 0.6  # points on the scale; SCALE_SD is of a logarithm


class Panel(NamedTuple):
    """The raters of a language: `ids` look like a panel's, `kinds` are `attentive` or one of `CARELESS`.

    `trials[i]` are the songs that rater i hears, in order, without the one that is heard again at the end;
    `terms[i]` are the terms that rater i rates.
    """

    ids: list[str]
    kinds: list[str]
    trials: list[Whole]
    terms: list[Whole]


class Answers(NamedTuple):
    """Ratings in the order in which they were given: indices of rater, song and term, and the answer from 1 to 5."""

    rater: Whole
    song: Whole
    term: Whole
    rating: Whole


def panel_id(seed: int, *purpose: str | int) -> str:
    """An id in the style of a crowdsourcing panel: 24 hex digits."""
    return generator(seed, "panel", *purpose).bytes(12).hex()


def recruit(seed: int, language: str, n_songs: int, n_terms: int) -> Panel:
    """Raters who together give each song and term 8.38 answers on average, with a standard deviation close to 2.40."""
    panels = [_panel(seed, language, n_songs, n_terms, attempt) for attempt in range(ATTEMPTS)]
    panel = min(panels, key=lambda panel: abs(raters_a_cell(panel, n_songs, n_terms).std() - RATERS_A_CELL_SD))
    return panel._replace(ids=[panel_id(seed, "rater", language, number) for number in range(len(panel.kinds))])


def raters_a_cell(panel: Panel, n_songs: int, n_terms: int) -> Whole:
    """How many raters answer each song and term, shape (n_songs, n_terms)."""
    counts = np.zeros((n_songs, n_terms), np.int64)
    for songs, terms in zip(panel.trials, panel.terms, strict=True):
        counts[np.ix_(songs, terms)] += 1
    return counts


def _panel(seed: int, language: str, n_songs: int, n_terms: int, attempt: int) -> Panel:
    """Raters, without ids as yet, who each hear a random subset of the songs.

    A cell's count is then a sum of independent draws: its variance is its mean times one minus the share of the songs
    that a rater hears (weighted by that share). From the variance wanted follows how many raters there are.
    """
    random = generator(seed, "raters", language, attempt)
    a_rater = min(TERMS_A_RATER, n_terms)
    n_trials = round(RATERS_A_CELL * n_songs * n_terms / a_rater)
    share = (1 - RATERS_A_CELL_SD**2 / RATERS_A_CELL) / (1 + TRIALS_CV**2)
    n_raters = round(n_trials / (n_songs * share))
    kinds = [*CARELESS, *["attentive"] * n_raters][:n_raters]
    kinds = [kinds[place] for place in random.permutation(n_raters)]
    loads = _loads(n_trials, n_songs, kinds, random)
    return Panel(
        [],
        kinds,
        [random.choice(n_songs, load, replace=False) for load in loads],
        _shared_out(loads, n_terms, a_rater, random),
    )


def _loads(n_trials: int, n_songs: int, kinds: list[str], random: np.random.Generator) -> Whole:
    """How many songs each rater hears: `n_trials` in all, never more than there are."""
    few = np.array([kind == "few" for kind in kinds])
    appetite = np.where(few, 0.0, random.lognormal(0.0, TRIALS_CV, len(kinds)))
    loads = np.where(few, FEW_TRIALS, np.floor(appetite / appetite.sum() * (n_trials - FEW_TRIALS * few.sum())))
    loads = np.minimum(loads, n_songs).astype(np.int64)
    while loads.sum() < n_trials:
        free = np.flatnonzero(~few & (loads < n_songs))
        loads[random.permutation(free)[: n_trials - loads.sum()]] += 1
    return loads


def _shared_out(loads: Whole, n_terms: int, a_rater: int, random: np.random.Generator) -> list[Whole]:
    """The terms of each rater: the ones that raters before have answered least, ties at random."""
    answered = np.zeros(n_terms)
    terms: list[Whole] = []
    for load in loads:
        least = np.lexsort((random.random(n_terms), answered))[:a_rater]
        answered[least] += load
        terms.append(random.permutation(least))
    return terms


def answer(seed: int, language: str, panel: Panel, expected: Reals) -> Answers:
    """What the raters answer; a listener without bias or noise would answer `expected`, shape (n_songs, n_terms)."""
    parts = []
    for number, (kind, songs, terms) in enumerate(zip(panel.kinds, panel.trials, panel.terms, strict=True)):
        heard, ratings = _rater(kind, songs, terms, expected, generator(seed, "answers", language, number))
        rater, song = np.full(ratings.size, number), np.repeat(heard, len(terms))
        parts.append((rater, song, np.tile(terms, len(heard)), ratings.ravel()))
    return Answers(*map(np.concatenate, zip(*parts, strict=True)))


def _rater(kind: str, songs: Whole, terms: Whole, expected: Reals, random: np.random.Generator) -> tuple[Whole, Whole]:
    """The songs in the order heard, the last one a repeat, and the answers, shape (n_songs + 1, n_terms).

    Someone's taste for a song and term is the same at the repeat, the noise of the moment is not.
    """
    again = int(random.integers(len(songs)))
    heard = np.append(songs, songs[again])
    shape = (len(songs), len(terms))
    felt = (expected[np.ix_(songs, terms)] - 3.0) * random.lognormal(0.0, SCALE_SD) + random.normal(0.0, BIAS_SD)
    felt = felt + random.normal(0.0, TASTE_SD, shape)
    felt = np.vstack([felt, felt[again]]) + random.normal(0.0, NOISE_SD, (shape[0] + 1, shape[1]))
    if kind == "straightlining":
        return heard, np.full(felt.shape, random.integers(2, 5))
    if kind == "random":
        return heard, random.integers(1, 6, felt.shape)
    return heard, np.clip(np.rint(felt + 3.0), 1, 5).astype(np.int64)
