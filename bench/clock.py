"""A stopwatch of processor time that leaves out what is only there to feed the work.

What else the machine does slows a process down, and does not make it work more.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

T = TypeVar("T")


class Clock:
    """Seconds of the processor by part."""

    def __init__(self) -> None:
        self.parts: dict[str, float] = {}
        self._fed = 0.0

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Time what happens inside, without what :meth:`feed` made meanwhile."""
        start, fed = time.process_time(), self._fed
        yield
        spent = time.process_time() - start - (self._fed - fed)
        self.parts[name] = self.parts.get(name, 0.0) + spent

    def feed(self, portions: Iterable[list[T]]) -> Iterator[T]:
        """Hand on items that are made in portions; the making is not counted."""
        source = iter(portions)
        while True:
            start = time.process_time()
            portion = next(source, None)
            self._fed += time.process_time() - start
            if portion is None:
                return
            yield from portion
