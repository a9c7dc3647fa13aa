"""A sentence that is told once, however often there is reason to."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Once:
    """Passes the first sentence on, and no other; threads may share it."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._lock = Lock()
        self._is_first = True

    def __call__(self, sentence: str) -> None:
        """Tell *sentence*, unless something was told before."""
        with self._lock:
            is_first, self._is_first = self._is_first, False
        if is_first:
            self._tell(sentence)
