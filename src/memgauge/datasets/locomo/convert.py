"""From LoCoMo's entries to turns, questions, gold and the memories that it derives from them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memgauge.errors import MalformedDataError
from memgauge.records import Case, Conversation, Evidence, Form, Gold, Memory, Question, Session, Turn
from memgauge.text.dates import parse_date

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet
    from datetime import datetime
    from pathlib import Path

    from memgauge.datasets.locomo.schema import LocomoQuestion, LocomoTurn, SampleEntry
    from memgauge.records import Erratum

CATEGORIES: dict[int, str] = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}
"""As the official evaluation code uses the numbers; the paper lists the kinds in another order."""

_SESSION = re.compile(r"session_(\d{1,9})")
_TURN_ID = re.compile(r"D:?(\d{1,9}):(\d{1,9})(?!\d)")


def question_id(sample: SampleEntry, position: int) -> str:
    """Name the question at *position* of the conversation's ``qa``."""
    return f"{sample.sample_id}_q{position}"


def case_of(path: Path, sample: SampleEntry, *, captions: bool) -> Case:
    """Convert one conversation and everything asked about it."""
    numbered = sorted((int(match[1]), key) for key in sample.conversation if (match := _SESSION.fullmatch(key)))
    sessions = tuple(_session(path, sample, key, captions=captions) for _, key in numbered)
    questions = tuple(
        Question(question_id(sample, position), sample.sample_id, entry.question, CATEGORIES[entry.category])
        for position, entry in enumerate(sample.qa)
    )
    return Case(Conversation(sample.sample_id, sessions), questions)


def _session(path: Path, sample: SampleEntry, key: str, *, captions: bool) -> Session:
    at = _date(path, sample, f"{key}_date_time")
    entries = sample.conversation[key]
    if isinstance(entries, str):
        where = f"{path}: conversation {sample.sample_id}, field {key}"
        raise MalformedDataError(f"{where}: a list of turns is wanted, not text.", "Mend that field.")
    turns = tuple(Turn(entry.dia_id, entry.speaker, _text(entry, captions=captions), key, at) for entry in entries)
    return Session(key, at, turns)


def _date(path: Path, sample: SampleEntry, key: str) -> datetime:
    text = sample.conversation.get(key)
    where = f"{path}: conversation {sample.sample_id}, field {key}"
    if not isinstance(text, str):
        raise MalformedDataError(f"{where}: the date is missing.", "Fetch the file again.")
    try:
        return parse_date(text)
    except ValueError as error:
        raise MalformedDataError(f"{where}: {text!r} is not a date: {error}.", "Mend that field.") from error


def _text(entry: LocomoTurn, *, captions: bool) -> str:
    text = entry.text.strip()
    if captions and entry.blip_caption:
        return f"{text} [shares image: {entry.blip_caption.strip()}]".strip()
    return text


def gold_of(entry: LocomoQuestion, key: str, turns: AbstractSet[str], erratum: Erratum | None) -> Gold:
    """Convert the labels of one question; *turns* are the existing turns of its conversation."""
    return Gold(
        question=key,
        evidence=tuple(evidence_of(raw, turns) for raw in entry.evidence),
        answers=() if entry.answer is None else (str(entry.answer),),
        raw_answer=entry.answer,
        trap=entry.adversarial_answer,
        abstain=CATEGORIES[entry.category] == "adversarial",
        erratum=erratum,
    )


def evidence_of(raw: str, turns: AbstractSet[str]) -> Evidence:
    """Read one evidence entry: exact if it is the id of a turn, else every existing id that can be read in it."""
    if raw in turns:
        return Evidence(raw, exact=True, turns=(raw,))
    return Evidence(raw, exact=False, turns=turn_ids_in(raw, turns))


def turn_ids_in(text: str, turns: AbstractSet[str]) -> tuple[str, ...]:
    """Find the ids of existing turns in *text*, leading zeros and a stray colon forgiven."""
    ids = (f"D{int(session)}:{int(turn)}" for session, turn in _TURN_ID.findall(text))
    return tuple(dict.fromkeys(key for key in ids if key in turns))


def observations(sample: SampleEntry, conversation: Conversation) -> tuple[Memory, ...]:
    """Convert the observations, in session order; each names the turns that it descends from."""
    turns = frozenset(turn.id for turn in conversation.turns())
    memories: list[Memory] = []
    for session in conversation.sessions:
        for entries in sample.observation.get(f"{session.id}_observation", {}).values():
            for text, sources in entries:
                written = sources if isinstance(sources, str) else " ".join(sources)
                memories.append(
                    Memory(
                        f"{conversation.id}/obs/{len(memories)}",
                        text,
                        Form.CANONICAL,
                        turn_ids_in(written, turns),
                        event_at=session.at,
                    )
                )
    return tuple(memories)


def summaries(sample: SampleEntry, conversation: Conversation) -> tuple[Memory, ...]:
    """Convert the session summaries; each descends from every turn of its session."""
    memories: list[Memory] = []
    for session in conversation.sessions:
        text = sample.session_summary.get(f"{session.id}_summary")
        if text is not None:
            sources = tuple(turn.id for turn in session.turns)
            memory = f"{conversation.id}/sum/{len(memories)}"
            memories.append(Memory(memory, text, Form.SUMMARY, sources, event_at=session.at))
    return tuple(memories)
