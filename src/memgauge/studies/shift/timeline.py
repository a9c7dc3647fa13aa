"""When things happen in one conversation: turns in sessions, and questions placed by their evidence."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.studies.shift.spec import Place

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from memgauge.records import Case, Gold, Turn
    from memgauge.studies.shift.spec import ShiftSpec

    Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Asked:
    """One question at its place."""

    id: str
    text: str
    anchors: tuple[int, ...]
    """Numbers of its evidence turns."""
    after: int
    """The number of the turn that it follows."""
    segment: int
    """The session in which it is asked."""
    order: int
    """Its place among the questions of that session, from 1."""


@dataclass(frozen=True, eq=False)
class Timeline:
    """One conversation with the questions that the study asks about it, in the order of asking."""

    conversation: str
    turns: tuple[Turn, ...]
    session: Ints
    """(T,) number of the session of each turn, from 0."""
    sessions: tuple[str, ...]
    questions: tuple[Asked, ...]


def timeline(case: Case, golds: Sequence[Gold], spec: ShiftSpec) -> Timeline:
    """Place the questions of *case* that have evidence, and the wanted category, on its turns."""
    sessions = case.conversation.sessions
    session = np.array([number for number, s in enumerate(sessions) for _ in s.turns], dtype=np.int64)
    turns = tuple(case.conversation.turns())
    placed = sorted(_placed(case, golds, spec, {turn.id: n for n, turn in enumerate(turns)}, session))
    seen: Counter[int] = Counter()
    questions = []
    for after, number, anchors in placed:
        segment = int(session[after])
        seen[segment] += 1
        question = case.questions[number]
        questions.append(Asked(question.id, question.text, anchors, after, segment, seen[segment]))
    return Timeline(case.conversation.id, turns, session, tuple(s.id for s in sessions), tuple(questions))


def _placed(
    case: Case, golds: Sequence[Gold], spec: ShiftSpec, number: dict[str, int], session: Ints
) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Yield (turn that it follows, number in the dataset, anchors) of every question that is asked."""
    for place, (question, gold) in enumerate(zip(case.questions, golds, strict=True)):
        anchors = tuple(number[turn] for turn in gold.anchors())
        if not anchors or (spec.categories and question.category not in spec.categories):
            continue
        after = max(anchors)
        if spec.place is Place.SESSION_END:
            after = int(np.flatnonzero(session == session[after])[-1])
        yield after, place, anchors
