"""How alike the records of one list are: Jaccard's index of their shingles, exact, list by list.

A shingle is a run of three words (Broder 1997); a shorter text is one shingle.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.studies.production.hits import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Floats = NDArray[np.float64]

    Shingles = frozenset[tuple[str, ...]]

SHINGLE: Final = 3
"""Words of a shingle."""
NEAR: Final = 0.9
"""Likeness above which a record says again what an earlier one says."""
_SHORT: Final = 64
"""Texts of a list up to which each is compared with all."""
_HELD: Final = 4_000
"""Texts whose shingles are held, for texts come again and again."""


def shingles(text: str) -> Shingles:
    """Return every run of three words of a text, whatever its case; words are what white space parts."""
    words = text.casefold().split()
    if len(words) <= SHINGLE:
        return frozenset({tuple(words)})
    return frozenset(zip(words, words[1:], words[2:], strict=False))


def jaccard(first: Shingles, second: Shingles) -> float:
    """Return the share of the shingles of two texts that both have."""
    common = len(first & second)
    return common / (len(first) + len(second) - common)


def likenesses(lists: Integers, codes: Integers, texts: Sequence[str | None]) -> Floats:
    """Return, for every record, its highest likeness to an earlier record of its list, 0 where none is near.

    *lists* are (n,), those of one list behind each other; *codes* (n,), equal for equal texts; *texts* (n,),
    ``None`` where it was not recorded, and NaN is returned.
    """
    shingles_by_code: dict[int, Shingles] = {}
    likeness = np.full(len(lists), np.nan)
    now, earlier = UNKNOWN, _EarlierTexts()
    for place, (number, code, text) in enumerate(zip(lists.tolist(), codes.tolist(), texts, strict=True)):
        if number != now:
            now, earlier = number, _EarlierTexts()
            if len(shingles_by_code) > _HELD:
                shingles_by_code.clear()
        if text is None or code == UNKNOWN:
            continue
        if code not in shingles_by_code:
            shingles_by_code[code] = shingles(text)
        likeness[place] = earlier.highest(code, shingles_by_code[code])
        earlier.add(code, shingles_by_code[code])
    return likeness


class _EarlierTexts:
    """The texts of one list so far. Of a long list only those are compared that can be near.

    Who shares more than nine tenths of its shingles with another shares one of the first tenth with it, in
    whatever order all are put (prefix filtering, Chaudhuri et al. 2006), so that nothing near is passed over.
    """

    def __init__(self) -> None:
        self._texts: dict[int, Shingles] = {}
        self._by_first: defaultdict[tuple[str, ...], list[Shingles]] = defaultdict(list)

    def add(self, code: int, text: Shingles) -> None:
        """Add a text behind the others."""
        if code in self._texts:
            return
        self._texts[code] = text
        if len(self._texts) > _SHORT:
            for each in (text,) if self._by_first else self._texts.values():
                for first in _firsts(each):
                    self._by_first[first].append(each)

    def highest(self, code: int, text: Shingles) -> float:
        """Return the highest likeness to a text of the list; what is not near is 0."""
        if code in self._texts:
            return 1.0
        if not self._by_first:
            return _highest(text, self._texts.values())
        return _highest(text, (each for first in _firsts(text) for each in self._by_first.get(first, ())))


def _firsts(text: Shingles) -> list[tuple[str, ...]]:
    """Return the first tenth of some shingles in alphabetical order, rounded up."""
    return sorted(text)[: len(text) - 9 * len(text) // 10]


def _highest(text: Shingles, earlier: Iterable[Shingles]) -> float:
    """Compare with each whose size allows that both are near; what is not near is 0."""
    size = len(text)
    among = (candidate for candidate in earlier if min(size, len(candidate)) > NEAR * max(size, len(candidate)))
    highest = max((jaccard(text, candidate) for candidate in among), default=0.0)
    return highest if highest > NEAR else 0.0
