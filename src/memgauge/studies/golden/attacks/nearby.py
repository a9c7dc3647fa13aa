"""Files around a store: what a memory wrote where it should not have written."""

from __future__ import annotations

import contextlib
import os
import tempfile
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memgauge.studies.golden.driver import Driver


def around(driver: Driver) -> set[Path]:
    """Return what lies in the folders around the store, and in the current and the temporary one."""
    owned = {path.resolve() for path in driver.files()}
    folders = {Path.cwd(), Path(tempfile.gettempdir()), *(up for path in owned for up in list(path.parents)[:3])}
    inside: set[Path] = set()
    for folder in folders:
        # A folder that cannot be listed cannot be written to either.
        with contextlib.suppress(OSError):
            inside |= {path.resolve() for path in folder.iterdir()}
    return inside - owned - {up for path in owned for up in path.parents}


def _below(folder: Path) -> Iterator[Path]:
    """List the files below a folder; one that goes meanwhile is nobody's concern."""
    for place, _, names in os.walk(folder):
        yield from (Path(place, name) for name in names)


def holding(new: Iterable[Path], words: Sequence[str]) -> list[str]:
    """Name the files among what is new, and below it, that hold what was written to the memory."""
    files = [file for path in new for file in ([path] if path.is_file() else islice(_below(path), 1_000))]
    held = []
    for file in files:
        with contextlib.suppress(OSError):
            data = file.read_bytes()[:10_000_000].lower() if file.is_file() else b""
            held += [str(file)] if any(word.encode() in data for word in words) else []
    return sorted(held)
