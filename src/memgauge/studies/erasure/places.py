"""Places: the files that a system keeps or has written, each by what it is and as a report may call it."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

STORE, BESIDE, ELSEWHERE, ALSO = "store", "beside the store", "elsewhere", "named by you"
_KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "write-ahead log": ("*-wal", "*.wal", "*-journal", "*/pg_wal/*"),
    "backup": ("*.bak", "*~", "*backup*", "*.old", "*.orig", "*snapshot*"),
    "log": ("*.log", "*/logs/*", "*.log.*", "*.out"),
    "history": ("*history*", "*audit*", "*/_versions/*", "*/_transactions/*"),
    "cache": ("*cache*",),
    "index": ("*index*", "*.faiss", "*.hnsw", "*/_indices/*", "*.bin"),
}
"""By which names files are taken for what they are, where nobody has declared it."""


@dataclass(frozen=True)
class StoredPlace:
    """One file, and what is said of it."""

    file: Path
    shown: str
    """Its path below the root that it lies in; temporary folders have other names every time."""
    kind: str


@dataclass(frozen=True)
class LookedRoots:
    """Where files are looked for."""

    store: tuple[Path, ...]
    """What the system declares to be its store."""
    also: tuple[Path, ...] = ()
    """What the user names beside it: backups, logs of a server."""
    declared: Mapping[str, str] | None = None
    """Of a product, patterns of paths below its store and the kind that files there are of."""


def places(roots: LookedRoots, written: Iterable[Path]) -> Iterator[StoredPlace]:
    """Yield every file below the roots, and of those that were *written* meanwhile whatever lies elsewhere."""
    met: set[Path] = set()
    for top, title in (*((path, STORE) for path in roots.store), *((path, ALSO) for path in roots.also)):
        for file in _files(top):
            if (resolved := file.resolve()) not in met:
                met.add(resolved)
                shown = f"{title}/{file.relative_to(top) if top.is_dir() else file.name}"
                yield StoredPlace(file, shown, kind_of(shown, roots.declared or {}, title))
    for file in sorted(written):
        if (resolved := file.resolve()) not in met:
            met.add(resolved)
            shown = _beside(resolved)
            yield StoredPlace(file, shown, kind_of(shown, {}, "elsewhere"))


def kind_of(shown: str, declared: Mapping[str, str], otherwise: str) -> str:
    """Return what a file is: as the product declares it, or as its name says."""
    below = shown.partition("/")[2]
    for pattern, meaning in declared.items():
        if fnmatch(below, pattern) or fnmatch(below, f"*/{pattern}"):
            return meaning.partition(":")[0].strip()
    named = shown.casefold()
    return next((kind for kind, globs in _KINDS.items() if any(fnmatch(named, each) for each in globs)), otherwise)


def _files(top: Path) -> Sequence[Path]:
    if top.is_dir():
        return sorted(path for path in top.rglob("*") if path.is_file())
    return [top] if top.is_file() else []


def _beside(file: Path) -> str:
    """Call a file of a temporary folder by where it lies in that."""
    scratch = Path(tempfile.gettempdir()).resolve()
    if scratch in file.parents:
        parts = file.relative_to(scratch).parts
        return f"{BESIDE}/{'/'.join(parts[1:] or parts)}"
    return f"{ELSEWHERE}{file}"
