"""What is said of Ctrl-C: that the same command goes on from there, only where it does."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class KeptInterrupt(KeyboardInterrupt):
    """Ctrl-C during work whose finished parts lie in a folder, from which the same command goes on."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    @property
    def goes_on(self) -> bool:
        """Whether the folder is still there: some work is done in one that goes with its command."""
        return self.folder.exists()


@contextmanager
def kept_in(folder: Path) -> Iterator[None]:
    """Say of an interruption that what was finished by then is kept in *folder*.

    Raises:
        KeptInterrupt: It was interrupted.
    """
    try:
        yield
    except KeptInterrupt:
        raise
    except KeyboardInterrupt as error:
        raise KeptInterrupt(folder) from error
