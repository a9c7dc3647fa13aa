"""A memory whose process dies where a file says so: what a run must survive."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memgauge.systems.policies.plain import Recency

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from memgauge.records import Ranking, Receipt, Scope, Turn

MARK: Final = "MEMGAUGE_FAULT"
"""Names a file; whoever removes it dies, at the call whose number stands in it."""


class Mortal(Recency):
    """A memory whose process dies at a call that a file names, for whoever comes there first."""

    name = "mortal"

    def __init__(self) -> None:
        super().__init__()
        self._calls = 0

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store, or die."""
        self._live()
        return super().ingest(turns, scope)

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Find, or die."""
        self._live()
        return super().search(query, scope, k, as_of)

    def _live(self) -> None:
        self._calls += 1
        mark = Path(os.environ.get(MARK) or os.devnull)
        if mark.is_file() and self._calls >= int(mark.read_text("utf-8") or "1"):
            with suppress(FileNotFoundError):
                mark.unlink()
                os.kill(os.getpid(), signal.SIGKILL)
