"""What the chains of a language add up to: occurrences, means and scores of tags, and of terms with their variants."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import pyarrow as pa

from build.elicitation.chain import Standing
from build.tables import LEXICON, TERMS, conform, match_key


@dataclass
class Tag:
    """A tag over all chains of a language: how often each spelling occurred, and all ratings of these occurrences."""

    spellings: Counter[str] = field(default_factory=Counter)
    ratings: list[int] = field(default_factory=list)

    @property
    def occurrences(self) -> int:
        """The number of chains that the tag was in when they ended."""
        return self.spellings.total()

    @property
    def name(self) -> str:
        """The most frequent spelling; of equally frequent ones the first by name."""
        return min(self.spellings, key=lambda spelling: (-self.spellings[spelling], spelling))

    @property
    def score(self) -> Fraction:
        """Occurrences times mean rating, exactly."""
        return Fraction(self.occurrences * sum(self.ratings), len(self.ratings))


def collect(standings: Iterable[tuple[str, Standing]]) -> dict[str, Tag]:
    """Tags by matching form, from (matching form, standing) of every tag at the end of every chain of a language."""
    tags: dict[str, Tag] = {}
    for key, standing in standings:
        tag = tags.setdefault(key, Tag())
        tag.spellings[standing.tag] += 1
        tag.ratings += standing.ratings
    return tags


def lexicon(language: str, tags: Mapping[str, Tag], variants: Mapping[str, str]) -> pa.Table:
    """LEXICON of one language, best score first, ties by name; tags without ratings are left out.

    `variants` maps the matching form of a variant to its term; a term named there is spelt as there.
    """
    merged: dict[str, dict[str, Tag]] = {}
    for key, tag in tags.items():
        if tag.ratings:
            merged.setdefault(match_key(variants.get(key, key)), {})[key] = tag
    spelt = {match_key(term): term for term in variants.values()}
    entries = [_entry(term_id, spelt.get(term_id), parts) for term_id, parts in merged.items()]
    entries.sort(key=lambda entry: (-entry["score"], entry["term"]))
    rows = [{**entry, "language": language, "score": float(entry["score"])} for entry in entries]
    return conform(pa.Table.from_pylist(rows, LEXICON), LEXICON)


def _entry(term_id: str, spelt: str | None, parts: Mapping[str, Tag]) -> dict[str, Any]:
    ratings = [rating for tag in parts.values() for rating in tag.ratings]
    return {
        "term_id": term_id,
        "term": spelt or parts[term_id].name,
        "frequency": sum(tag.occurrences for tag in parts.values()),
        "mean_rating": sum(ratings) / len(ratings),
        "score": sum(tag.score for tag in parts.values()),
        "variants": sorted(tag.name for key, tag in parts.items() if key != term_id),
    }


def top_terms(entries: pa.Table, number: int) -> pa.Table:
    """TERMS: the first `number` entries of one language's lexicon, ranked from 1."""
    top = entries.slice(0, number)
    return conform(top.append_column("rank", pa.array(range(1, top.num_rows + 1), pa.int16())), TERMS)
