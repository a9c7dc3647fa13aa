"""What could not be recorded: counted each time, and said once."""

from __future__ import annotations

from collections import Counter


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

        try:
            logging.getLogger("memgauge.watch").warning("memgauge.watch: %s", what)
        except Exception:  # noqa: BLE001, S110 - a handler of the host may raise anything, and there is nobody left to tell
            pass
