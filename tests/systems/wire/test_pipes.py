"""Lines over pipes: whole, in order, and never waited for past a deadline."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from memgauge.systems.wire.pipes import DeadlinePassed, Pipes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO


@contextmanager
def loop() -> Iterator[tuple[Pipes, IO[bytes]]]:
    """Lend pipes that read what they send, and the end that they write to."""
    back, to = os.pipe()
    with os.fdopen(to, "wb", 0) as writing, os.fdopen(back, "rb", 0) as reading:
        yield Pipes(writing, reading, gone=lambda: False), writing


def soon() -> float:
    """Return a deadline that is past when nothing comes."""
    return time.monotonic() + 20


def test_lines_come_one_by_one_without_their_end() -> None:
    """However many arrive at a time, each is returned once, and what has no end yet waits."""
    with loop() as (pipes, _):
        pipes.send(b"one\n\ntwo\nthr", soon())
        assert [pipes.line(soon()) for _ in range(3)] == [b"one", b"", b"two"]
        pipes.send(b"ee\n", soon())
        assert pipes.line(soon()) == b"three"


def test_nothing_is_waited_for_past_its_deadline() -> None:
    """A line that has no end yet is none, and is whole once its end came."""
    with loop() as (pipes, _):
        pipes.send(b"half", soon())
        with pytest.raises(DeadlinePassed):
            pipes.line(time.monotonic() + 0.01)
        pipes.send(b" a line\n", soon())
        assert pipes.line(soon()) == b"half a line"


def test_an_end_is_an_end() -> None:
    """Where nobody writes any more, no line is waited for."""
    with loop() as (pipes, _):
        pipes.end_input()
        with pytest.raises(EOFError):
            pipes.line(soon())
