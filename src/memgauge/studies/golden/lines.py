"""Turns that stand in a longer text as they were said: memories of whole sessions keep them so, a line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memgauge.records import Turn


def stands_as_line(turn: Turn, text: str) -> bool:
    """Whether a turn is a line of *text*, bare or behind the name or the role of who said it."""
    framed = f"\n{text}\n"
    return any(f"\n{who}{turn.text}\n" in framed for who in ("", f"{turn.speaker}: ", f"{turn.role}: "))
