from collections import Counter

import numpy as np
import pytest

from build.baselines.clap.captions import caption, repetitions

ONE_TOKEN = {"budget": 1000, "count_tokens": lambda term: 1}


def test_a_term_is_repeated_as_often_as_its_mean_rating_rounded_halves_up():
    assert repetitions(np.array([1.0, 1.49, 1.5, 2.5, 4.8, np.nan])) == [1, 1, 2, 3, 5, 0]


def test_a_text_that_fits_has_every_repetition_in_chance_order():
    means = np.array([4.6, 1.2, np.nan])
    texts = {caption(["sad", "calm", "gay"], means, rng=np.random.default_rng(seed), **ONE_TOKEN) for seed in range(9)}
    assert all(not sampled and Counter(text.split()) == {"sad": 5, "calm": 1} for text, sampled in texts)
    assert len(texts) > 1


def test_a_text_that_outgrows_its_budget_is_drawn_in_proportion_to_the_means():
    rng = np.random.default_rng(0)
    drawn = Counter()
    for _ in range(400):
        text, sampled = caption(["a", "b"], np.array([4.5, 1.5]), 5, lambda term: 1, rng)
        assert sampled
        assert len(text.split()) == 5
        drawn += Counter(text.split())
    assert drawn["a"] / drawn.total() == pytest.approx(4.5 / 6, abs=0.03)


def test_no_more_tokens_than_the_budget():
    rng, tokens = np.random.default_rng(0), {"long": 4, "short": 1}
    for _ in range(50):
        text, _ = caption(list(tokens), np.array([5.0, 5.0]), 9, tokens.__getitem__, rng)
        assert sum(tokens[word] for word in text.split()) <= 9


def test_a_song_without_ratings_has_no_text():
    with pytest.raises(ValueError, match="no term is rated"):
        caption(["a"], np.array([np.nan]), rng=np.random.default_rng(0), **ONE_TOKEN)
