"""Grams: which three bytes stand in a row somewhere, so that most of what is searched for is ruled out at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np

_AT_ONCE: Final = 1 << 20
"""Bytes that are gone through at a time."""


class Grams:
    """Bytes in which many others are searched for."""

    def __init__(self, data: bytes) -> None:
        import numpy as np

        self._data = data
        self._seen: np.ndarray[tuple[int], np.dtype[np.bool_]] = np.zeros(1 << 24, np.bool_)
        for start in range(0, len(data), _AT_ONCE):
            codes = np.frombuffer(data[start : start + _AT_ONCE + 2], np.uint8).astype(np.uint32)
            self._seen[codes[:-2] << 16 | codes[1:-1] << 8 | codes[2:]] = True

    def __contains__(self, wanted: bytes) -> bool:
        """Whether *wanted* stands in the bytes."""
        grams = zip(wanted, wanted[1:], wanted[2:], strict=False)
        return all(self._seen[a << 16 | b << 8 | c] for a, b, c in grams) and wanted in self._data
