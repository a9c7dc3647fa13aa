"""What could not be recorded: counted each time, and said once."""

from __future__ import annotations

from collections import Counter
from functools import partial

from memgauge.foreign import call_foreign


class Troubles:
    """Counts by kind, and tells a logger of the first of each."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def count(self, kind: str, what: str) -> None:
        """Count a trouble; never raises."""
        self.counts[kind] += 1
        if self.counts[kind] == 1:
            self.say(f"{what}; it is counted from now on and not said again")

    def say(self, what: str) -> None:
        """Tell the logger; never raises."""
        import logging

        warn = logging.getLogger("memgauge.watch").warning
        call_foreign(partial(warn, "memgauge.watch: %s", what))  # a handler may raise, and nobody is left to tell
