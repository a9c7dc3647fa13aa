"""From records of a topic to conversations in which the preference is said first, then filler, then the question.

Evidence is the turn that states the preference, or in which it shows by a choice. A persona drops it in one of
several exchanges and nobody says in which, so there only the session is labelled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from memgauge.datasets.choosing import searched
from memgauge.datasets.prefeval.filler import drawn
from memgauge.datasets.prefeval.schema import ChosenPreference, ToldPreference
from memgauge.records import Case, Choices, Conversation, Evidence, Gold, Question, Session, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.datasets.prefeval.filler import FillerExchange
    from memgauge.datasets.prefeval.schema import PreferenceTopic, StatedPreference

SESSION_EXCHANGES: Final = 10
"""Exchanges of filler in one session."""
SINGLE: Final = "single"
TOPIC: Final = "topic"


@dataclass(frozen=True)
class PrefEvalReading:
    """How the records are told."""

    exchanges: tuple[FillerExchange, ...]
    """What filler is drawn of."""
    distance: int = 0
    """Exchanges of filler before the question."""
    seed: int = 0
    pool: str = SINGLE
    search: str = "question"


class PreferenceEntry(NamedTuple):
    """One conversation with its questions."""

    case: Case
    golds: tuple[Gold, ...]
    choices: tuple[Choices, ...]


class _PreferenceSession(NamedTuple):
    session: Session
    evidence: tuple[Evidence, ...]


def entries_of(topic: PreferenceTopic, reading: PrefEvalReading) -> Iterator[PreferenceEntry]:
    """Tell every record of a topic in a conversation of its own, or all of them in one."""
    if reading.pool == TOPIC:
        yield _entry(topic.name, topic, range(len(topic.records)), reading)
        return
    for place in range(len(topic.records)):
        yield _entry(f"{topic.name}:{place + 1}", topic, (place,), reading)


def _entry(name: str, topic: PreferenceTopic, places: Sequence[int], reading: PrefEvalReading) -> PreferenceEntry:
    sessions: list[Session] = []
    questions, golds, choices = [], [], []
    for place in places:
        record, key = topic.records[place], f"{topic.name}:{place + 1}"
        first = _session_of(f"S{len(sessions) + 1}", record)
        sessions.append(first.session)
        options = topic.replies[place].classification_task_options if topic.replies else ()
        text = record.question
        questions.append(Question(key, name, searched(text, options, reading.search), topic.name))
        golds.append(_gold(key, record, first))
        if options:
            choices.append(Choices(key, text, tuple(options), 0))
    exchanges = drawn(name, reading.exchanges, reading.seed, reading.distance)
    for start in range(0, len(exchanges), SESSION_EXCHANGES):
        key = f"S{len(sessions) + 1}"
        turns = _turns(key, exchanges[start : start + SESSION_EXCHANGES])
        sessions.append(Session(key, None, tuple(turns)))
    case = Case(Conversation(name, tuple(sessions)), tuple(questions))
    return PreferenceEntry(case, tuple(golds), tuple(choices))


def _session_of(session: str, record: StatedPreference) -> _PreferenceSession:
    if isinstance(record, ChosenPreference):
        talk = record.conversation
        exchanges = [
            (talk.query, talk.assistant_options),
            (talk.user_selection, talk.assistant_acknowledgment),
        ]
        turns = tuple(_turns(session, exchanges))
        return _PreferenceSession(Session(session, None, turns), _stated(turns[2]))
    if isinstance(record, ToldPreference):
        numbered = sorted(record.conversation.items(), key=lambda named: (len(named[0]), named[0]))
        turns = tuple(_turns(session, [(each.user, each.assistant) for _, each in numbered]))
        return _PreferenceSession(Session(session, None, turns), ())
    turn = Turn(f"{session}:1", "user", record.preference, session)
    return _PreferenceSession(Session(session, None, (turn,)), _stated(turn))


def _stated(turn: Turn) -> tuple[Evidence, ...]:
    return (Evidence(turn.id, exact=True, turns=(turn.id,)),)


def _turns(session: str, exchanges: Sequence[FillerExchange]) -> Iterator[Turn]:
    for number, (asked, replied) in enumerate(exchanges):
        yield Turn(f"{session}:{2 * number + 1}", "user", asked, session)
        yield Turn(f"{session}:{2 * number + 2}", "assistant", replied, session, None, "assistant")


def _gold(key: str, record: StatedPreference, first: _PreferenceSession) -> Gold:
    heeded = () if record.explanation is None else (record.explanation,)
    return Gold(
        question=key,
        evidence=first.evidence,
        answers=heeded,
        raw_answer=record.explanation,
        rubric=True,
        sessions=(first.session.id,),
    )
