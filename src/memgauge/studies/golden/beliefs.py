"""Cases of beliefs as scenarios: what must come back, and what must stay away, of what a user holds.

Every belief is said with a token of its own. One that was superseded sets the slot of its successor before it, so
that the ledger knows that it is past, and its successor is asked for too. What the language can say of "nothing
else" is that: no superseded belief and none of a stranger comes back, however many hits are asked for. How pure a
set is, and whether an empty one stays empty, is what the measures of a run say; those questions are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from memgauge.studies.golden.scenario import Scenario
from memgauge.studies.golden.writer import variable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.datasets.precisionmembench.dataset import PrecisionMemBench
    from memgauge.datasets.precisionmembench.schema import BeliefEntry
    from memgauge.records import Case, Gold, Question, Turn

PAPER: Final = "arXiv 2605.11325"
_LINK: Final = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True)
class BeliefScenarios:
    """What became of the cases."""

    scenarios: tuple[Scenario, ...]
    empty: tuple[str, ...]
    """Questions that call for nothing, which no scenario asks."""


def scenarios_of(dataset: PrecisionMemBench) -> BeliefScenarios:
    """Write a scenario for every question of *dataset* that calls for a belief."""
    beliefs = {belief.id: belief for belief in dataset.beliefs().entries}
    golds = iter(dataset.gold())
    scenarios, empty = list[Scenario](), list[str]()
    for case in dataset.cases():
        for question, gold in zip(case.questions, golds, strict=False):
            if gold.evidence:
                scenarios.append(_scenario(case, question, gold, beliefs))
            else:
                empty.append(question.id)
    return BeliefScenarios(tuple(scenarios), tuple(empty))


def _scenario(case: Case, question: Question, gold: Gold, beliefs: Mapping[str, BeliefEntry]) -> Scenario:
    turns = _told(case, question)
    slots = {turn.id: slot_of(turn.id, beliefs) for turn in turns}
    names = {turn.id: variable(number) for number, turn in enumerate(turns)}
    wanted = gold.anchors()
    steps: list[dict[str, Any]] = [*_strangers(turns, beliefs, variable(len(turns)))]
    steps += [{"user": "holder"}, {"session": "beliefs"}]
    steps += [_saying(turn.text, names[turn.id], slots[turn.id]) for turn in turns]
    steps.append({"session": "question"})
    current = [turn for turn in turns if turn.id in _successors(turns, beliefs)]
    asked = [(question.text, name) for name in wanted] + [(turn.text, turn.id) for turn in current]
    steps += [
        {"ask": _plain(text), "about": slots[name], "k": len(turns), "layers": ["recall"]} for text, name in asked
    ]
    return Scenario.model_validate(
        {
            "id": f"precisionmembench.{_LINK.sub('-', question.id.casefold()).strip('-')}",
            "title": f"{len(wanted)} of {len(turns)} beliefs, and none that is past ({question.category})",
            "family": "beliefs",
            "provenance": {"kind": "paper", "ref": f"PrecisionMemBench, {PAPER}"},
            "kills": ("null", *(["append-only"] if current else [])),
            "steps": steps,
        }
    )


def _told(case: Case, question: Question) -> Sequence[Turn]:
    """Return what is believed when *question* is asked, in the order in which it is told."""
    sessions = list(case.conversation.sessions)
    if question.after_session is not None:
        names = [session.id for session in sessions]
        sessions = sessions[: names.index(question.after_session) + 1]
    return [turn for session in sessions for turn in session.turns]


def _successors(turns: Sequence[Turn], beliefs: Mapping[str, BeliefEntry]) -> frozenset[str]:
    """Return what has taken the place of a belief that is told."""
    past = (beliefs[turn.id] for turn in turns if turn.id in beliefs)
    return frozenset(slot_of(belief.id, beliefs) for belief in past if belief.superseded_by)


def slot_of(name: str, beliefs: Mapping[str, BeliefEntry]) -> str:
    """Return the slot of a belief: that of the last one that has taken its place."""
    seen = {name}
    while (belief := beliefs.get(name)) and belief.superseded_by and belief.superseded_by not in seen:
        name = belief.superseded_by
        seen.add(name)
    return name


def _saying(text: str, name: str, slot: str) -> dict[str, Any]:
    return {"say": f"{_plain(text)} Its mark is {{{name}}}.", "sets": {slot: name}}


def _strangers(turns: Sequence[Turn], beliefs: Mapping[str, BeliefEntry], name: str) -> Iterator[dict[str, Any]]:
    """Let somebody else say one of their beliefs first: it must not come back."""
    holders = {beliefs[turn.id].user_id for turn in turns if turn.id in beliefs}
    foreign = next((belief for belief in beliefs.values() if belief.user_id not in holders), None)
    if foreign is not None:
        yield from ({"user": "stranger"}, {"session": "other"}, _saying(foreign.content, name, foreign.id))


def _plain(text: str) -> str:
    """Write a text without braces, which are variables in the language of scenarios."""
    return text.replace("{", "(").replace("}", ")")
