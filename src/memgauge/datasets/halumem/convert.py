"""From a HaluMem user to a conversation, questions and gold, under one of two readings of what a turn is.

* ``dialogue``: a turn is a message. Evidence is a text without an id and never a message, so no turn is gold; the
  sessions whose memory points the evidence equals are.
* ``points``: a turn is a memory point, as ShiftBench reads the set. Interference points stay in their places: they
  say what the assistant, not the user, brought up, and that a good memory does not rely on. They are traps.

Users are named by ``uuid``: their full names are drawn from lists and may repeat. An update quotes what was true
before, but most quotes equal no point, so which turns are stale is not said.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from memgauge.records import Case, Conversation, Evidence, Gold, Point, Question, Session, Turn
from memgauge.text.normalise import fold

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.datasets.halumem.schema import HaluMemQuestion, SessionEntry, UserEntry
    from memgauge.datasets.places import FieldPath

DIALOGUE = "dialogue"
POINTS = "points"
TRAP = "interference"
"""The source of a memory point that is not true."""
BOUNDARY = "memory-boundary"
"""The type whose right reply is that the user never said it."""

_NAME = re.compile(r"Name:\s*(.*?); Gender:")


class PointPlace(NamedTuple):
    """Which memory point of which session, both counted from 0."""

    session: int
    point: int


class Points:
    """The memory points of one user by their folded text: where that of a piece of evidence is found again."""

    def __init__(self, user: UserEntry) -> None:
        self._places: defaultdict[str, list[PointPlace]] = defaultdict(list)
        for number, session in enumerate(user.sessions):
            for position, point in enumerate(session.memory_points):
                self._places[fold(point.memory_content)].append(PointPlace(number, position))

    def equal_to(self, text: str, until: int) -> tuple[PointPlace, ...]:
        """Find every point of the sessions up to *until* whose folded text is that of *text*, in order."""
        return tuple(place for place in self._places.get(fold(text), ()) if place.session <= until)


def entry_of(place: FieldPath, user: UserEntry, units: str) -> tuple[Case, tuple[Gold, ...]]:
    """Convert one user."""
    name = _NAME.search(user.persona_info)
    if name is None:
        raise place.at("persona_info").wrong("no `Name: …; Gender:` is in it", "Mend that field.")
    points = Points(user)
    turns_of = _points if units == POINTS else _messages
    sessions, questions, golds = [], [], []
    for n, entry in enumerate(user.sessions):
        sitting = place.at("sessions", n)
        at = sitting.at("start_time").date(entry.start_time)
        sessions.append(Session(_session_id(n), at, tuple(turns_of(sitting, n, entry, name[1]))))
        end = sitting.at("end_time").date(entry.end_time)
        for position, asked in enumerate(entry.questions, 1):
            key = f"{user.uuid}:{_session_id(n)}:q{position}"
            category = _slug(asked.question_type)
            questions.append(Question(key, user.uuid, asked.question, category, end, _session_id(n)))
            golds.append(_gold(key, asked, [points.equal_to(e.memory_content, n) for e in asked.evidence], units))
    return Case(Conversation(user.uuid, tuple(sessions)), tuple(questions)), tuple(golds)


def points_of(user: UserEntry) -> Iterator[Point]:
    """Convert the memory points of one user; an update names what was true before."""
    for n, entry in enumerate(user.sessions):
        for place, point in enumerate(entry.memory_points):
            yield Point(
                f"{user.uuid}:{_turn_id(n, place)}",
                user.uuid,
                _session_id(n),
                point.memory_content,
                point.memory_source == TRAP,
                point.importance,
                tuple(point.original_memories) if point.is_update else (),
            )


def _messages(sitting: FieldPath, n: int, entry: SessionEntry, user: str) -> Iterator[Turn]:
    for position, message in enumerate(entry.dialogue):
        at = sitting.at("dialogue", position, "timestamp").date(message.timestamp)
        speaker = user if message.role == "user" else message.role
        yield Turn(_turn_id(n, position), speaker, message.content, _session_id(n), at, message.role)


def _points(sitting: FieldPath, n: int, entry: SessionEntry, user: str) -> Iterator[Turn]:
    for position, point in enumerate(entry.memory_points):
        at = sitting.at("memory_points", position, "timestamp").date(point.timestamp)
        yield Turn(_turn_id(n, position), user, point.memory_content, _session_id(n), at)


def _gold(key: str, asked: HaluMemQuestion, matches: Sequence[tuple[PointPlace, ...]], units: str) -> Gold:
    evidence = tuple(
        Evidence(entry.memory_content, exact=bool(turns), turns=turns)
        for entry, places in zip(asked.evidence, matches, strict=True)
        for turns in [tuple(_turn_id(*place) for place in places) if units == POINTS else ()]
    )
    return Gold(
        question=key,
        evidence=evidence,
        answers=(asked.answer,),
        raw_answer=asked.answer,
        abstain=_slug(asked.question_type) == BOUNDARY,
        sessions=tuple(_session_id(n) for n in sorted({place.session for places in matches for place in places})),
    )


def _slug(question_type: str) -> str:
    """Write ``Generalization & Application`` as ``generalization-application``."""
    return "-".join(re.findall(r"[a-z0-9]+", question_type.lower()))


def _session_id(position: int) -> str:
    return f"S{position + 1}"


def _turn_id(session: int, place: int) -> str:
    return f"{_session_id(session)}:{place + 1}"
