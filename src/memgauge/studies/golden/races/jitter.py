"""Jitter: make threads change far more often than Python does, and wait where a memory touches the world.

A hook of the interpreter's audit hears of files that are opened, renamed and removed, of connections and of
sleeps, and waits there a moment, now and then. A hook cannot be taken away; it does nothing while no jitter is on.
"""

from __future__ import annotations

import sys
import threading
import time
from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SWITCH_S = 1e-6
"""How long a thread may run before another may take its place; Python's own is 5 ms."""
_WAIT_S = 0.0005
_EVENTS = ("open", "os.", "sqlite3.", "socket.", "time.sleep")
_here = threading.local()


class _Hook:
    """What the interpreter calls; one for the process."""

    dice: Random | None = None

    def installed(self) -> _Hook:
        """Begin to hear events, the first time."""
        if "hook" not in _INSTALLED:
            sys.addaudithook(self.heard)
            _INSTALLED.add("hook")
        return self

    def heard(self, event: str, args: tuple[object, ...]) -> None:  # noqa: ARG002 - the interpreter's signature
        """Wait, now and then, at what touches the world."""
        if self.dice is not None and event.startswith(_EVENTS):
            self.wait()

    def wait(self) -> None:
        """Let others go first, one time in four; a wait inside of a wait is none."""
        dice = self.dice
        if dice is None or getattr(_here, "waits", False) or dice.random() > 0.25:
            return
        _here.waits = True
        try:
            time.sleep(dice.random() * _WAIT_S)
        finally:
            _here.waits = False


_INSTALLED: set[str] = set()
_HOOK = _Hook()


@contextmanager
def jitter(seed: str) -> Iterator[Callable[[], None]]:
    """Jitter while the context is open; yield what waits at the border of a call."""
    before = sys.getswitchinterval()
    hook = _HOOK.installed()
    hook.dice = Random(seed)  # noqa: S311 - where to wait is no secret
    sys.setswitchinterval(SWITCH_S)
    try:
        yield hook.wait
    finally:
        sys.setswitchinterval(before)
        hook.dice = None
