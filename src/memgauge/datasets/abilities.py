"""What each dataset can measure: facts about its files that no reader can count."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

UNSAID: Final = "not said"
SEEN: Final = {
    "whole": "on the real data",
    "piece": "on a piece of the real data",
    "no": "not run on the real data",
    "made here": "made here",
    "yours": "yours",
}
"""What was read of a dataset, in words."""


@dataclass(frozen=True)
class Abilities:
    """What a dataset can measure."""

    evidence: str = UNSAID
    """What evidence names: turns, sessions, text."""
    abstention: str = UNSAID
    time: str = UNSAID
    updates: str = UNSAID
    seen: str = ""
    """A key of :data:`SEEN`."""
    defects: str = UNSAID
    sample: str = ""
    """What opens a piece that may lie in a folder of data, where the whole does not."""

    @property
    def run_on(self) -> str:
        """Say on what its reader was tried."""
        return SEEN.get(self.seen, UNSAID)


@cache
def abilities() -> Mapping[str, Abilities]:
    """Return what is known of every dataset, by name; of one that somebody installed nothing is."""
    table = tomllib.loads((files("memgauge.datasets") / "abilities.toml").read_text("utf-8"))
    return {name: Abilities(**row) for name, row in table.items()}
