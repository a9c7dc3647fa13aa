"""One history with its questions, whatever form it was written in."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memgauge.datasets.personamem.schema import REMEDY
from memgauge.records import Case, Choices, Conversation, Gold, Question

if TYPE_CHECKING:
    from collections import defaultdict
    from collections.abc import Iterable, Mapping

    from memgauge.datasets.personamem.history import PersonaHistory
    from memgauge.datasets.places import FieldPath


class PersonaEntry(NamedTuple):
    """One history with its questions."""

    case: Case
    golds: tuple[Gold, ...]
    choices: tuple[Choices, ...]
    system_turns: int


class PersonaQuestion(NamedTuple):
    """One question as it is written."""

    place: FieldPath
    key: str
    kind: str
    text: str
    options: tuple[str, ...]
    right: int
    end: int | str
    """How many messages of the history come before it; in the reshaped copy, the last session before it."""


def put_together(
    name: str,
    history: PersonaHistory,
    asked: Iterable[PersonaQuestion],
    last_before: Mapping[int | str, str | None],
) -> PersonaEntry:
    """Make an entry of a history and what is asked about it; nothing in it is labelled as evidence.

    Raises:
        MalformedDataError: A question is asked before anything was said.
    """
    questions, golds, choices = [], [], []
    for each in asked:
        after = last_before[each.end]
        if after is None:
            raise each.place.wrong("it is asked before anything was said", REMEDY)
        questions.append(Question(each.key, name, each.text, each.kind, None, after))
        right = each.options[each.right]
        golds.append(Gold(each.key, answers=(right,), raw_answer=right))
        choices.append(Choices(each.key, each.text, each.options, each.right))
    case = Case(Conversation(name, history.sessions), tuple(questions))
    return PersonaEntry(case, tuple(golds), tuple(choices), history.system_turns)


def named_once(key: str, seen: defaultdict[str, int]) -> str:
    """Return the id of a question; one that occurs again is numbered."""
    seen[key] += 1
    return key if seen[key] == 1 else f"{key}#{seen[key]}"
