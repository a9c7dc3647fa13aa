"""A run whose last answers are held: one page asks the same twice, and pages of one conversation ask the same."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memgauge.runs.record.store import Run
from memgauge.web.recent import RecentCache

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(frozen=True, eq=False)
class RereadRun(Run):
    """A sealed run, as readers go through it."""

    stamp: str = ""
    """The state of its files."""
    recent: RecentCache = field(default_factory=lambda: RecentCache(64))
    """Answers of all runs, by run and question."""

    def _rows(self, query: str, parameters: Sequence[object]) -> list[dict[str, Any]]:
        if not parameters:
            return super()._rows(query, parameters)  # of the whole run: too much to be held
        key = (self.folder, self.stamp, query, repr(parameters))
        rows: list[dict[str, Any]] = self.recent.get(key, self._asked(query, parameters))
        return list(map(dict, rows))

    def _asked(self, query: str, parameters: Sequence[object]) -> Callable[[], list[dict[str, Any]]]:
        asking = super()._rows
        return lambda: asking(query, parameters)
