"""Where the files of datasets lie: what nobody may read who is to be measured on them."""

from __future__ import annotations

import os
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memgauge.datasets.catalogue import DATASETS
from memgauge.datasets.files import cache_root, search_roots
from memgauge.registry import parse_ref

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memgauge.datasets.base import Dataset

CONFORMANCE: Final = "conformance"
"""The folder of the cache that holds what the conformance check found: nobody may write their own report."""
SIZES: Final = "sizes"
"""The folder of the cache that holds how large the conversations of datasets are."""
_DEEP: Final = 3
"""How far inside an opened dataset its paths are looked for."""


def folders_of(datasets: Iterable[Dataset]) -> tuple[Path, ...]:
    """Return the files and folders of *datasets*, and every folder where benchmarks and reports usually lie."""
    cache = cache_root()
    usual = [root for root in search_roots() if root != cache]
    usual += [cache / name for name in (*DATASETS.names(), CONFORMANCE, SIZES)]
    named = [path for dataset in datasets for path in files_of(dataset)]
    return tuple(dict.fromkeys(path for path in (*named, *usual) if os.path.exists(path)))  # noqa: PTH110 - what may not be looked at is not there


def files_of(dataset: Dataset) -> Iterator[Path]:
    """Yield the files and folders that an opened dataset was opened from."""
    yield from _held(dataset, _DEEP)
    named = parse_ref(dataset.identity.ref).variant
    if named and os.path.exists(named):  # noqa: PTH110 - as above
        yield Path(named)


def _held(value: object, depth: int) -> Iterator[Path]:
    """Yield the paths among the fields of a value, of what it wraps, and of what that wraps."""
    if isinstance(value, Path):
        yield value
    elif isinstance(value, (tuple, list)) and depth:
        for item in value[:100]:
            if isinstance(item, Path) or is_dataclass(item):
                yield from _held(item, depth - 1)
    elif is_dataclass(value) and depth:
        for field in fields(value):
            yield from _held(getattr(value, field.name, None), depth - 1)
