"""From a LongMemEval record to a conversation, a question and gold, with nothing that leaks a label.

Question ids and session ids of the files give labels away (``…_abs``, ``answer_…``). Conversations, sessions and
turns are therefore named by position; the official names survive only in the question's id and in gold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memgauge.datasets.errata import load_errata
from memgauge.datasets.places import FieldPath
from memgauge.records import Case, Conversation, Evidence, Gold, Question, Session, Turn

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

    from memgauge.datasets.longmemeval.schema import LongMemEvalTurn, RecordEntry

PREFERENCE = "single-session-preference"
"""The type whose answers describe a good reply."""


class _Sitting(NamedTuple):
    """One session with its official id, at its place in time order."""

    at: datetime
    official: str
    entries: list[LongMemEvalTurn]


def entry_of(path: Path, number: int, record: RecordEntry) -> tuple[Case, tuple[Gold]]:
    """Convert record *number* of *path*."""
    conversation = f"lme-{number + 1:04d}"
    sittings = _sittings(path, number, record)
    question = Question(
        record.question_id,
        conversation,
        record.question,
        record.question_type,
        asked_at=FieldPath(str(path), (number, "question_date")).date(record.question_date),
    )
    sessions = tuple(_session(position, sitting) for position, sitting in enumerate(sittings))
    return Case(Conversation(conversation, sessions), (question,)), (_gold(record, sittings),)


def official_ids(path: Path, number: int, record: RecordEntry) -> tuple[str, Mapping[str, str]]:
    """Return a conversation, and its session ids by the benchmark's own; an id that occurs twice names none."""
    officials = [sitting.official for sitting in _sittings(path, number, record)]
    ours = {name: _session_id(n) for n, name in enumerate(officials) if officials.count(name) == 1}
    return f"lme-{number + 1:04d}", ours


def _sittings(path: Path, number: int, record: RecordEntry) -> list[_Sitting]:
    dates = FieldPath(str(path), (number, "haystack_dates"))
    rows = zip(record.haystack_dates, record.haystack_session_ids, record.haystack_sessions, strict=True)
    unsorted = [
        _Sitting(dates.at(position).date(date), official, entries)
        for position, (date, official, entries) in enumerate(rows)
    ]
    # Oracle files are not in time order, and the others not always within a day.
    return sorted(unsorted, key=lambda sitting: sitting.at)


def _session(position: int, sitting: _Sitting) -> Session:
    key = _session_id(position)
    turns = tuple(
        Turn(_turn_id(position, place), entry.role, entry.content, key, sitting.at, entry.role)
        for place, entry in enumerate(sitting.entries)
    )
    return Session(key, sitting.at, turns)


def _gold(record: RecordEntry, sittings: list[_Sitting]) -> Gold:
    labelled = frozenset(record.answer_session_ids)
    evidence = tuple(
        Evidence(f"{sitting.official}#{place + 1}", exact=True, turns=(_turn_id(position, place),))
        for position, sitting in enumerate(sittings)
        for place, entry in enumerate(sitting.entries)
        if entry.has_answer is True
    )
    return Gold(
        question=record.question_id,
        evidence=evidence,
        answers=(str(record.answer),),
        raw_answer=record.answer,
        rubric=record.question_type == PREFERENCE,
        abstain=record.question_id.endswith("_abs"),
        erratum=load_errata("longmemeval").get(record.question_id),
        sessions=tuple(_session_id(n) for n, sitting in enumerate(sittings) if sitting.official in labelled),
    )


def _session_id(position: int) -> str:
    return f"s{position + 1:02d}"


def _turn_id(position: int, place: int) -> str:
    return f"{_session_id(position)}:t{place + 1:02d}"
