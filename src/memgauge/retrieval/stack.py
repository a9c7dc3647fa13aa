"""Vectors that lie in a file: appended from a stream, searched exactly, one block at a time for all questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.errors import DataError
from memgauge.refusals import remedy
from memgauge.retrieval.dense import DenseIndex
from memgauge.retrieval.parts import Best, IndexPart, latest

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from memgauge.retrieval.parts import Ties

    Found = tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]

ROWS: Final = 1 << 14
"""Vectors that are multiplied at a time."""


class VectorStack:
    """Unit vectors in a file; of equal ones the later comes first, unless they were given ties.

    A block is read and not mapped: mapped pages would count as this process's memory until somebody else needs it.
    """

    def __init__(self, path: Path, dim: int) -> None:
        """Open or make the file, and the one of its ties beside it.

        Raises:
            DataError: It cannot be read, or holds vectors of another length.
        """
        self._path, self._ties, self._dim = path, path.with_name(f"{path.name}.ties"), dim
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
            self._ties.touch()
            size, remainder = divmod(path.stat().st_size, 4 * dim)
            tied = self._ties.stat().st_size
        except OSError as error:
            raise DataError(f"Cannot use {path} for vectors: {error.strerror}.", "Choose another.") from error
        if remainder or tied != 8 * size:
            raise DataError(f"{path} does not hold vectors of {dim} numbers.", "Build it again.")
        self._size = size

    def __len__(self) -> int:
        return self._size

    def extend(self, rows: npt.ArrayLike, ties: Ties | None = None) -> None:
        """Append rows, float32; *ties* decide between those of equal scores, the smaller first.

        Raises:
            DataError: They cannot be written.
        """
        table = np.asarray(rows, dtype="<f4").reshape(-1, self._dim)
        tie_values = latest(self._size, len(table)) if ties is None else ties
        try:
            with self._path.open("ab") as file:
                file.write(table.tobytes())
            with self._ties.open("ab") as file:
                file.write(tie_values.astype("<u8").tobytes())
        except OSError as error:
            raise DataError(f"Cannot write {self._path}: {error.strerror}.", remedy(error)) from error
        self._size += len(table)

    def search_many(self, queries: npt.ArrayLike, k: int, *, rows: int = ROWS) -> Found:
        """Return the best *k* for each row of *queries*; the file is read once, *rows* vectors at a time."""
        query_rows = np.asarray(queries, dtype=np.float64).reshape(-1, self._dim)
        best = Best(len(query_rows), max(0, min(k, self._size)))
        for start in range(0, self._size, rows):
            count = min(rows, self._size - start)
            block = np.fromfile(self._path, dtype="<f4", count=count * self._dim, offset=start * self._dim * 4)
            ties = np.fromfile(self._ties, dtype="<u8", count=count, offset=start * 8).astype(np.uint64)
            part = IndexPart(np.arange(start, start + count), ties)
            index = DenseIndex(block.reshape(count, self._dim), order=part.order)
            best.take(*index.search_many(query_rows, k), part)
        return best.places, best.scores
