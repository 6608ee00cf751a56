"""Random generators that depend on what they are for, not on what was drawn before them."""

import hashlib

import numpy as np


def generator(seed: int, *purpose: str | int) -> np.random.Generator:
    """A generator for one purpose, e.g. `generator(0, "music", 17)`; purposes are independent of one another."""
    text = "\0".join([str(seed), *map(str, purpose)])
    return np.random.default_rng(int.from_bytes(hashlib.sha256(text.encode()).digest()))
