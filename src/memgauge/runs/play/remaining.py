"""How much of the work of one sitting is done, as far as that tells how long the rest will take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from memgauge.runs.play.plan import PlannedRun

_ENOUGH: Final = 3
"""Conversations from which the rest can be judged, where they are less than a tenth of the work."""
_PART: Final = 0.1


class WorkDone:
    """Work is counted in turns and questions, as conversations differ in size, less what was done before."""

    def __init__(self, cells: Mapping[int, PlannedRun], finished: Mapping[int, Collection[str]]) -> None:
        """Take stock of *cells*, of each of which some conversations were *finished* before."""
        self._cells = cells
        self._done = 0
        self._worked = 0.0
        left = {index: cell.work - sum(map(cell.weight, finished[index])) for index, cell in cells.items()}
        self._work = sum(max(0.0, work) for work in left.values())
        self._unseen = {cells[index].manifest.system.label for index, work in left.items() if work > 0}
        """Systems of which nothing shows how fast they are."""

    def finish(self, index: int, conversation: str) -> None:
        """Count a conversation of a cell."""
        self._done += 1
        self._worked += self._cells[index].weight(conversation)
        self._unseen.discard(self._cells[index].manifest.system.label)

    def share(self, away: int) -> float | None:
        """Return the share of the work that is done, or nothing while that says little of the rest.

        It does once every system finished a conversation, and as many are done as are still *away*, half done.
        """
        part = self._worked / self._work if self._work else 1.0
        tells = self._done >= max(1, away) and (self._done >= _ENOUGH or part >= _PART)
        return min(1.0, part) if tells and not self._unseen else None
