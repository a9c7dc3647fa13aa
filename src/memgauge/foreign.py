"""Calling foreign code here and now: whatever it raises comes back as a value that can be recorded.

A system under test is called by :class:`memgauge.runs.play.call.Caller`, against a clock.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from memgauge.text.halves import encodable

if TYPE_CHECKING:
    import traceback
    from collections.abc import Callable

T = TypeVar("T")
LONGEST: Final = 2_000
"""Characters of a message that are kept: some put a whole document into one."""
_STANDARD = os.path.dirname(os.__file__) + os.sep  # noqa: PTH120 - an error is described without an import
_OURS = os.path.dirname(__file__) + os.sep  # noqa: PTH120 - as above


@dataclass(frozen=True, slots=True)
class Raised:
    """What foreign code raised."""

    error: BaseException

    def __str__(self) -> str:
        return f"{type(self.error).__name__}: {message_of(self.error)}"


def call_foreign(call: Callable[[], T]) -> T | Raised:
    """Call foreign code; a request to end the process is no outcome, and passes.

    None is made on a thread: Ctrl-C comes to the main one alone, so what says so elsewhere is foreign code.
    """
    try:
        return call()
    except Exception as error:  # noqa: BLE001 - foreign code may raise anything
        return Raised(error)
    except (KeyboardInterrupt, SystemExit) as error:
        if threading.current_thread() is threading.main_thread():
            raise
        return Raised(error)


def kind_of(value: object) -> str:
    """Name what something is, as a sentence does."""
    if value is None:
        return "None"
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def message_of(error: BaseException) -> str:
    """Return what an error says, as :func:`line_of` has it; its own ``__str__`` is foreign code too."""
    text = call_foreign(lambda: str(error))
    if isinstance(text, Raised):
        return f"(its message raised {type(text.error).__name__})"
    return line_of(text)


def line_of(text: str) -> str:
    """Return what foreign code says on one line that any file can hold, cut where it would fill it."""
    line = encodable(" ".join(text.split()))
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}… (and {len(line) - LONGEST:,} characters more)"


def described(
    error: BaseException, longest: int | None = None, clean: Callable[[str], str] = lambda text: text
) -> str:
    """Name an error, so many characters of what it says once it is clean, its author's line and where it began."""
    import traceback

    text = clean(message_of(error))[:longest]
    frames = traceback.extract_tb(error.__traceback__)
    whose = next((frame for frame in reversed(frames) if not _of_others(frame.filename)), None)
    places = dict.fromkeys(_place(frame) for frame in (whose, *frames[-1:]) if frame is not None)
    where = f" ({', in '.join(places)})" if places else ""
    return f"{type(error).__name__}: {text}{where}" if text else f"{type(error).__name__}{where}"


def _of_others(filename: str) -> bool:
    """Whether code is of Python, of an installed package, or ours, where nobody looks for a mistake of theirs."""
    is_installed = "site-packages" in filename or "dist-packages" in filename
    return is_installed or filename.startswith((_STANDARD, _OURS, "<"))


def _place(frame: traceback.FrameSummary) -> str:
    return f"{os.path.basename(frame.filename)}:{frame.lineno}"  # noqa: PTH119 - an error is described without an import
