"""Small files that are either there or not, never half."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memgauge.errors import RunError

if TYPE_CHECKING:
    from pathlib import Path


def write_atomically(path: Path, text: str) -> None:
    """Write *text* so that a reader sees the old file or the whole new one.

    Raises:
        RunError: The disk is full or fails.
    """
    temporary = path.with_name(path.name + ".tmp")
    try:
        with temporary.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise RunError(
            f"Cannot write {path}: {error.strerror}.", "Make room and run the same command again."
        ) from error
