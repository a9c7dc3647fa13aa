"""Memories that do not know what was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.systems.reference.mutants.mutant import Mutant

if TYPE_CHECKING:
    from collections.abc import Generator
    from datetime import datetime

    from memgauge.records import Change, Ranking, Scope
    from memgauge.systems.reference.ideal import IdealEntry


class DestroysHistory(Mutant, how="destroys-history", breaks=("LOST_HISTORY",)):
    """Deletes what something newer took the place of."""

    def _supersede(self, entry: IdealEntry) -> Generator[Change, None, IdealEntry]:
        entry = yield from super()._supersede(entry)
        self._entries = [old for old in self._entries if old.valid_to is None or not self._rivals(old, entry)]
        return entry


class NoAsOf(Mutant, how="no-as-of", breaks=("FUTURE_READ", "LOST_HISTORY")):
    """Answers every question about the past with the present."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Search as of the latest time that it was told of."""
        now = self._now()
        return super().search(query, scope, k, max(as_of, now) if as_of and now else as_of)


class SeesFuture(Mutant, how="sees-future", breaks=("FUTURE_READ",)):
    """Returns for a day in the past what was not yet true."""

    def _visible(self, entry: IdealEntry, as_of: datetime | None) -> bool:
        ended = as_of is not None and entry.valid_to is not None and entry.valid_to <= as_of
        return super()._visible(entry, as_of) or (entry.trusted and as_of is not None and not ended)


MUTANTS = (DestroysHistory, NoAsOf, SeesFuture)
