"""ChatGPT's export: ``conversations.json``, each conversation a tree of which one branch is shown."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, TypeAdapter

from memgauge.datasets.building.messages import (
    ASSISTANT,
    EXPORT_AGAIN,
    MACHINERY,
    USER,
    Export,
    ExportMessage,
    Time,
    clean,
    read_conversations,
)
from memgauge.errors import MalformedDataError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_SAID = frozenset({"text", "multimodal_text"})
"""Kinds of content that somebody said; others are code for tools, their results, thoughts and settings."""


class AuthorEntry(BaseModel):
    """Who wrote a message."""

    role: str


class ContentEntry(BaseModel):
    """What a message holds: texts, and objects for images and sound."""

    content_type: str = "text"
    parts: list[Any] = []


class ChatGptMessage(BaseModel):
    """One message of the tree."""

    author: AuthorEntry
    content: ContentEntry | None = None
    create_time: Time = None
    recipient: str | None = "all"
    """``all``, or the tool that an assistant calls."""
    metadata: dict[str, Any] | None = None


class NodeEntry(BaseModel):
    """One place in the tree; the root has no message."""

    message: ChatGptMessage | None = None
    parent: str | None = None
    children: list[str] = []


class ChatGptConversation(BaseModel):
    """One conversation; its title is not read."""

    mapping: dict[str, NodeEntry]
    current_node: str | None = None
    create_time: Time = None


_FILE: TypeAdapter[list[ChatGptConversation]] = TypeAdapter(list[ChatGptConversation])


def read_chatgpt(path: Path, text: str) -> Export:
    """Read the branch of every conversation that was shown last; a conversation becomes a session.

    Raises:
        MalformedDataError: A field is not what it must be, or a branch leads nowhere; the place is named.
    """
    entries = read_conversations(path, text, _FILE)
    messages: list[ExportMessage] = []
    left_out: Counter[str] = Counter()
    for number, entry in enumerate(entries):
        branch = _branch(f"{path}: field $[{number}]", entry)
        left_out["on a branch that was given up"] += len(entry.mapping) - len(branch)
        for node in branch:
            if node.message is None:
                continue
            words = _words(node.message)
            if reason := _reason(node.message, words):
                left_out[reason] += 1
                continue
            role = node.message.author.role
            # The first message may lack a time that its conversation has.
            at = node.message.create_time or (None if _begun(messages, number) else entry.create_time)
            messages.append(ExportMessage(role, role, words, at, str(number)))
    return Export(tuple(messages), {reason: n for reason, n in left_out.items() if n})


def _begun(messages: list[ExportMessage], number: int) -> bool:
    return bool(messages) and messages[-1].session == str(number)


def _branch(where: str, entry: ChatGptConversation) -> list[NodeEntry]:
    """Return the nodes from the root to the current one."""
    tree = entry.mapping
    key = entry.current_node if entry.current_node is not None else _last_leaf(where, tree)
    branch: list[NodeEntry] = []
    while key is not None:
        if key not in tree:
            raise MalformedDataError(f"{where}.mapping: node {key!r} is missing.", EXPORT_AGAIN)
        branch.append(tree[key])
        if len(branch) > len(tree):
            raise MalformedDataError(f"{where}.mapping: the parents of {key!r} form a circle.", EXPORT_AGAIN)
        key = tree[key].parent
    return branch[::-1]


def _last_leaf(where: str, tree: dict[str, NodeEntry]) -> str | None:
    """Follow the last child from the root, as the program itself shows a conversation."""
    key = next((key for key, node in tree.items() if node.parent is None), None)
    for _ in tree:
        if key is None or key not in tree or not tree[key].children:
            return key
        key = tree[key].children[-1]
    if tree:
        raise MalformedDataError(f"{where}.mapping: it has no root, or a circle.", EXPORT_AGAIN)
    return None


def _reason(message: ChatGptMessage, words: str) -> str:
    """Say why a message is left out; empty where it is not."""
    if message.author.role in MACHINERY:
        return "of the system or a tool"
    if message.author.role not in {USER, ASSISTANT}:
        return "of an unknown role"
    if message.recipient not in {None, "all"}:
        return "of the system or a tool"
    if (message.metadata or {}).get("is_visually_hidden_from_conversation"):
        return "hidden"
    return "" if words else "without text"


def _words(message: ChatGptMessage) -> str:
    if message.content is None or message.content.content_type not in _SAID:
        return ""
    return clean("\n".join(filter(None, _texts(message.content.parts))))


def _texts(parts: list[Any]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict) and part.get("content_type") == "audio_transcription":
            yield str(part.get("text") or "")
