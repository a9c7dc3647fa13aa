"""From a chat of REALTALK to turns, questions and gold; a turn's session is where it lies, never its number."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Final

from memgauge.datasets.realtalk.schema import CATEGORIES, SESSION, ChatFile
from memgauge.records import Case, Conversation, Evidence, Gold, Question, Session, Turn

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Sequence

    from memgauge.datasets.entries import Entry
    from memgauge.datasets.places import FieldPath
    from memgauge.datasets.realtalk.schema import ChatQuestion, ChatTurn

_WRITTEN: Final = "%d.%m.%Y, %H:%M:%S"
_ID: Final = re.compile(r"D\s?:?(\d{1,9}):(\d{1,9})")
_RANGE: Final = re.compile(r"D\s?:?(\d{1,9}):(\d{1,9})\s*-\s*D\s?:?(\d{1,9}):(\d{1,9})")


def entry_of(name: str, chat: ChatFile, *, captions: bool, oddities: Counter[str]) -> Entry:
    """Convert one chat."""
    sessions = tuple(
        _session(chat.place.at(key), key, turns, captions=captions)
        for key, turns in chat.sessions.items()
        if turns
    )
    order = {turn.id: place for place, turn in enumerate(turn for session in sessions for turn in session.turns)}
    questions = tuple(
        Question(f"{name}_q{number}", name, asked.question, CATEGORIES[asked.category])
        for number, asked in enumerate(chat.questions)
    )
    golds = tuple(
        _gold(question.id, asked, order) for question, asked in zip(questions, chat.questions, strict=True)
    )
    _count(chat, questions, golds, oddities)
    return Case(Conversation(name, sessions), questions), golds


def _session(place: FieldPath, key: str, entries: Sequence[ChatTurn], *, captions: bool) -> Session:
    turns = tuple(
        Turn(
            entry.dia_id, entry.speaker, _text(entry, captions=captions), key, _date(place.at(n), entry.date_time)
        )
        for n, entry in enumerate(entries)
    )
    return Session(key, turns[0].at, turns)


def _text(entry: ChatTurn, *, captions: bool) -> str:
    text = entry.clean_text.strip()
    if captions and entry.blip_caption:
        return f"{text} [shares image: {entry.blip_caption.strip()}]".strip()
    return text


def _date(place: FieldPath, written: str) -> datetime:
    try:
        return datetime.strptime(written.strip(), _WRITTEN)  # noqa: DTZ007 - naive on purpose
    except ValueError as error:
        raise place.at("date_time").wrong(f"{written!r} is not a date", "Write 29.12.2023, 22:42:04.") from error


def _gold(key: str, asked: ChatQuestion, order: dict[str, int]) -> Gold:
    is_id = _ID.fullmatch(asked.answer.strip()) is not None
    return Gold(
        question=key,
        evidence=tuple(evidence_of(raw, order) for raw in asked.evidence),
        answers=() if is_id else (asked.answer,),
        raw_answer=asked.answer,
    )


def evidence_of(raw: str, order: dict[str, int]) -> Evidence:
    """Read one evidence entry: exact if it is the id of a turn, else every existing turn that can be read in it.

    A range stands for every existing turn from its first to its last.
    """
    if raw in order:
        return Evidence(raw, exact=True, turns=(raw,))
    ids = [*_ranged(raw, order), *(_spelt(*match) for match in _ID.findall(raw))]
    return Evidence(raw, exact=False, turns=tuple(key for key in dict.fromkeys(ids) if key in order))


def _ranged(raw: str, order: dict[str, int]) -> Iterator[str]:
    for first, begin, last, end in _RANGE.findall(raw):
        ends = [order.get(_spelt(first, begin)), order.get(_spelt(last, end))]
        if first == last:
            yield from (
                _spelt(first, str(number)) for number in range(int(begin), min(int(end), int(begin) + 999) + 1)
            )
        elif ends[0] is not None and ends[1] is not None:
            yield from (key for key, place in order.items() if ends[0] <= place <= ends[1])


def _spelt(session: str, turn: str) -> str:
    return f"D{int(session)}:{int(turn)}"


def _count(chat: ChatFile, questions: Sequence[Question], golds: Sequence[Gold], oddities: Counter[str]) -> None:
    entries = [evidence for gold in golds for evidence in gold.evidence]
    asked = [question.text for question in questions]
    oddities["captions"] += sum(bool(turn.blip_caption) for turns in chat.sessions.values() for turn in turns)
    oddities["evidence"] += len(entries)
    oddities["evidence_exact"] += sum(entry.exact for entry in entries)
    oddities["evidence_missing"] += sum(not entry.exact and not entry.turns for entry in entries)
    oddities["without_evidence"] += sum(not gold.evidence for gold in golds)
    oddities["answers_that_are_ids"] += sum(not gold.answers for gold in golds)
    oddities["questions_asked_again"] += len(asked) - len(set(asked))
    oddities["turns_numbered_elsewhere"] += sum(
        turn.dia_id.partition(":")[0] != f"D{int(match[1])}"
        for key, turns in chat.sessions.items()
        if (match := SESSION.fullmatch(key))
        for turn in turns
    )
