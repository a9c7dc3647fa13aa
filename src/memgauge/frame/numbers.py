"""Which numbers options take: an option declares one of these beside its type, and nothing outside gets in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cyclopts import Parameter

from memgauge.ranges import RANGES

if TYPE_CHECKING:
    from memgauge.ranges import Range


@dataclass(frozen=True)
class Within:
    """Let numbers of a range through, and name it to whoever gives another."""

    range: Range

    def __call__(self, _type: object, value: float | tuple[float, ...] | None) -> None:
        """Look at what an option was given, or at each number of it where it can be repeated.

        Raises:
            ValueError: One lies outside.
        """
        for number in value if isinstance(value, tuple) else () if value is None else (value,):
            try:
                self.range.read(str(number))
            except ValueError:
                raise ValueError(f"Give {self.range.words}.") from None


def _within(name: str) -> Parameter:
    return Parameter(validator=Within(RANGES[name]))


DURATION = _within("Seconds")
"""How long something may take: seconds, or the unit that its option names."""
PAUSE = _within("Pause")
"""How long to wait, or how far apart; 0 is not at all."""
MONEY = _within("Money")
PER_MINUTE = _within("Rate")
COUNT = _within("Count")
"""How many, of which none makes no sense."""
NUMBER = _within("Number")
"""How many; 0 is none, or what is usual."""
HITS = _within("Hits")
"""How many memories of a question are kept or looked at."""
SEED = _within("Seed")
SHARE = _within("Share")
FACTOR = _within("Factor")
PORT = _within("Port")
"""Where a server listens; 0 takes a free one."""
