"""Results of studies that lie beside runs: they say what they are, or their study recognises them."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.errors import MalformedDataError, RunNotFoundError
from memgauge.runs.record.files import DEPTH
from memgauge.runs.record.manifest import FILE as MANIFEST
from memgauge.studies.slices import recognised, results, shown_as, slices
from memgauge.text.jsons import json_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.web.library import Library

LARGEST = 32_000_000
"""Bytes of a file above which it is no result of a study."""
MOST = 400
"""Files that are looked into."""


def kinds() -> dict[str, str]:
    """Return every kind of result, and a command that makes one."""
    of_results = [(result.name, result.kind.made_by) for result in results()]
    files = [(keeper.name, keeper.made_by) for study_slice in slices() for keeper in study_slice.files]
    return dict(sorted({**dict(of_results), **dict(files)}.items()))


@dataclass(frozen=True)
class Study:
    """One result."""

    key: str
    kind: str
    path: Path
    name: str
    """Its place below the folder that is viewed."""


def found(library: Library) -> tuple[Study, ...]:
    """Return every result, by kind and name."""
    studies = [
        Study(_key(name), kind, path, name)
        for root in library.roots
        for path in _paths(root)
        if (kind := _kind(library, path))
        for name in [str(path.relative_to(root)) if path != root else path.name]
    ]
    unique = {result.path.resolve(): result for result in studies}
    return tuple(sorted(unique.values(), key=lambda result: (result.kind, result.name)))


def study(library: Library, key: str) -> Study:
    """Return one result.

    Raises:
        RunNotFoundError: There is none of this name.
    """
    for result in found(library):
        if result.key == key:
            return result
    raise RunNotFoundError(f"There is no study result {key!r} here.", "Choose one of the list of studies.")


def _paths(root: Path) -> Iterator[Path]:
    """Yield files that may be results, and folders that a study keeps; nothing within a run is looked at."""
    n_files = 0
    for folder, subfolders, names in os.walk(root):
        place = Path(folder)
        if MANIFEST in names or len(place.parts) - len(root.parts) > DEPTH:
            subfolders.clear()
            continue
        if recognised(place):
            subfolders.clear()
            yield place
            continue
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        for name in sorted(names):
            if name.endswith((".json", ".jsonl")) and n_files < MOST:
                n_files += 1
                yield place / name


def _kind(library: Library, path: Path) -> str:
    if keeper := recognised(path):
        return keeper.name
    if path.is_dir() or path.suffix != ".json":
        return ""
    try:
        if not 0 < path.stat().st_size <= LARGEST:
            return ""
        return library.kept(path, _look)
    except OSError:
        return ""


def _look(path: Path) -> str:
    try:
        result = shown_as(json_file(path))
    except MalformedDataError:
        return ""
    return result.name if result else ""


def _key(name: str) -> str:
    slug = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()[:60].strip("-")
    return f"{slug}-{hashlib.sha256(os.fsencode(name)).hexdigest()[:6]}"
