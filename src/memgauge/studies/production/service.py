"""What a simulated service is: how large, how busy, and what goes wrong in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Collection

BEGAN_NS: Final = 1_788_220_800 * 10**9
"""A Tuesday, at midnight."""
ASKED: Final = 10
"""k of every search."""
BEFORE: Final = 40
"""Memories of every user that were written before anybody recorded."""


@dataclass(frozen=True)
class PlantedFaults:
    """What goes wrong, and from which day on; ``None`` and 0 are healthy."""

    leak: float = 0.0
    """Share of searches that return a memory of somebody else."""
    stale_from: float | None = None
    """Changes are not indexed from then on."""
    dead_from: float | None = None
    """Nothing new is indexed from then on."""
    silent_from: float | None = None
    """Nothing is returned from then on."""
    undeleted_from: float | None = None
    """What is deleted is returned from then on."""
    drift: dict[str, float] = field(default_factory=dict)
    """By how much ``score``, ``latency`` or ``length`` changes, a little every day of the second half."""


@dataclass(frozen=True)
class SimulatedService:
    """How large the service is, and how often a user does something a day."""

    users: int = 10_000
    days: int = 56
    searches: float = 0.25
    adds: float = 0.08
    updates: float = 0.03
    deletes: float = 0.01
    faults: PlantedFaults = field(default_factory=PlantedFaults)


def planted(names: Collection[str], weeks: int) -> PlantedFaults:
    """Make faults of their names, which begin behind the middle of so many *weeks*; a leak is 1 search of 1,000.

    Raises:
        ConfigError: There is no such fault.
    """
    begins = 7 * weeks * 0.6
    ways: dict[str, dict[str, Any]] = {
        "leak": {"leak": 1e-3},
        "stale": {"stale_from": begins},
        "undeleted": {"undeleted_from": begins},
        "dead": {"dead_from": begins},
        "silent": {"silent_from": begins},
        "drift": {"drift": {"score": -0.07}},
    }
    unknown_name = next((name for name in names if name not in ways), None)
    if unknown_name is not None:
        raise ConfigError(f"There is no fault {unknown_name!r}.", f"Take one of {', '.join(ways)}.")
    return PlantedFaults(**{field: value for name in names for field, value in ways[name].items()})
