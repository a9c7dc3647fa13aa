"""Turns, sessions, conversations."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields

import pytest

from memgauge.records import Conversation, Session, Turn


def session(name: str, *texts: str) -> Session:
    """Make a session of short turns."""
    return Session(name, None, tuple(Turn(f"{name}:{i}", "Ada", text, name) for i, text in enumerate(texts)))


def test_a_conversation_yields_its_turns_in_order() -> None:
    """Turns come session by session, as they were said; an empty session adds none."""
    talk = Conversation("c", (session("s1", "hello", "again"), session("s2"), session("s3", "bye")))
    assert [turn.id for turn in talk.turns()] == ["s1:0", "s1:1", "s3:0"]


def test_turns_are_frozen() -> None:
    """What was said cannot be changed by a system that was handed it."""
    turn = Turn("1", "Ada", "hello", "s")
    with pytest.raises(FrozenInstanceError):
        turn.text = "bye"  # type: ignore[misc] # the assignment is what must fail


def test_what_a_system_sees_has_no_room_for_gold() -> None:
    """A turn, a session and a conversation carry what was said and nothing else."""
    seen = {cls: {f.name for f in fields(cls)} for cls in (Turn, Session, Conversation)}
    assert seen == {
        Turn: {"id", "speaker", "text", "session", "at", "role"},
        Session: {"id", "at", "turns"},
        Conversation: {"id", "sessions"},
    }
