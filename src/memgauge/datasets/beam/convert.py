"""From a BEAM chat to a conversation, questions and gold, with nothing that leaks how the chat was made.

Turns are named by batch and place, for the ids of the files do not always name one message. An id that names none,
or two, is evidence that points nowhere: which message was meant is not guessed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from memgauge.datasets.beam.schema import ABILITIES, read_chat, read_probes
from memgauge.errors import MalformedDataError
from memgauge.records import Case, Conversation, Evidence, Gold, Question, Session, Turn
from memgauge.text.dates import parse_date

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memgauge.datasets.beam.folder import ChatFiles
    from memgauge.datasets.beam.schema import BatchEntry, MessageEntry, ProbeEntry

ABSTENTION = "abstention"
COMPLIANCE = "expected_compliance"
"""The gold field that describes a good reply."""

_MARKER = re.compile(r"\s*->->.*$", re.DOTALL)
"""What the generator of the chats wrote behind a message, e.g. the number of the plan it follows."""


def without_marker(text: str) -> str:
    """Cut what the generator left behind a message."""
    return _MARKER.sub("", text)


def turns_by_id(batches: Iterable[BatchEntry]) -> Mapping[str, tuple[str, ...]]:
    """Map every message id of the file to the turns that carry it; more than one where ids start anew."""
    turns: defaultdict[str, tuple[str, ...]] = defaultdict(tuple)
    for n, batch in enumerate(batches):
        for place, message in enumerate(batch.messages()):
            turns[str(message.id)] += (_turn_id(n, place),)
    return dict(turns)


class Chat(NamedTuple):
    """One chat as written and as understood."""

    files: ChatFiles
    batches: Sequence[BatchEntry]
    probes: Sequence[tuple[str, ProbeEntry]]
    """Every question with its ability."""
    case: Case
    golds: tuple[Gold, ...]


def read(files: ChatFiles) -> Chat:
    """Read and convert one chat; every question is asked at its end.

    Raises:
        MalformedDataError: One of its two files is broken; the message names the place.
    """
    batches, probes = read_chat(files.chat), read_probes(files.questions)
    key = f"chat-{files.name}"
    sessions = tuple(_session(files, n, tuple(batch.messages())) for n, batch in enumerate(batches))
    questions = tuple(
        Question(f"{key}_q{n}", key, probe.question, ability.replace("_", "-"))
        for n, (ability, probe) in enumerate(probes)
    )
    turns = turns_by_id(batches)
    golds = tuple(_gold(question.id, *entry, turns) for question, entry in zip(questions, probes, strict=True))
    return Chat(files, batches, probes, Case(Conversation(key, sessions), questions), golds)


def _session(files: ChatFiles, n: int, messages: Sequence[MessageEntry]) -> Session:
    key = _session_id(n)
    anchor = next((message.time_anchor for message in messages if message.time_anchor), None)
    at = None if anchor is None else _date(files, n, anchor)
    turns = tuple(
        Turn(_turn_id(n, place), message.role, without_marker(message.content), key, at, message.role)
        for place, message in enumerate(messages)
    )
    return Session(key, at, turns)


def _date(files: ChatFiles, n: int, text: str) -> datetime:
    try:
        return parse_date(text)
    except ValueError as error:
        raise MalformedDataError(
            f"{files.chat}: field time_anchor of batch {n + 1}: {text!r} is not a date: {error}.",
            "Mend that field.",
        ) from error


def _gold(key: str, ability: str, probe: ProbeEntry, turns: Mapping[str, tuple[str, ...]]) -> Gold:
    field = ABILITIES[ability]
    answer: str | int | float | None = getattr(probe, field)
    return Gold(
        question=key,
        evidence=tuple(_evidence(probe.sources(), turns)),
        answers=() if answer is None else (str(answer),),
        raw_answer=answer,
        rubric=field == COMPLIANCE,
        points=tuple(probe.rubric),
        abstain=ability == ABSTENTION,
    )


def _evidence(sources: Iterable[str], turns: Mapping[str, tuple[str, ...]]) -> Iterator[Evidence]:
    for raw in sources:
        named = turns.get(raw, ())
        yield Evidence(raw, exact=len(named) == 1, turns=named if len(named) == 1 else ())


def _session_id(batch: int) -> str:
    return f"S{batch + 1}"


def _turn_id(batch: int, place: int) -> str:
    return f"{_session_id(batch)}:{place + 1}"
