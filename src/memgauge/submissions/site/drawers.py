"""Processes that write pages and feeds beside the one that makes them."""

from __future__ import annotations

import gc
from contextlib import ExitStack
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Final, TypeVar

from memgauge.show.figures import Drawing, svg
from memgauge.workers import worker_pool

if TYPE_CHECKING:
    from collections.abc import Callable

A = TypeVar("A")
T = TypeVar("T")
MANY: Final = 64
"""Submissions from which on a second process is worth its start."""
_VALUES: Final = 50_000
"""New values after which a process looks for circles: documents are thousands of them, and have none."""
_POINT: Final = Drawing({"data": {"values": [{}]}, "mark": "point"}, "")


class Drawers(ExitStack):
    """Other processes, as many as there are; what nobody of them began is done here."""

    def __init__(self, jobs: int = 1, submissions: int = MANY) -> None:
        """Start all of them but this one, so that they are ready when there is something to draw.

        There are so many *jobs* in all; where few *submissions* have pages, this process works alone.
        """
        others = jobs - 1 if submissions >= MANY else 0
        super().__init__()
        self._pool = self.enter_context(worker_pool(others)) if others > 0 else None
        for _ in range(others):
            self.begun(_warmed, _POINT)

    def begun(self, work: Callable[[A], T], subject: A) -> Callable[[], T]:
        """Let another process begin, and return how to get what it made: it, or this one if none had time."""
        here = partial(work, subject)
        if self._pool is None:
            return here
        sent = self._pool.submit(work, subject)
        return lambda: here() if sent.cancel() else sent.result()


ALONE: Final = Drawers()


def _warmed(drawing: Drawing) -> str:
    """Draw a first time: importing what composes and draws takes as long as twenty pages."""
    import_module("altair")  # by it charts are composed
    gc.set_threshold(_VALUES)
    return svg(drawing, uid="", title="")
