"""Words of many texts told apart by columns: bytes in, numbers out, no object for a word that was met before.

A word of up to sixteen bytes is two numbers of eight bytes, which are looked up in a table for all words at once.
Only words that are new to this process, and the few longer ones, become texts.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.text.tokens import spaced

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Keys = npt.NDArray[np.uint64]

_SPACE: Final = 0x20
_WIDTH: Final = 16
"""Bytes of a word that is looked up in the table."""
_FILLED: Final = np.array([(1 << 8 * n) - 1 for n in range(9)], dtype=np.uint64)
"""Masks for so many bytes of eight."""
_MIX, _MIX_HIGH, _FOLD = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(29)
_FEWEST: Final = 14
"""The table begins with two to the power of so many places."""
_MOST: Final = 1 << 18
"""Words that one table knows; whoever meets more begins another one."""


class WordTable:
    """Every word met so far, by a number that says nothing but which word it is."""

    def __init__(self) -> None:
        self.words: list[str] = []
        """By their numbers."""
        self._long: dict[bytes, int] = {}
        self._lock = Lock()
        self._clear(_FEWEST)

    def of(self, texts: Sequence[str]) -> tuple[Ints, Ints]:
        """Return the numbers of all words of *texts*, one after the other, and how many words each text has."""
        pieces = [spaced(text) for text in texts]
        joined_text = b" ".join((b"", *pieces, b" " * _WIDTH))
        inside = np.frombuffer(joined_text, np.uint8) != _SPACE
        edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
        starts, lengths = edges[::2], edges[1::2] - edges[::2]
        ends = np.cumsum([len(piece) + 1 for piece in pieces])
        counts = np.diff(np.searchsorted(starts, ends, side="right"), prepend=0)
        with self._lock:
            return self._numbered(joined_text, starts, lengths), counts

    def _numbered(self, joined_text: bytes, starts: Ints, lengths: Ints) -> Ints:
        eights = np.ndarray((len(joined_text) - 7,), "<u8", joined_text, strides=(1,))
        low = eights[starts] & _FILLED[np.minimum(lengths, 8)]
        high = np.zeros_like(low)
        wide = np.flatnonzero(lengths > 8)
        high[wide] = eights[starts[wide] + 8] & _FILLED[np.minimum(lengths[wide] - 8, 8)]
        numbers = self._found(low, high)
        for place in wide[lengths[wide] > _WIDTH].tolist():
            word = joined_text[starts[place] : starts[place] + lengths[place]]
            if word not in self._long:
                self._long[word] = len(self.words)
                self.words.append(word.decode())
            numbers[place] = self._long[word]
        if len(unknown := np.flatnonzero(numbers < 0)):
            numbers[unknown] = self._learnt(
                joined_text,
                starts[unknown],
                lengths[unknown],
                low[unknown],
                high[unknown],
            )
        return numbers

    def _learnt(self, joined_text: bytes, starts: Ints, lengths: Ints, low: Keys, high: Keys) -> Ints:
        """Number words that are not in the table, and put them there."""
        keys = np.stack((low, high), axis=1).view(np.dtype((np.void, _WIDTH)))[:, 0]
        _, first_places, inverse = np.unique(keys, return_index=True, return_inverse=True)
        numbers = np.arange(len(self.words), len(self.words) + len(first_places))
        ends = (starts + lengths)[first_places].tolist()
        cuts = zip(starts[first_places].tolist(), ends, strict=True)
        self.words += [joined_text[start:end].decode() for start, end in cuts]
        if 2 * len(self.words) > len(self._value):
            is_full = self._value >= 0
            entries = self._low[is_full], self._high[is_full], self._value[is_full]
            self._clear((4 * len(self.words)).bit_length())
            self._put(*entries)
        self._put(low[first_places], high[first_places], numbers)
        return numbers[inverse]

    def _clear(self, power: int) -> None:
        self._power = power
        self._low, self._high = np.zeros(1 << power, np.uint64), np.zeros(1 << power, np.uint64)
        self._value = np.full(1 << power, -1, np.int64)

    def _slots(self, low: Keys, high: Keys) -> Ints:
        hashes = (low ^ (high * _MIX_HIGH)) * _MIX
        return (((hashes ^ (hashes >> _FOLD)) * _MIX_HIGH) >> np.uint64(64 - self._power)).astype(np.int64)

    def _found(self, low: Keys, high: Keys) -> Ints:
        """Look words up; what is not in the table is -1."""
        slots = self._slots(low, high)
        numbers = self._value[slots]
        waiting = np.flatnonzero((self._low[slots] != low) | (self._high[slots] != high))
        waiting = waiting[numbers[waiting] >= 0]
        while len(waiting):
            slots[waiting] = at = (slots[waiting] + 1) & (len(self._value) - 1)
            numbers[waiting] = self._value[at]
            collides = (self._low[at] != low[waiting]) | (self._high[at] != high[waiting])
            waiting = waiting[collides & (numbers[waiting] >= 0)]
        return numbers

    def _put(self, low: Keys, high: Keys, values: Ints) -> None:
        """Put words into free places, of which there are at least as many again."""
        slots, waiting = self._slots(low, high), np.arange(len(values))
        while len(waiting):
            at = slots[waiting]
            free_places = np.flatnonzero(self._value[at] < 0)
            winners = free_places[np.unique(at[free_places], return_index=True)[1]]  # one word for each place
            for column, source in ((self._low, low), (self._high, high), (self._value, values)):
                column[at[winners]] = source[waiting[winners]]
            waiting = np.delete(waiting, winners)
            slots[waiting] = (slots[waiting] + 1) & (len(self._value) - 1)


_table = WordTable()


def shared_table() -> WordTable:
    """Return the table that all memories of this process share, or another one once it is full."""
    global _table  # noqa: PLW0603 - what words are is the same for everybody
    if len(_table.words) > _MOST:
        _table = WordTable()
    return _table
