"""When things happen in one conversation: turns in sessions, and questions placed by their evidence."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.errors import ConfigError
from memgauge.studies.shift.protocol.spec import QuestionPlacement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from memgauge.datasets.base import Dataset
    from memgauge.records import Case, Gold, Turn
    from memgauge.studies.shift.protocol.spec import ShiftSpec

    Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class PlacedQuestion:
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
class QuestionTimeline:
    """One conversation with the questions that the study asks about it, in the order of asking."""

    conversation: str
    turns: tuple[Turn, ...]
    session: Ints
    """(T,) number of the session of each turn, from 0."""
    sessions: tuple[str, ...]
    questions: tuple[PlacedQuestion, ...]


def timeline(case: Case, golds: Sequence[Gold], spec: ShiftSpec) -> QuestionTimeline:
    """Place the questions of *case* that have evidence, and the wanted category, on its turns."""
    sessions = case.conversation.sessions
    session = np.array([number for number, s in enumerate(sessions) for _ in s.turns], dtype=np.int64)
    turns = tuple(case.conversation.turns())
    places = sorted(_placed(case, golds, spec, {turn.id: n for n, turn in enumerate(turns)}, session))
    counts: Counter[int] = Counter()
    questions = []
    for after, number, anchors in places:
        segment = int(session[after])
        counts[segment] += 1
        question = case.questions[number]
        questions.append(PlacedQuestion(question.id, question.text, anchors, after, segment, counts[segment]))
    return QuestionTimeline(case.conversation.id, turns, session, tuple(s.id for s in sessions), tuple(questions))


def timelines(dataset: Dataset, spec: ShiftSpec) -> list[QuestionTimeline]:
    """Place all questions of a dataset.

    Raises:
        ConfigError: It has no sessions, or nothing is asked after a boundary.
    """
    gold = dataset.gold()
    lines = [timeline(case, [next(gold) for _ in case.questions], spec) for case in dataset.cases()]
    name = dataset.identity.ref
    if all(len(line.sessions) < 2 for line in lines):
        raise ConfigError(
            f"{name} has no session boundaries.", "The shift study needs several sessions a conversation."
        )
    placed_questions = [question for line in lines for question in line.questions]
    if not placed_questions:
        raise ConfigError(
            f"No question of {name} that is asked here has a turn as evidence.",
            "The shift study needs labelled turns; check its categories.",
        )
    if not any(question.segment > 0 for question in placed_questions):
        raise ConfigError(
            f"No question of {name} with evidence is asked after a session boundary.",
            "Check its categories, or ask at the end with --place as_asked."
            if spec.place is not QuestionPlacement.AS_ASKED
            else "Check its categories.",
        )
    return lines


def _ends(case: Case) -> Iterator[tuple[str | None, int]]:
    """Yield the last turn said by the end of each session; one in which nothing was said ends where it began."""
    turns = 0
    for session in case.conversation.sessions:
        turns += len(session.turns)
        yield session.id, max(turns - 1, 0)


def _placed(
    case: Case, golds: Sequence[Gold], spec: ShiftSpec, number: dict[str, int], session: Ints
) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Yield (turn that it follows, number in the dataset, anchors) of every question that is asked."""
    ends = dict(_ends(case))
    for place, (question, gold) in enumerate(zip(case.questions, golds, strict=True)):
        anchors = tuple(number[turn] for turn in gold.anchors())
        if not anchors or (spec.categories and question.category not in spec.categories):
            continue
        last_turn = max(anchors)
        if spec.place is QuestionPlacement.AS_ASKED:
            last_turn = ends.get(question.after_session, len(session) - 1)
        elif spec.place is QuestionPlacement.SESSION_END:
            last_turn = int(np.flatnonzero(session == session[last_turn])[-1])
        yield last_turn, place, anchors
