"""The folder of a product's store: its own and temporary, or one that is named and kept."""

from __future__ import annotations

import atexit
import shutil
from pathlib import Path
from tempfile import mkdtemp
from weakref import finalize

from memgauge.errors import ConfigError

_STORE = "store-"


class StoreFolders:
    """A folder in which one store lies at a time, ``store-1``, ``store-2`` and so on.

    A product may hold its files open until the process ends, so that an empty store is another folder.
    """

    def __init__(self, name: str, path: str = "") -> None:
        """Open the folder at *path*, or a temporary one that goes when this object does.

        Raises:
            ConfigError: *path* holds something else than a store, or cannot be made.
        """
        if path:
            self.folder = Path(path).expanduser().absolute()
            self._forget: finalize[[str], StoreFolders] | None = None
            _check(self.folder)
        else:
            self.folder = Path(mkdtemp(prefix=f"memgauge-{name}-")).resolve()
            self._forget = finalize(self, _remove, str(self.folder))
        numbers = [int(each.name.removeprefix(_STORE)) for each in self.folder.glob(f"{_STORE}*")]
        self._number = max(numbers, default=1)
        self.is_new = not numbers
        self.root.mkdir(exist_ok=True)

    @property
    def root(self) -> Path:
        """The folder of the store as it is now."""
        return self.folder / f"{_STORE}{self._number}"

    def renew(self) -> None:
        """Leave the present store behind and begin an empty one."""
        shutil.rmtree(self.root, ignore_errors=True)
        self._number += 1
        self.root.mkdir()

    def close(self) -> None:
        """Remove a temporary folder; a named one stays."""
        if self._forget is not None:
            self._forget()


def scratch(name: str) -> str:
    """Make a folder for what a product writes beside its store (settings, logs): it goes with the process."""
    folder = mkdtemp(prefix=f"memgauge-{name}-")
    atexit.register(_remove, folder)
    return folder


def _remove(folder: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def _check(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        foreign = [each.name for each in folder.iterdir() if not _is_store(each)]
    except OSError as error:
        raise ConfigError(f"{folder} cannot hold a store: {error.strerror}.", "Name another folder.") from error
    if foreign:
        raise ConfigError(
            f"{folder} holds {foreign[0]}, which is no store of memgauge.", "Name an empty or a new folder."
        )


def _is_store(path: Path) -> bool:
    return path.is_dir() and path.name.startswith(_STORE) and path.name.removeprefix(_STORE).isdecimal()
