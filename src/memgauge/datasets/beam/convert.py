"""From a BEAM chat to a conversation, questions and gold, with nothing that leaks how the chat was made.

Turns are named by batch and place, for the ids of the files do not always name one message. An id that names none,
or two, is evidence that points nowhere: which message was meant is not guessed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from memgauge.datasets.beam.schema import ABILITIES
from memgauge.datasets.beam.versions import BOTH, UPDATE, facts_of, versions_of
from memgauge.records import Case, Conversation, Evidence, Gold, Question, Session, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memgauge.datasets.beam.batches import Batch, CheckedChat
    from memgauge.datasets.beam.schema import ProbeEntry
    from memgauge.records import Fact

ABSTENTION = "abstention"
COMPLIANCE = "expected_compliance"
"""The gold field that describes a good reply."""

_MARKER = re.compile(r"\s*->->.*$", re.DOTALL)
"""What the generator of the chats wrote behind a message, e.g. the number of the plan it follows."""


def without_marker(text: str) -> str:
    """Cut what the generator left behind a message."""
    return _MARKER.sub("", text)


def turns_by_id(batches: Iterable[Batch]) -> Mapping[str, tuple[str, ...]]:
    """Map every message id of the chat to the turns that carry it; more than one where ids start anew."""
    turns: defaultdict[str, tuple[str, ...]] = defaultdict(tuple)
    for n, batch in enumerate(batches):
        for place, message in enumerate(batch.messages):
            turns[str(message.id)] += (_turn_id(n, place),)
    return dict(turns)


class Chat(NamedTuple):
    """One chat as written and as understood."""

    written: CheckedChat
    case: Case
    golds: tuple[Gold, ...]
    facts: tuple[Fact, ...]


def understand(written: CheckedChat, update_evidence: str = BOTH) -> Chat:
    """Convert one chat; every question is asked at its end.

    Raises:
        MalformedDataError: A date is none; the message names the place.
    """
    key = f"chat-{written.name}"
    sessions = tuple(_session(n, batch) for n, batch in enumerate(written.batches))
    conversation = Conversation(key, sessions)
    questions = tuple(
        Question(f"{key}_q{n}", key, probe.question, ability.replace("_", "-"))
        for n, (ability, probe) in enumerate(written.probes)
    )
    turns = turns_by_id(written.batches)
    asked = [(question.id, *entry) for question, entry in zip(questions, written.probes, strict=True)]
    golds = tuple(_gold(*entry, turns, update_evidence) for entry in asked)
    texts = {turn.id: turn.text for turn in conversation.turns()}
    facts = tuple(fact for entry in asked for fact in facts_of(key, *entry, turns, texts))
    return Chat(written, Case(conversation, questions), golds, facts)


def _session(n: int, batch: Batch) -> Session:
    key = _session_id(n)
    at = None if batch.anchor is None else batch.dated.date(batch.anchor)
    turns = tuple(
        Turn(_turn_id(n, place), message.role, without_marker(message.content), key, at, message.role)
        for place, message in enumerate(batch.messages)
    )
    return Session(key, at, turns)


def _gold(
    key: str, ability: str, probe: ProbeEntry, turns: Mapping[str, tuple[str, ...]], update_evidence: str
) -> Gold:
    field = ABILITIES[ability]
    answer: str | int | float | None = getattr(probe, field)
    sources, stale = probe.sources(), None
    if ability == UPDATE and update_evidence != BOTH:
        sources, stale = versions_of(probe, turns)
    return Gold(
        question=key,
        evidence=tuple(_evidence(sources, turns)),
        answers=() if answer is None else (str(answer),),
        raw_answer=answer,
        rubric=field == COMPLIANCE,
        points=tuple(probe.rubric),
        abstain=ability == ABSTENTION,
        stale=stale,
    )


def _evidence(sources: Iterable[str], turns: Mapping[str, tuple[str, ...]]) -> Iterator[Evidence]:
    for raw in sources:
        named = turns.get(raw, ())
        yield Evidence(raw, exact=len(named) == 1, turns=named if len(named) == 1 else ())


def _session_id(batch: int) -> str:
    return f"S{batch + 1}"


def _turn_id(batch: int, place: int) -> str:
    return f"{_session_id(batch)}:{place + 1}"
