"""The questions, in the raters' languages: rows of `metadata/prompts.csv`."""

from collections.abc import Sequence
from functools import cache

from build import vocab
from build.errors import InputError
from build.workspace import METADATA

FILE = METADATA / "prompts.csv"
RATE, ANSWER, EXAMPLE, COMMENTS, TAGS = "rate", "answer", "example", "comments", "tags"


@cache
def _texts() -> dict[tuple[str, str, str], str]:
    rows = vocab.read_rows(FILE, ("task", "language", "role", "text"))
    return {(row["task"], row["language"], row["role"]): row["text"] for row in rows}


def prompt(task: str, language: str, role: str) -> str:
    """The text of a role; InputError naming the row that is missing."""
    text = _texts().get((task, language, role))
    if text is None:
        raise InputError(f"{FILE}: no row for {task}, {language}, {role}; add one to ask in that language")
    return text


def mood_question(language: str, term: str) -> str:
    """The paper's question about a term, in the language of the term."""
    return prompt("globalmood", language, RATE).format(term=term)


def mood_example(language: str, ratings: Sequence[tuple[str, float]]) -> str:
    """What precedes a question when a rated song is heard first: its terms and mean ratings."""
    listed = ", ".join(f"{term} {mean:.1f}" for term, mean in ratings)
    return prompt("globalmood", language, EXAMPLE).format(ratings=listed)


def aesthetics_question(dimension: str, definition: str) -> str:
    """The question about a dimension of MADB."""
    return prompt("madb", "english", RATE).format(dimension=dimension.replace("_", " "), definition=definition)


def aesthetics_context(comments: Sequence[str], tags: str) -> list[str]:
    """What else a model is told about a track: comments and tags, where there are any."""
    told = []
    if comments:
        listed = "\n".join(f"- {comment}" for comment in comments)
        told.append(prompt("madb", "english", COMMENTS).format(comments="\n" + listed))
    if tags:
        told.append(prompt("madb", "english", TAGS).format(tags=tags))
    return told
