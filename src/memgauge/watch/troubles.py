"""What could not be recorded: counted each time, and said once."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress


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

        with suppress(Exception):  # a handler of the host's may raise, and nobody is left to tell
            logging.getLogger("memgauge.watch").warning("memgauge.watch: %s", what)
