"""Claude's export: ``conversations.json``, each conversation a list of messages."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, TypeAdapter

from memgauge.datasets.building.messages import (
    ASSISTANT,
    USER,
    Export,
    ExportMessage,
    Time,
    clean,
    read_conversations,
)

if TYPE_CHECKING:
    from pathlib import Path


class BlockEntry(BaseModel):
    """A part of a message; only texts are read, not thoughts, tools and their results."""

    type: str
    text: str | None = None


class ClaudeMessage(BaseModel):
    """One message."""

    sender: Literal["human", "assistant"]
    text: str = ""
    created_at: Time = None
    content: list[BlockEntry] = []


class ClaudeConversation(BaseModel):
    """One conversation; its name and its uuid are not read."""

    created_at: Time = None
    chat_messages: list[ClaudeMessage]


_FILE: TypeAdapter[list[ClaudeConversation]] = TypeAdapter(list[ClaudeConversation])


def read_claude(path: Path, text: str) -> Export:
    """Read every conversation; it becomes a session.

    Raises:
        MalformedDataError: A field is not what it must be; the place is named.
    """
    entries = read_conversations(path, text, _FILE)
    messages: list[ExportMessage] = []
    left_out: Counter[str] = Counter()
    for number, entry in enumerate(entries):
        fallback = entry.created_at
        for message in entry.chat_messages:
            blocks = [block.text or "" for block in message.content if block.type == "text"]
            words = clean("\n".join(filter(None, blocks)) or message.text)
            if not words:
                left_out["without text"] += 1
                continue
            role = USER if message.sender == "human" else ASSISTANT
            messages.append(ExportMessage(role, role, words, message.created_at or fallback, str(number)))
            fallback = None
    return Export(tuple(messages), dict(left_out))
