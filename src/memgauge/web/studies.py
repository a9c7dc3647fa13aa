"""Results of studies that lie beside runs, told apart by what is in them."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.errors import MalformedDataError, RunNotFoundError
from memgauge.runs.manifest import FILE as MANIFEST
from memgauge.studies.slices import recognised, results, shown_as, slices
from memgauge.text.jsons import json_file, object_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.web.library import Library

LARGEST = 32_000_000
"""Bytes of a file above which it is no result of a study."""
MOST = 400
"""Files that are looked into."""
_BY_KEYS = (
KINDS = {
}
"""Every kind that no slice names yet, and a command that makes one."""


def kinds() -> dict[str, str]:
    """Return every kind of result, and a command that makes one."""
    own = [(shown.kind.name, shown.kind.made_by) for shown in results()]
    files = [(kept.name, kept.made_by) for each in slices() for kept in each.kept]
    return dict(sorted({**KINDS, **dict(own), **dict(files)}.items()))


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
    looked = [
        Study(_key(name), kind, path, name)
        for root in library.roots
        for path in _paths(root)
        if (kind := _kind(library, path))
        for name in [str(path.relative_to(root)) if path != root else path.name]
    ]
    unique = {one.path.resolve(): one for one in looked}
    return tuple(sorted(unique.values(), key=lambda one: (one.kind, one.name)))


def study(library: Library, key: str) -> Study:
    """Return one result.

    Raises:
        RunNotFoundError: There is none of this name.
    """
    for one in found(library):
        if one.key == key:
            return one
    raise RunNotFoundError(f"There is no study result {key!r} here.", "Choose one of the list of studies.")


def _paths(root: Path) -> Iterator[Path]:
    """Yield files that may be results, and folders that a study keeps; nothing within a run is looked at."""
    seen = 0
    for folder, below, names in os.walk(root):
        here = Path(folder)
        if MANIFEST in names:
            below.clear()
            continue
        if recognised(here):
            below.clear()
            yield here
            continue
        below[:] = sorted(name for name in below if not name.startswith("."))
        for name in sorted(names):
            if name.endswith((".json", ".jsonl")) and seen < MOST:
                seen += 1
                yield here / name


def _kind(library: Library, path: Path) -> str:
    if kept := recognised(path):
        return kept.name
    try:
        if not 0 < path.stat().st_size <= LARGEST:
            return ""
        return library.kept(path, _look)
    except OSError:
        return ""


def _look(path: Path) -> str:
    if path.suffix == ".jsonl":
        return _by_line(path)
    try:
        data = json_file(path)
    except MalformedDataError:
        return ""
    if shown := shown_as(data):
        return shown.kind.name
    keys = set(data) if isinstance(data, dict) else set()
    for kind, wanted in _BY_KEYS:
        if wanted <= keys:
            return kind
    return "data" if {"published_table", "matrix"} & keys else ""


def _by_line(path: Path) -> str:
    try:
        with path.open("rb") as file:
            keys = set(object_of(file.readline(1_000_000)) or {})
    except OSError:
        return ""
    return next((kind for kind, wanted in _BY_LINE if wanted <= keys), "")


def _key(name: str) -> str:
    slug = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()[:60].strip("-")
    return f"{slug}-{hashlib.sha256(os.fsencode(name)).hexdigest()[:6]}"
