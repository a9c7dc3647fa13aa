"""The state of what is viewed, as the file system tells it: it changes with every file that a page could show."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.runs.layers.layer import FOLDER as LAYERS
from memgauge.runs.layers.layer import SEAL as LAYER_SEAL
from memgauge.runs.record.files import DEPTH
from memgauge.runs.record.manifest import FILE as MANIFEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def run_state(folder: Path, *, finished: bool) -> str:
    """Spell the state of a run; of one that is being written only who it is, and so of a layer."""
    return _spelled(_inside(folder) if finished else [folder / MANIFEST])


def other_state(roots: Iterable[Path]) -> str:
    """Spell the state of all files that lie outside of runs."""
    return _spelled(path for root in roots for path in _outside(root))


def _inside(run: Path) -> Iterator[Path]:
    for name, subfolders, names in os.walk(run):
        folder = Path(name)
        subfolders.sort()
        if folder.parent.name == LAYERS and LAYER_SEAL not in names:
            subfolders.clear()
            continue
        yield from (folder / name for name in sorted(names))


def _outside(root: Path) -> Iterator[Path]:
    if not root.is_dir():
        yield root
    for name, subfolders, names in os.walk(root):
        folder = Path(name)
        subfolders[:] = sorted(subfolder for subfolder in subfolders if not subfolder.startswith("."))
        if MANIFEST in names or len(folder.parts) - len(root.parts) > DEPTH:
            subfolders.clear()
            continue
        yield from (folder / name for name in sorted(names))


def _spelled(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        try:
            state = path.stat()
        except OSError:
            continue  # it went away while we looked
        numbers = (state.st_mtime_ns, state.st_ctime_ns, state.st_size, state.st_ino)
        digest.update(os.fsencode(path) + f"\0{numbers}\n".encode())
    return digest.hexdigest()
