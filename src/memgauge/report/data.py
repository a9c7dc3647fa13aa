"""Boards and stories as JSON-ready data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from memgauge.records import Contract

if TYPE_CHECKING:
    from memgauge.scoring.board import Board, Story


def board_json(board: Board) -> dict[str, Any]:
    """Return a board as JSON-ready data; an undefined number is ``None``, its reason beside it."""
    return {field.name: plain(getattr(board, field.name)) for field in fields(board)}


def story_json(story: Story) -> dict[str, Any]:
    """Return a story as JSON-ready data."""
    return {field.name: plain(getattr(story, field.name)) for field in fields(story)}


def plain(value: object) -> Any:
    """Lower a value to JSON: fields in their order, mappings sorted by key, floats to six digits."""
    match value:
        case float():
            return round(value, 6)
        case Contract() | StrEnum():
            return str(value)
        case Mapping():
            return {str(key): plain(value[key]) for key in sorted(value)}
        case tuple() | list():
            return [plain(item) for item in value]
        case _ if is_dataclass(value):
            return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
        case _:
            return value
