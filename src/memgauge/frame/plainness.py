"""Whether colour, bars and drawn lines are unwanted, whatever the output is; imports nothing heavy."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_plain: ContextVar[bool] = ContextVar("plain", default=False)


@contextmanager
def plainly(*, plain: bool) -> Iterator[None]:
    """Print without colour, bars and drawn lines in here, where *plain* is wanted."""
    before = _plain.set(plain or _plain.get())
    try:
        yield
    finally:
        _plain.reset(before)


def plain_wanted() -> bool:
    """Return whether nothing but plain text is wanted."""
    return _plain.get()
