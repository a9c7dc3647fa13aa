"""What the leaderboard does with a server, by cycle, as entrants wrote it down; nothing official could be read.

How many say so stands beside each figure: one (●), two to four (●●), five or more, or who saw it happen (●●●).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memgauge.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

TOP_K: Final = 100
"""Hits that formal runs ask for (●●●)."""
CHUNK_MESSAGES: Final = 20
CHUNK_WORDS: Final = 2_000
"""What one Add holds at most (●●●)."""
ADDS: Final = 64
SEARCHES: Final = 256
"""Requests at a time that an entrant may choose at most (●●)."""
RETRY_AFTER_S: Final = 60.0
"""The longest wait that a server may ask for, and the wait where it asks for none (●●, cycle 2)."""
AUTHS: Final[Mapping[str, tuple[str, str]]] = {
    "token": ("Authorization", "Token "),
    "bearer": ("Authorization", "Bearer "),
    "x-api-key": ("X-Api-Key", ""),
}
"""The header that shows the key, and what stands before it (●●●)."""
_BOTH: Final = frozenset({408, 425, 429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class RetryRule:
    """Which answers of one operation are asked for again, and how often."""

    statuses: frozenset[int]
    every_5xx_but: frozenset[int] | None = None
    """Whether all of 5xx are, but for these."""
    network: bool = False
    """Whether a connection that breaks off is."""
    attempts: int = 6

    def again(self, status: int) -> bool:
        """Whether an answer is asked for again; 0 is none at all."""
        if status == 0:
            return self.network
        by_class = self.every_5xx_but is not None and 500 <= status < 600 and status not in self.every_5xx_but
        return status in self.statuses or by_class


@dataclass(frozen=True, slots=True)
class Cycle:
    """The rules of one cycle of the leaderboard, where they differ."""

    number: int
    add: RetryRule
    search: RetryRule
    timeout_s: float
    """Of one call (●●● in cycle 1, ●●● in cycle 2, though one asked in vain where it stands)."""
    honours_retry_after: bool
    """Whether 429 is waited for as the server asks (●●)."""
    overflow_fails: bool
    """Whether more hits than were asked for are an error; else the rest is not read (changed, ●●)."""

    def wait_s(self, attempt: int, status: int, retry_after: float | None) -> float:
        """Return how long the next attempt waits; it is known of 429 alone: else it doubles from a second."""
        if status == 429 and self.honours_retry_after:
            return RETRY_AFTER_S if retry_after is None else min(max(retry_after, 0.0), RETRY_AFTER_S)
        return min(2.0 ** (attempt - 1), RETRY_AFTER_S)


CYCLES: Final[Mapping[int, Cycle]] = {
    1: Cycle(
        1,
        add=RetryRule(_BOTH | {409}),  # ●●●; how often is not written down, taken as for Search
        search=RetryRule(_BOTH),  # ●●●; six attempts: ●
        timeout_s=1_200.0,
        honours_retry_after=False,
        overflow_fails=False,
    ),
    2: Cycle(
        2,
        add=RetryRule(_BOTH | {409, 524}, network=True, attempts=32),  # ●●
        search=RetryRule(frozenset({408, 425, 429}), every_5xx_but=frozenset({524})),  # ●●; six as in cycle 1
        timeout_s=1_800.0,
        honours_retry_after=True,
        overflow_fails=True,
    ),
}
"""By number; cycle 1 closed in August 2026, cycle 2 runs until November."""


def cycle_of(number: int) -> Cycle:
    """Return a cycle.

    Raises:
        ConfigError: It is not known.
    """
    if number not in CYCLES:
        raise ConfigError(f"Cycle {number} is not known.", f"There are {', '.join(map(str, CYCLES))}.")
    return CYCLES[number]
