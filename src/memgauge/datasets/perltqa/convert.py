"""From a person to sessions, one a memory, and questions whose evidence names memories."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Final

from memgauge.records import Case, Conversation, Evidence, Gold, Question, Session, Turn

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memgauge.datasets.entries import Entry
    from memgauge.datasets.perltqa.schema import MemoryQuestion, PersonEntry
    from memgauge.datasets.places import FieldPath

PROFILE: Final = "profile"
SENTENCE: Final = "sentences"
MEMORY: Final = "memories"
"""What a turn is: a sentence or a line of speech, or a memory whole."""
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])\s*")
"""Sentences of Latin and of Chinese script."""
_SPOKEN: Final = re.compile(r"([^:\uff1a]{1,60})[:\uff1a]\s*(.*)", re.DOTALL)


def entry_of(
    place: FieldPath,
    name: str,
    person: PersonEntry,
    asked: Sequence[tuple[str, MemoryQuestion]],
    oddities: Counter[str],
    turns: str = SENTENCE,
) -> Entry:
    """Convert one person: first what has no date, then dialogues in time order."""
    undated = [*_profile(person), *_relations(person), *_events(person)]
    dated = sorted(_dialogues(place, person), key=lambda session: (str(session.at), session.id))
    filled = (session for session in (*undated, *dated) if session.turns)
    sessions = tuple(map(_whole, filled) if turns == MEMORY else filled)
    known = {session.id: session.turns if turns == MEMORY else () for session in sessions}
    questions, golds = [], []
    for number, (kind, written) in enumerate(asked):
        key = f"{name}:q{number:04d}"
        questions.append(Question(key, name, written.question, kind.replace("_", "-")))
        golds.append(_gold(key, kind, written, known))
        oddities["references"] += len(golds[-1].evidence)
        oddities["questions_without_a_session"] += not golds[-1].sessions
    return Case(Conversation(name, sessions), tuple(questions)), tuple(golds)


def _gold(key: str, kind: str, written: MemoryQuestion, known: Mapping[str, Sequence[Turn]]) -> Gold:
    """Name the sessions that answer, and the turn of each that is one; a profile is referred to by its fields."""
    named = written.references()
    sessions = [PROFILE if kind == PROFILE else f"{kind}:{name}" for name in named]
    turns = [tuple(turn.id for turn in known.get(session, ())) for session in sessions]
    return Gold(
        question=key,
        evidence=tuple(
            Evidence(name, exact=bool(each), turns=each) for name, each in zip(named, turns, strict=True)
        ),
        answers=(written.answer,),
        raw_answer=written.answer,
        sessions=tuple(session for session in dict.fromkeys(sessions) if session in known),
    )


def _whole(session: Session) -> Session:
    """Make one turn of a memory, with a line for each sentence, and who speaks where that is somebody."""
    spoken = (turn.text if turn.speaker == "user" else f"{turn.speaker}: {turn.text}" for turn in session.turns)
    turn = Turn(f"{session.id}:t1", "user", "\n".join(spoken), session.id, session.at)
    return Session(session.id, session.at, (turn,))


def _profile(person: PersonEntry) -> Iterator[Session]:
    lines = [f"{field}: {html.unescape(str(value))}" for field, value in person.profile.items() if value]
    yield _told(PROFILE, lines)


def _relations(person: PersonEntry) -> Iterator[Session]:
    for key, relation in person.social_relationship.items():
        yield _told(f"social_relationship:{key}", filter(None, (relation.relationship, relation.description)))


def _events(person: PersonEntry) -> Iterator[Session]:
    return (_told(f"events:{key}", _SENTENCE.split(event.content)) for key, event in person.events.items())


def _told(key: str, lines: Iterable[str]) -> Session:
    sentences = (line.strip() for line in lines)
    turns = tuple(Turn(f"{key}:t{n}", "user", line, key) for n, line in enumerate(filter(None, sentences), 1))
    return Session(key, None, turns)


def _dialogues(place: FieldPath, person: PersonEntry) -> Iterator[Session]:
    for name, dialogue in person.dialogues.items():
        key = f"dialogues:{name}"
        field = place.at("dialogues", name, "contents")
        spoken = [(field.at(at).date(at), line) for at, lines in dialogue.contents.items() for line in lines]
        turns = tuple(_turn(f"{key}:t{n}", key, at, line) for n, (at, line) in enumerate(spoken, 1))
        yield Session(key, min((at for at, _ in spoken), default=None), turns)


def _turn(key: str, session: str, at: datetime, line: str) -> Turn:
    match = _SPOKEN.fullmatch(line.strip())
    speaker, text = (match[1].strip(), match[2]) if match else ("user", line.strip())
    return Turn(key, speaker, text, session, at)
