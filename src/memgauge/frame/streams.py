"""Where this program itself speaks, which is not always where foreign code of the same process prints.

``sys.stdout`` and ``sys.stderr`` are everybody's: what a memory prints goes there too. Whoever keeps the two apart
hands the real ones in here.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import IO, TextIO


class _Own:
    """What only this program writes to; ``None`` where nothing is kept apart."""

    results: TextIO | None = None
    asides: TextIO | None = None


_OWN = _Own()


def keep_apart(results: TextIO, asides: TextIO) -> None:
    """Speak there from now on, and leave ``sys.stdout`` and ``sys.stderr`` to foreign code."""
    _OWN.results, _OWN.asides = results, asides


def are_apart() -> bool:
    """Whether foreign code of this process prints elsewhere."""
    return _OWN.results is not None


def results() -> TextIO:
    """Return where results go."""
    return _OWN.results or sys.stdout


def asides() -> TextIO:
    """Return where progress and complaints go."""
    return _OWN.asides or sys.stderr


def put(text: str, file: TextIO) -> None:
    """Write, and go on where the reader has gone: what is done still comes to its end, and to its code."""
    try:
        file.write(text)
        file.flush()
    except BrokenPipeError:
        hang_up(file)


def hang_up(file: IO[str]) -> None:
    """Say nothing more on a stream whose reader has gone; what is still unsaid is dropped."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, file.fileno(), inheritable=False)
    os.close(nowhere)
