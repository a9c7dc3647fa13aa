"""How big a world is."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class WorldSize:
    """Numbers of things, all but the first one per user."""

    users: int
    sessions: int
    turns: int
    """In one session; every other one is the user's."""
    states: int
    """Facts with one value at a time."""
    changing: int
    """Of these, how many change."""
    ended: int
    """States that are taken back or erased."""
    absent: int
    """States that are asked and were never said of the user."""
    transients: int
    collections: int
    memberships: int
    spendings: int
    members: int
    """The most members of a list."""
    happenings: int
    things: int
    rumours: int
    roles: bool
    """Whether there is a manager, who changes, and people with lives of their own."""
    plans: bool
    """Whether there is a choice under three constraints."""


_SMALL = WorldSize(
    users=8,
    sessions=12,
    turns=14,
    states=5,
    changing=3,
    ended=2,
    absent=3,
    transients=3,
    collections=2,
    memberships=2,
    spendings=1,
    members=4,
    happenings=5,
    things=4,
    rumours=2,
    roles=True,
    plans=True,
)
_TINY = WorldSize(
    users=2,
    sessions=6,
    turns=8,
    states=2,
    changing=1,
    ended=1,
    absent=2,
    transients=1,
    collections=1,
    memberships=0,
    spendings=0,
    members=3,
    happenings=2,
    things=2,
    rumours=1,
    roles=False,
    plans=False,
)
SIZES: dict[str, WorldSize] = {
    "small": _SMALL,
    "tiny": _TINY,
    "few": replace(_SMALL, users=4),
    "medium": replace(_SMALL, users=80),
    "large": replace(_SMALL, users=5_960),
}
