"""Boards and stories as JSON-ready data."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from memgauge.results import plain

if TYPE_CHECKING:
    from memgauge.scoring.board import Board, QuestionStory


def board_json(board: Board) -> dict[str, Any]:
    """Return a board as JSON-ready data; an undefined number is ``None``, its reason beside it."""
    return {field.name: plain(getattr(board, field.name)) for field in fields(board)}


def story_json(story: QuestionStory) -> dict[str, Any]:
    """Return a story as JSON-ready data."""
    return {field.name: plain(getattr(story, field.name)) for field in fields(story)}
