"""Files around a store: what a memory wrote where it should not have written."""

from __future__ import annotations

import contextlib
import os
import tempfile
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memgauge.studies.golden.driver import Driver

_MOST_FILES, _MOST_BYTES = 1_000, 10_000_000
"""Of each folder that is new, and of each file."""


@dataclass(frozen=True)
class StoreSurroundings:
    """The folders around a store, the current and the temporary one, and what lay in them at first."""

    driver: Driver
    folders: frozenset[Path]
    before: frozenset[Path]

    @classmethod
    def of(cls, driver: Driver) -> Self:
        """Look around the store of an empty memory."""
        declared = [path.resolve() for path in driver.declared()]
        near = (up for path in declared for up in list(path.parents)[:2])
        folders = frozenset({Path.cwd(), Path(tempfile.gettempdir()), *near} - {Path("/")})
        return cls(driver, folders, frozenset(_inside(folders)))

    def strays(self, words: Sequence[str]) -> list[str]:
        """Name the files outside the store, new around it or seen to be written anywhere, that hold *words*."""
        declared = {path.resolve() for path in self.driver.declared()}
        new = (path for path in _inside(self.folders) - self.before if path not in declared)
        files = {file.resolve() for path in new for file in _files(path)}
        files |= {path.resolve() for path in self.driver.footprint.files()}
        return sorted(str(file) for file in files if not declared & {file, *file.parents} and _holds(file, words))


def _inside(folders: Iterable[Path]) -> set[Path]:
    inside: set[Path] = set()
    for folder in folders:
        # A folder that cannot be listed cannot be written to either.
        with contextlib.suppress(OSError):
            inside |= {path.resolve() for path in folder.iterdir()}
    return inside


def _files(path: Path) -> Iterable[Path]:
    return [path] if path.is_file() else islice(_below(path), _MOST_FILES)


def _below(folder: Path) -> Iterator[Path]:
    """List the files below a folder; one that goes meanwhile is nobody's concern."""
    for place, _, names in os.walk(folder):
        yield from (Path(place, name) for name in names)


def _holds(file: Path, words: Sequence[str]) -> bool:
    with contextlib.suppress(OSError):
        data = file.read_bytes()[:_MOST_BYTES].lower() if file.is_file() else b""
        return any(word.encode() in data for word in words)
    return False
