"""A song's text: its mood terms, each repeated in proportion to its mean rating (paper section 5.1; pure)."""

from collections.abc import Callable, Sequence

import numpy as np

from build.analysis.correlation import Floats

TokenCount = Callable[[str], int]


def repetitions(means: Floats) -> list[int]:
    """How often each term stands in the text: its mean rating rounded to a whole number, halves up; 0 if not rated."""
    return [int(np.floor(mean + 0.5)) if np.isfinite(mean) else 0 for mean in means]


def caption(
    terms: Sequence[str], means: Floats, budget: int, count_tokens: TokenCount, rng: np.random.Generator
) -> tuple[str, bool]:
    """Return the text of a song in chance order, and whether it had to be sampled.

    Parameters
    ----------
    terms, means : the terms of a language and the song's mean ratings, NaN where nobody rated
    budget : tokens that the text may have
    count_tokens : tokens of a term within a text

    Where all repetitions outgrow the budget, terms are drawn in proportion to their mean ratings until the next one
    would not fit. Raises ValueError where no term is rated.
    """
    counts = repetitions(means)
    if not any(counts):
        raise ValueError("no term is rated")
    words = [term for term, count in zip(terms, counts, strict=True) for _ in range(count)]
    tokens = {term: count_tokens(term) for term in terms}
    if sum(tokens[word] for word in words) <= budget:
        return " ".join(rng.permutation(words)), False
    return " ".join(_sampled(terms, np.nan_to_num(means), budget, tokens, rng)), True


def _sampled(
    terms: Sequence[str], means: Floats, budget: int, tokens: dict[str, int], rng: np.random.Generator
) -> list[str]:
    words: list[str] = []
    while budget > 0:
        word = terms[int(rng.choice(len(terms), p=means / means.sum()))]
        budget -= tokens[word]
        if budget >= 0 or not words:
            words.append(word)
    return words
