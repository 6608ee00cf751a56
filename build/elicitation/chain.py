"""One elicitation chain, replayed: a pure reducer from a state and a step to the next state.

The rule is told in `build.elicitation`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

MOST_PEOPLE = 10  # people a chain, paper section 4.1
MOST_FLAGS = 2  # a tag flagged by more people than this leaves its chain, paper section 4.1


class Act(NamedTuple):
    """What a person did to a tag, whose matching form is `key`: `add`, `flag`, or `rate` (which alone has a rating).

    `row` is its place in the table of acts, from 1.
    """

    action: str
    key: str
    tag: str
    rating: int | None
    row: int


class Step(NamedTuple):
    """All acts of one person at one step number."""

    number: int
    participant: int
    acts: tuple[Act, ...]


class Standing(NamedTuple):
    """A tag in a chain: the spelling in which it was added, and the ratings and flags that it has had since."""

    tag: str
    ratings: tuple[int, ...] = ()
    flags: int = 0


@dataclass(frozen=True)
class State:
    """A chain between two people: the next one is shown the tags of `shown`; `number` is that of the last step."""

    shown: Mapping[str, Standing] = field(default_factory=lambda: MappingProxyType({}))
    people: frozenset[int] = frozenset()
    number: int | None = None


LeftOut = list[tuple[Act, str]]  # acts that do not count, each with its reason


def replay(steps: Iterable[Step]) -> tuple[State, LeftOut]:
    """The end of a chain, and the acts that do not count.

    Steps are taken by number; at one number whoever has the most acts comes first, then the lower participant.
    """
    state, left_out = State(), []
    for step in sorted(steps, key=lambda step: (step.number, -len(step.acts), step.participant)):
        state, out = advance(state, step)
        left_out += out
    return state, left_out


def advance(state: State, step: Step) -> tuple[State, LeftOut]:
    """The state after a step, and the acts that do not count; a step that contradicts the state changes nothing."""
    contradiction = _contradiction(state, step)
    if contradiction:
        return state, [(act, contradiction) for act in step.acts]
    shown = dict(state.shown)
    done: set[tuple[str, str]] = set()
    left_out = []
    for act in sorted(step.acts):
        if (act.action, act.key) in done or (act.action == "add" and act.key in state.shown):
            left_out.append((act, "shown_already" if act.action == "add" else "answered_twice"))
        else:
            done.add((act.action, act.key))
            shown[act.key] = _after(shown.get(act.key), act)
    kept = {key: standing for key, standing in shown.items() if standing.flags <= MOST_FLAGS}
    return State(MappingProxyType(kept), state.people | {step.participant}, step.number), left_out


def _contradiction(state: State, step: Step) -> str | None:
    if step.participant in state.people:
        return "person_again"
    if len(state.people) == MOST_PEOPLE:
        return "chain_full"
    if step.number == state.number:
        return "step_taken"
    if any(act.action != "add" and act.key not in state.shown for act in step.acts):
        return "tag_not_shown"
    return None


def _after(standing: Standing | None, act: Act) -> Standing:
    if standing is None:
        return Standing(act.tag)
    if act.rating is None:
        return standing._replace(flags=standing.flags + 1)
    return standing._replace(ratings=(*standing.ratings, act.rating))
