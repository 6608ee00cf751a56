"""Elicitation chains: people who add, rate and flag tags of a song in turn, and what the chains add up to.

The rule of STEP-Tag (paper section 4.1), as in `build.elicitation`. How often a term comes to mind is decided first:
the terms of a language go to fewer and fewer chains, each to those whose songs it fits best, so that the terms with
the highest scores are the language's rated terms.
"""

from collections import Counter
from typing import NamedTuple

import numpy as np

from build.synthetic.moods import Reals
from build.synthetic.people import panel_id
from build.synthetic.seeds import generator
from build.synthetic.vocabulary import Vocabulary
from build.tables import match_key

SETS, PEOPLE_A_CHAIN, SHORTER_CHAINS = 2, 10, 0.15
SONGS, LOCAL_SONGS = 20, 2
ELICITORS = 60
MOST_COMMON, LEAST_COMMON = 0.9, 0.3  # shares of the chains in which the first and the last term are thought of
FLAGS_TO_LEAVE = 3
LAST_ADDING_STEP = 8
VARIANT, CAPITAL = 0.15, 0.04  # chances that a term is spelt otherwise
RARE, UNFIT = 0.4, 0.5  # tags a chain
FLAG_UNFIT, FLAG_FITTING, ADD_AGAIN = 0.7, 0.01, 0.5


class Act(NamedTuple):
    """What one person did to one tag in one step of a chain; `rating` is None unless the action is `rate`."""

    song: int
    chain_set: int
    chain: int
    step: int
    participant: str
    tag: str
    action: str
    rating: int | None


class Scored(NamedTuple):
    """A term of the lexicon: occurrences, mean of all ratings of its variants, and the sum of the variants' scores."""

    term: str
    frequency: int
    mean_rating: float
    score: float


class Idea(NamedTuple):
    """A tag that someone at `step` of a chain will think of; `fit` is the rating that it deserves there."""

    step: int
    tag: str
    fit: float
    unfit: bool


def elicit(seed: int, language: str, words: Vocabulary, expected: Reals, local: list[int]) -> list[Act]:
    """All acts in a language, in order; `expected` has shape (n_songs, n_terms).

    The chains are about 20 songs, among them two of `local`, the songs of the raters' country.
    """
    random = generator(seed, "chains", language)
    others = [song for song in random.permutation(len(expected)).tolist() if song not in local[:LOCAL_SONGS]]
    about = sorted((local[:LOCAL_SONGS] + others)[:SONGS])
    songs = about * SETS
    ideas = _ideas(songs, words, expected, random)
    people = [panel_id(seed, "elicitor", language, number) for number in range(ELICITORS)]
    acts: list[Act] = []
    for chain, song in enumerate(songs):
        length = PEOPLE_A_CHAIN - int(random.random() < SHORTER_CHAINS)
        chosen = [people[place] for place in random.permutation(ELICITORS)[:length]]
        acts += _chain(song, 1 + chain // len(about), chain + 1, chosen, ideas[chain], random)
    return acts


def _ideas(songs: list[int], words: Vocabulary, expected: Reals, random: np.random.Generator) -> list[list[Idea]]:
    """What will come to mind in each chain, and when."""
    tags: list[list[tuple[str, float, bool]]] = [[] for _ in songs]
    for rank, term in enumerate(words.terms):
        share = MOST_COMMON + (LEAST_COMMON - MOST_COMMON) * rank / max(1, len(words.terms) - 1)
        fit = expected[songs, rank]
        likely = np.argsort(-(fit + random.gumbel(0.0, 0.5, len(songs))), kind="stable")
        for chain in likely[: round(share * len(songs))]:
            tags[chain].append((_spelling(term, words, random), float(fit[chain]) + 0.6, False))
    for chain in tags:
        chain += [(str(tag), 2.6, False) for tag in _some(words.rare, RARE, random)]
        chain += [(str(tag), 1.4, True) for tag in _some(words.unfit, UNFIT, random)]
    return [_timed([chain[place] for place in random.permutation(len(chain))]) for chain in tags]


def _some(tags: list[str], mean: float, random: np.random.Generator) -> list[str]:
    return [tag for tag in tags if random.random() < mean / len(tags)]


def _spelling(term: str, words: Vocabulary, random: np.random.Generator) -> str:
    spellings = [variant for variant, meant, _ in words.variants if meant == term]
    if spellings and random.random() < VARIANT:
        return str(random.choice(spellings))
    return term.capitalize() if random.random() < CAPITAL else term


def _timed(tags: list[tuple[str, float, bool]]) -> list[Idea]:
    """Spread over the steps of a chain, more of them at its beginning."""
    when = [1 + int(LAST_ADDING_STEP * (place / len(tags)) ** 1.5) for place in range(len(tags))]
    return [Idea(step, *tag) for step, tag in zip(when, tags, strict=True)]


def _chain(
    song: int, chain_set: int, chain: int, people: list[str], ideas: list[Idea], random: np.random.Generator
) -> list[Act]:
    known = {idea.tag: idea for idea in ideas}
    shown: dict[str, int] = {}  # tag -> flags so far, in the order of adding
    left: list[str] = []
    acts: list[Act] = []
    for step, person in enumerate(people, start=1):
        answers = [(tag, *_answer(known[tag], random)) for tag in shown]
        added = [idea.tag for idea in ideas if idea.step == step]
        added += [tag for tag in left[:1] if random.random() < ADD_AGAIN]
        acts += [Act(song, chain_set, chain, step, person, *answer) for answer in answers]
        acts += [Act(song, chain_set, chain, step, person, tag, "add", None) for tag in added]
        for tag, action, _ in answers:
            shown[tag] += action == "flag"
        left = [tag for tag in left if tag not in added] + [tag for tag in shown if shown[tag] >= FLAGS_TO_LEAVE]
        shown = {tag: flags for tag, flags in shown.items() if flags < FLAGS_TO_LEAVE} | dict.fromkeys(added, 0)
    return acts


def _answer(idea: Idea, random: np.random.Generator) -> tuple[str, int | None]:
    if random.random() < (FLAG_UNFIT if idea.unfit else FLAG_FITTING):
        return "flag", None
    return "rate", int(np.clip(np.rint(idea.fit + random.normal(0.0, 0.9)), 1, 5))


def lexicon(acts: list[Act], words: Vocabulary) -> list[Scored]:
    """The terms by falling score, ties by name.

    A tag's score is the number of chains that end with it times the mean of the ratings it has had since it was last
    added there; a term's is the sum over its spellings. Terms that nobody rated are left out.
    """
    ratings = _surviving_ratings(acts)
    occurrences = Counter(tag for _, tag in ratings)
    pooled: dict[str, list[int]] = {}
    for (_, tag), given in ratings.items():
        pooled.setdefault(tag, []).extend(given)
    meant = {match_key(tag): tag for tag in [*words.terms, *words.rare, *words.unfit]}
    meant |= {match_key(variant): term for variant, term, _ in words.variants}
    spellings: dict[str, list[str]] = {}
    for tag in sorted(tag for tag, given in pooled.items() if given):
        spellings.setdefault(meant[tag], []).append(tag)
    scored = [_scored(term, tags, occurrences, pooled) for term, tags in spellings.items()]
    return sorted(scored, key=lambda entry: (-entry.score, entry.term))


def _surviving_ratings(acts: list[Act]) -> dict[tuple[int, str], list[int]]:
    """(chain, tag in matching form) -> ratings, of the tags that are there when their chain ends."""
    ratings: dict[tuple[int, str], list[int]] = {}
    flags: Counter[tuple[int, str]] = Counter()
    for act in acts:
        key = (act.chain, match_key(act.tag))
        if act.action == "add":
            ratings[key], flags[key] = [], 0
        elif act.rating is not None:
            ratings[key].append(act.rating)
        else:
            flags[key] += 1
    return {key: given for key, given in ratings.items() if flags[key] < FLAGS_TO_LEAVE}


def _scored(term: str, tags: list[str], occurrences: Counter[str], pooled: dict[str, list[int]]) -> Scored:
    ratings = [rating for tag in tags for rating in pooled[tag]]
    score = sum(occurrences[tag] * sum(pooled[tag]) / len(pooled[tag]) for tag in tags)
    return Scored(term, sum(occurrences[tag] for tag in tags), sum(ratings) / len(ratings), score)
