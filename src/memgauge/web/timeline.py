"""A conversation as the story of one question: where its evidence was said, and when it was asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.records import Conversation, Gold, Question

NEAR = 2
"""Turns shown before and after an evidence turn."""
EVIDENCE = "evidence"


@dataclass(frozen=True)
class Line:
    """One turn."""

    id: str
    speaker: str
    text: str
    kind: str
    """``evidence``, ``stale``, ``decoy``, or nothing."""


@dataclass(frozen=True)
class Sitting:
    """One session: the turns that are shown of it, and how many there are."""

    id: str
    at: str
    turns: int
    lines: tuple[Line, ...]
    kinds: tuple[str, ...]
    asked: bool
    """Whether the question is asked after it."""


def timeline(
    conversation: Conversation,
    question: Question | None,
    gold: Gold | None,
    anchors: Sequence[str],
    *,
    whole: bool,
) -> list[Sitting]:
    """Return every session; of its turns those near something that is marked, or all of them."""
    kinds = _kinds(gold, anchors)
    last_session = conversation.sessions[-1].id if conversation.sessions else ""
    asked_session = (question.after_session if question else None) or last_session
    sittings = []
    for session in conversation.sessions:
        gold_places = {place for place, turn in enumerate(session.turns) if turn.id in kinds}
        near_places = {place + step for place in gold_places for step in range(-NEAR, NEAR + 1)}
        lines = tuple(
            Line(turn.id, turn.speaker, turn.text, kinds.get(turn.id, ""))
            for place, turn in enumerate(session.turns)
            if whole or place in near_places
        )
        session_kinds = tuple(dict.fromkeys(line.kind for line in lines if line.kind))
        at = str(session.at or "")
        sittings.append(
            Sitting(session.id, at, len(session.turns), lines, session_kinds, session.id == asked_session)
        )
    return sittings


def _kinds(gold: Gold | None, anchors: Sequence[str]) -> Mapping[str, str]:
    if gold is None:
        return {}
    return (
        dict.fromkeys(gold.decoys, "decoy")
        | dict.fromkeys(gold.stale or (), "stale")
        | dict.fromkeys(anchors, EVIDENCE)
    )
