"""Where benchmark files lie, whether they are the published ones, and how they get here when asked for."""

from __future__ import annotations

import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memgauge.datasets.base import DatasetIdentity
from memgauge.errors import ConfigError, DataError, DataMismatchError, DataNotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import BinaryIO

    from memgauge.datasets.kind import DatasetRequest

_CHUNK = 1 << 20
_TIMEOUT_S = 60


NO_HASH: Final = "No hash has been published that is known here, so a copy stays unpinned."


@dataclass(frozen=True)
class FileSpec:
    """One published file."""

    name: str
    sha256: str | None
    """Whole, or abbreviated as ``first…last`` where no more is known; ``None``: not known here, so that no copy
    can be called the published one."""
    url: str
    """The benchmark's own address."""
    variant: str = ""
    """The variant that needs it; empty for all."""
    note: str = ""

    def matches(self, sha256: str) -> bool:
        """Whether a hash is the published one, as far as that is known."""
        first, abbreviated, last = (self.sha256 or "").partition("…")
        if not abbreviated:
            return sha256 == self.sha256
        return sha256.startswith(first) and sha256.endswith(last)


@dataclass(frozen=True)
class FoundFile:
    """A file on disk and what its bytes are."""

    path: Path
    sha256: str
    pinned: bool
    """Whether it is known to be the published file."""


def cache_root() -> Path:
    """Return the folder that fetched files go to: ``MEMGAUGE_CACHE``, else ``memgauge`` in the user's cache."""
    if chosen := os.environ.get("MEMGAUGE_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "memgauge"


def search_roots() -> tuple[Path, ...]:
    """List the folders that may hold data, in order.

    ``MEMGAUGE_DATA``, then ``shared/data`` in the working folder, in the package and in every folder that contains
    one of them, then the cache.
    """
    chosen = os.environ.get("MEMGAUGE_DATA")
    homes = (Path.cwd(), *Path.cwd().parents, *Path(__file__).resolve().parents)
    shared = (home / "shared" / "data" for home in homes)
    roots = [Path(chosen)] if chosen else []
    roots += [root for root in shared if root.is_dir()]
    return tuple(dict.fromkeys((*roots, cache_root())))


def locate(dataset: str, spec: FileSpec, root: Path | None = None) -> Path:
    """Find the file of *spec* below *root* or the usual folders.

    Raises:
        DataNotFoundError: It is in none of them.
    """
    roots = search_roots() if root is None else (root,)
    places = [place for r in roots for place in (r / dataset / spec.name, r / spec.name)]
    for place in places:
        if place.is_file():
            return place
    looked = ", ".join(str(place) for place in places)
    wanted = f"{dataset}:{spec.variant}" if spec.variant else dataset
    raise DataNotFoundError(
        f"No file {spec.name} for dataset {dataset}. Looked at: {looked}.",
        f"Run `memgauge data fetch {wanted}`, or set MEMGAUGE_DATA to the folder that holds it.",
    )


def verify(dataset: str, spec: FileSpec, path: Path, *, allow_unpinned: bool = False) -> FoundFile:
    """Hash the file at *path* and compare it with *spec*.

    Raises:
        DataMismatchError: It is another file and *allow_unpinned* is false.
    """
    sha256 = sha256_of(path)
    if spec.sha256 is None:
        return FoundFile(path, sha256, pinned=False)
    if not spec.matches(sha256) and not allow_unpinned:
        raise DataMismatchError(
            f"{path} is not the published {spec.name}: expected sha256 {spec.sha256}, found {sha256}.",
            f"Fetch it again with `memgauge data fetch {dataset}`, "
            "or accept it with --allow-unpinned, which marks every run on it as unpinned.",
        )
    return FoundFile(path, sha256, pinned=spec.matches(sha256))


def find_published(
    name: str, files: Mapping[str, FileSpec], licence: str, request: DatasetRequest
) -> tuple[DatasetIdentity, Path]:
    """Find and hash the file of the variant of *files* that is asked for, or the file at a path.

    Raises:
        DataError: It is missing, or not the published one.
    """
    spec = files.get(request.variant)
    if spec is not None:
        file = verify(name, spec, locate(name, spec, request.root), allow_unpinned=request.allow_unpinned)
    else:
        path = _at(name, request.variant, request.root)
        file = FoundFile(path, sha256_of(path), pinned=False)
    identity = DatasetIdentity(
        ref=request.ref,
        name=name,
        sha256=file.sha256,
        options={"variant": request.variant if spec else "path", **request.options},
        pinned=file.pinned,
        licence=licence,
        source=spec.url if spec else file.path.name,
    )
    return identity, file.path


def _at(dataset: str, text: str, root: Path | None) -> Path:
    """Find the file at a path, from here or from a folder of data: so a run need not name a machine's folders.

    Raises:
        DataNotFoundError: It is in none of them.
    """
    roots = search_roots() if root is None else (root,)
    for place in (Path(text), *(place for r in roots for place in (r / dataset / text, r / text))):
        if place.is_file():
            return place
    raise DataNotFoundError(
        f"No file at {Path(text).absolute()}, nor below a folder of data.", f"Check the path in {dataset}:<path>."
    )


def sha256_of(path: Path) -> str:
    """Hash a file without loading it whole."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def fetch(
    dataset: str,
    file: FileSpec,
    destination: Path | None = None,
    *,
    progress: Callable[[int, int | None], None] = lambda _done, _total: None,
) -> Path:
    """Download *file* of *dataset* below *destination* (the cache by default) and return where it lies.

    Nothing appears under its final name before it is complete and verified. *progress* is called with the bytes so
    far and the total, where the server tells it.

    Raises:
        DataError: The server cannot be reached, or what it sent is not the published file.
    """
    if not file.url.startswith(("https://", "http://")):
        raise ConfigError(f"The address of {file.name} is not one of the web: {file.url!r}.")
    final = (destination or cache_root()) / dataset / file.name
    try:
        final.parent.mkdir(parents=True, exist_ok=True)
        handle, partial = tempfile.mkstemp(dir=final.parent, prefix=f".{file.name}.")
    except OSError as error:
        raise DataError(f"Cannot write to {final.parent}: {error}.", "Choose another folder.") from error
    try:
        with os.fdopen(handle, "wb") as sink:
            _download(file, sink, progress)
        verify(dataset, file, Path(partial))
        Path(partial).replace(final)
    finally:
        Path(partial).unlink(missing_ok=True)
    return final


def _download(file: FileSpec, sink: BinaryIO, progress: Callable[[int, int | None], None]) -> None:
    remedy = f"Check the connection, or download it by hand from {file.url} and set MEMGAUGE_DATA to its folder."
    done = 0
    from http.client import HTTPException  # of those who fetch: with the web comes TLS, and much else
    from urllib.request import urlopen

    try:
        # The scheme was checked by the caller.
        with urlopen(file.url, timeout=_TIMEOUT_S) as response:  # noqa: S310 - checked to be of the web
            length = response.headers.get("Content-Length")
            total = int(length) if length else None
            while chunk := response.read(_CHUNK):
                done += sink.write(chunk)
                progress(done, total)
    except (OSError, HTTPException) as error:
        raise DataError(f"Cannot download {file.name} from {file.url}: {error}.", remedy) from error
    if total is not None and done != total:
        raise DataError(f"The download of {file.name} stopped at {done:,} of {total:,} bytes.", remedy)
