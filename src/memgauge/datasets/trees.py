"""Benchmarks of several files: found by pattern in a folder, hashed as one, pinned where all are published."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from memgauge.datasets.base import DatasetIdentity
from memgauge.datasets.entries import EntryStream
from memgauge.datasets.files import search_roots, sha256_of
from memgauge.errors import DataMismatchError, DataNotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memgauge.datasets.files import FileSpec
    from memgauge.datasets.kind import DatasetKind, DatasetRequest


@dataclass(frozen=True)
class FileTree:
    """The files of one benchmark, in the order of their names."""

    folder: Path
    files: tuple[Path, ...]
    sha256: str
    """Of every name, relative to the folder, and hash."""
    pinned: bool
    """Whether every published file is there as it was published, and no other."""

    def named(self, pattern: str) -> tuple[Path, ...]:
        """Return those whose name matches *pattern*."""
        return tuple(path for path in self.files if path.match(pattern))

    def place(self, path: Path) -> str:
        """Name a file relative to the folder, with slashes."""
        return path.relative_to(self.folder).as_posix()


def find_tree(
    name: str,
    patterns: Iterable[str],
    request: DatasetRequest,
    published: Iterable[FileSpec] = (),
    *,
    hashes: Iterable[str] = (),
) -> FileTree:
    """Find the folder of *request*, or that of the benchmark *name* below a folder of data, and hash its files.

    *patterns* are paths in the folder with ``*`` and ``**``, each of which must match a file. *published* are the
    files as they are published, by relative path; *hashes* those of all of them, where their names are not told.

    Raises:
        DataNotFoundError: There is no such folder, or a pattern matches nothing.
        DataMismatchError: A file is called like a published one and is another.
    """
    known = {spec.name: spec for spec in published}
    patterns = tuple(patterns)
    folder = _folder(name, patterns, request)
    files = tuple(sorted({path for pattern in patterns for path in folder.glob(pattern) if path.is_file()}))
    sums = {path.relative_to(folder).as_posix(): sha256_of(path) for path in files}
    same = {place: known[place].matches(sha256) for place, sha256 in sums.items() if place in known}
    lax = bool(request.variant) or request.allow_unpinned  # whoever names a path knows what lies there
    for place in (place for place, matches in same.items() if not matches and not lax):
        raise DataMismatchError(
            f"{folder / place} is not the published file: sha256 {sums[place]}, not {known[place].sha256}.",
            "Bring it again, or accept it with --allow-unpinned, which marks every run on it as unpinned.",
        )
    whole = bool(known) and known.keys() == sums.keys() and all(same.values())
    pinned = whole or (bool(files) and sorted(hashes) == sorted(sums.values()))
    digest = hashlib.sha256()
    for place, sha256 in sums.items():
        digest.update(f"{place}\0{sha256}\n".encode())
    return FileTree(folder, files, digest.hexdigest(), pinned)


def _folder(name: str, patterns: tuple[str, ...], request: DatasetRequest) -> Path:
    if request.variant:
        roots = search_roots() if request.root is None else (request.root,)
        places = [Path(request.variant), *(root / request.variant for root in roots)]
        remedy = f"Check the folder in {name}:FOLDER."
    else:
        places = [root / name for root in search_roots()]
        if request.root is not None:
            places = [request.root / name, request.root]
        remedy = f"Name its folder, as {name}:FOLDER, or set MEMGAUGE_DATA to the folder that holds {name}/."
    for place in places:
        if all(any(place.glob(pattern)) for pattern in patterns):
            return place
    where = f"at {places[0].absolute()}" if request.variant else "below a folder of data"
    raise DataNotFoundError(f"No files of {name} ({', '.join(patterns)}) {where}.", remedy)


@dataclass(frozen=True)
class TreeStream(EntryStream):
    """A benchmark of several files; every iteration reads them anew."""

    identity: DatasetIdentity
    tree: FileTree

    @classmethod
    def opened(
        cls,
        kind: DatasetKind,
        request: DatasetRequest,
        patterns: Iterable[str],
        published: Iterable[FileSpec] = (),
        *,
        hashes: Iterable[str] = (),
    ) -> Self:
        """Find and hash the files, as :func:`find_tree` does.

        Raises:
            DataError: One is missing, or is called like a published one and is another.
        """
        tree = find_tree(kind.name, patterns, request, published, hashes=hashes)
        return cls(_identity_of(kind, tree, request), tree)


def _identity_of(kind: DatasetKind, tree: FileTree, request: DatasetRequest) -> DatasetIdentity:
    return DatasetIdentity(
        ref=request.ref,
        name=kind.name,
        sha256=tree.sha256,
        options={"variant": "path" if request.variant else "", **request.options},
        pinned=tree.pinned,
        licence=kind.licence,
        source=kind.homepage,
    )
