"""Randomness by counting: the n-th number under a key is a hash of both, in every process and Python alike."""

from __future__ import annotations

from hashlib import blake2b
from struct import Struct
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

T = TypeVar("T")
_BLOCK = Struct("<8Q")
_BITS = 64


class Dice:
    """Draw whole numbers and choices under a key."""

    __slots__ = ("_key", "_numbers")

    def __init__(self, *key: object) -> None:
        """Take whatever the numbers may depend on, each by its text."""
        self._key = blake2b("/".join(map(str, key)).encode(), digest_size=32).digest()
        self._numbers = self._count()

    def _count(self) -> Iterator[int]:
        block = 0
        while True:
            yield from _BLOCK.unpack(blake2b(block.to_bytes(8, "little"), key=self._key).digest())
            block += 1

    def below(self, n: int) -> int:
        """Draw one of ``0 … n - 1``."""
        return next(self._numbers) * n >> _BITS

    def between(self, low: int, high: int) -> int:
        """Draw one of ``low … high``."""
        return low + self.below(high - low + 1)

    def chance(self, percent: int) -> bool:
        """Say yes so often in a hundred."""
        return self.below(100) < percent

    def pick(self, items: Sequence[T]) -> T:
        """Draw one of *items*."""
        return items[next(self._numbers) * len(items) >> _BITS]

    def sample(self, items: Sequence[T], n: int) -> list[T]:
        """Draw *n* different places of *items*, in random order."""
        pool = list(items)
        for place in range(n):
            other = place + self.below(len(pool) - place)
            pool[place], pool[other] = pool[other], pool[place]
        return pool[:n]
