"""So many at a time, first come, first served: with a semaphore of the library late ones pass, others starve."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType


class Slots:
    """Lets *count* threads in at a time, in the order in which they came."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._lock = threading.Lock()
        self._waiting: deque[threading.Event] = deque()

    def __enter__(self) -> Self:
        mine = threading.Event()
        with self._lock:
            if self._free:
                self._free -= 1
                return self
            self._waiting.append(mine)
        mine.wait()  # whoever leaves hands its slot over
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._free += 1
