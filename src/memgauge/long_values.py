"""Sequences that may be longer than memory: they lie in files without names, which go with their last user."""

from __future__ import annotations

import os
import pickle
import tempfile
import weakref
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

T = TypeVar("T")
SHORT: Final = 100_000
"""Values up to which a sequence is a tuple."""
_PORTION: Final = 1024
"""Values that are written and read at a time."""


class LongBytes:
    """Portions of bytes, written one after the other and read in that order as often as one likes."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="memgauge-")  # noqa: SIM115 - lives as long as this value
        weakref.finalize(self, self._file.close)
        self._ends = array("Q")
        self.size = 0
        """Bytes of all portions."""

    def append(self, portion: bytes) -> None:
        """Write one portion.

        Raises:
            OSError: There is no room.
        """
        self._file.write(portion)
        self._file.flush()
        self.size += len(portion)
        self._ends.append(self.size)

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, number: int) -> bytes:
        start = self._ends[number - 1] if number else 0
        return os.pread(self._file.fileno(), self._ends[number] - start, start)

    def __iter__(self) -> Iterator[bytes]:
        return (self[number] for number in range(len(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        return _written_again, (list(self),)


def _written_again(portions: Iterable[bytes]) -> LongBytes:
    again = LongBytes()
    for portion in portions:
        again.append(portion)
    return again


class LongSequence(Sequence[T]):
    """Values in a file, in portions; a slice is a view of the same file. One portion is held at a time."""

    def __init__(self, values: Iterable[T] = ()) -> None:
        """Write *values* down, one portion after the other.

        Raises:
            OSError: There is no room.
        """
        self._pieces, self._begins = LongBytes(), array("Q")
        self._start = self._stop = 0
        self._held: tuple[int, list[T]] = (-1, [])
        self.extend(values)

    def extend(self, values: Iterable[T]) -> None:
        """Write further *values* behind the others; views stay as long as they were.

        Raises:
            OSError: There is no room.
        """
        source = iter(values)
        while piece := list(islice(source, _PORTION)):
            self._begins.append(self._stop)
            self._pieces.append(pickle.dumps(piece, pickle.HIGHEST_PROTOCOL))
            self._stop += len(piece)

    def __len__(self) -> int:
        return self._stop - self._start

    def __iter__(self) -> Iterator[T]:
        number, place = bisect_right(self._begins, self._start) - 1, self._start
        while place < self._stop:
            piece, begin = self._piece(number), self._begins[number]
            yield from piece[place - begin : self._stop - begin]
            place, number = begin + len(piece), number + 1

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[T]: ...
    def __getitem__(self, place: int | slice) -> T | Sequence[T]:
        if isinstance(place, slice):
            start, stop, step = place.indices(len(self))
            return self._between(start, max(start, stop)) if step == 1 else tuple(self)[place]
        at = self._start + range(len(self))[place]
        number = bisect_right(self._begins, at) - 1
        if self._held[0] != number:
            self._held = number, self._piece(number)
        return self._held[1][at - self._begins[number]]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (tuple, LongSequence)) or len(self) != len(other):
            return NotImplemented if not isinstance(other, (tuple, LongSequence)) else False
        return all(a == b for a, b in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(len(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return LongSequence, (list(self),)

    def _between(self, start: int, stop: int) -> LongSequence[T]:
        view: LongSequence[T] = object.__new__(LongSequence)
        view._pieces, view._begins, view._held = self._pieces, self._begins, (-1, [])
        view._start, view._stop = self._start + start, self._start + stop
        return view

    def _piece(self, number: int) -> list[T]:
        piece: list[T] = pickle.loads(self._pieces[number])  # noqa: S301 - written by this process, read by no other
        return piece


def sequence_of(values: Iterable[T], short: int | None = None) -> Sequence[T]:
    """Gather *values*: a tuple where they are at most so many, :data:`SHORT` by default, else a LongSequence."""
    source, longest = iter(values), SHORT if short is None else short
    head = tuple(islice(source, longest + 1))
    if len(head) <= longest:
        return head
    return LongSequence(_joined(head, source))


def _joined(head: tuple[T, ...], tail: Iterator[T]) -> Iterator[T]:
    yield from head
    del head
    yield from tail
