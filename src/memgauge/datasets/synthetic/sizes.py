"""How big a world is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Size:
    """Numbers of things, all but the first one per conversation."""

    conversations: int
    sessions: int
    turns: int
    """In one session."""
    facts: int
    """Single-valued facts that are stated."""
    updates: int
    """Of these facts, how many change later."""
    happenings: int
    orders: int
    """Questions which of two happenings came first."""
    collections: int
    members: int
    """The most members of a collection."""
    unknowns: int
    """Questions that the conversation does not answer."""


SIZES: dict[str, Size] = {
    "tiny": Size(2, 4, 8, 3, 1, 2, 1, 1, 3, 2),
    "small": Size(8, 12, 14, 8, 3, 8, 3, 3, 4, 4),
    "medium": Size(80, 12, 14, 8, 3, 8, 3, 3, 4, 4),
}
