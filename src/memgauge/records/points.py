"""What a store should take from a session, point by point, where a benchmark says so."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Point:
    """One thing that a session gives a memory to keep, or a trap that it should not fall for."""

    id: str
    """Unique within the dataset."""
    conversation: str
    session: str
    text: str
    trap: bool = False
    """Whether it is not true: said by the other side, or suggested."""
    importance: float = 1.0
    replaces: tuple[str, ...] = ()
    """What was true before, in words, where it is an update."""
