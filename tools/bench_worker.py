"""One side of a comparison: a process that repeats a named job whenever it is told to, and says how long it took.

Both sides stay alive and are asked in turn, so that whatever else the machine does disturbs them alike.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True)
class Took:
    """One repetition."""

    ms: float
    check: float | None = None
    """A result that the other side must get as well."""


class CannotRunError(Exception):
    """A job lacks something; its text says what."""


def timed(function: Callable[[], float | None]) -> Took:
    """Time one call."""
    start = time.perf_counter()
    check = function()
    return Took((time.perf_counter() - start) * 1000, check)


def serve(prepare: Mapping[str, Callable[[], Callable[[], Took]]]) -> None:
    """Answer each line on stdin, the name of a job, with a line of JSON; the first repetition is not reported."""
    ready: dict[str, Callable[[], Took]] = {}
    for line in sys.stdin:
        name = line.strip()
        try:
            if name not in ready:
                ready[name] = prepare[name]()
                ready[name]()
            took = ready[name]()
            reply: dict[str, object] = {"ms": took.ms, "check": took.check}
        except CannotRunError as error:
            reply = {"missing": str(error)}
        print(json.dumps(reply), flush=True)
