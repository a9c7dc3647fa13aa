"""Exports in the shapes of their programs, written by us."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def _node(role: str, text: str, time: float | None, parent: str | None, *children: str) -> dict[str, Any]:
    message = {
        "author": {"role": role},
        "create_time": time,
        "content": {"content_type": "text", "parts": [text]},
        "recipient": "all",
        "metadata": {},
    }
    return {"message": message, "parent": parent, "children": list(children)}


@pytest.fixture
def chatgpt() -> list[dict[str, Any]]:
    """Two conversations, the later one first; the later one has a branch that was given up."""
    return [
        {
            "title": "A secret title",
            "create_time": 1714550400.0,
            "current_node": "e",
            "mapping": {
                "r": {"message": None, "parent": None, "children": ["a"]},
                "a": _node("system", "You are helpful.", None, "r", "b"),
                "b": _node("user", "We moved to Braga.", 1714550405.9, "a", "c", "d"),
                "c": _node("assistant", "An answer nobody kept.", 1714550410.0, "b"),
                "d": _node("tool", "search results", 1714550415.0, "b", "e"),
                "e": _node("assistant", "Congratulations!", 1714550420.0, "d"),
            },
        },
        {
            "title": "Another",
            "create_time": 1709280000.0,
            "current_node": None,
            "mapping": {
                "a": _node("user", " I live in Porto. ", None, None, "b"),
                "b": _node("assistant", "Nice.", 1709280020.0, "a"),
            },
        },
    ]


@pytest.fixture
def claude() -> list[dict[str, Any]]:
    """One conversation of three messages, one of them empty, the last one in blocks."""
    return [
        {
            "uuid": "3f",
            "name": "A secret title",
            "created_at": "2024-03-01T09:00:00.123456+01:00",
            "chat_messages": [
                {"sender": "human", "text": "I live in Porto.", "created_at": "2024-03-01T08:00:07.000001Z"},
                {"sender": "assistant", "text": "", "created_at": "2024-03-01T08:00:08Z"},
                {
                    "sender": "assistant",
                    "text": "",
                    "created_at": "2024-03-01T08:00:09Z",
                    "content": [{"type": "thinking"}, {"type": "text", "text": "Nice."}],
                },
            ],
        }
    ]


@pytest.fixture
def save(tmp_path: Path) -> Callable[..., Path]:
    """Write a value as JSON, or a text as it is, and return where."""

    def save(content: object, name: str = "export") -> Path:
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    return save
