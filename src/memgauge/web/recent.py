"""The things looked at last."""

from __future__ import annotations

from collections import OrderedDict
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class RecentCache:
    """A cache that holds the things looked at last, and makes each of them once."""

    def __init__(self, capacity: int) -> None:
        self._most = capacity
        self._held: OrderedDict[object, Any] = OrderedDict()
        self._lock = RLock()

    def get(self, key: object, make: Callable[[], T]) -> T:
        """Return what is held under *key*, or make it."""
        with self._lock:  # two readers of one board would else both score it
            if key in self._held:
                self._held.move_to_end(key)
                value: T = self._held[key]
                return value
            made = make()
            self._held[key] = made
            while len(self._held) > self._most:
                self._held.popitem(last=False)
            return made
