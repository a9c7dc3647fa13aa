from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

from memgauge.systems.adapters.loops import PrivateLoop, on_loop

WAITING = """
import asyncio
from memgauge.systems.adapters.loops import PrivateLoop

loop = PrivateLoop("test")

async def begin():
    return asyncio.ensure_future(asyncio.sleep(60))

task = loop.run(begin())
loop.close()
assert task.cancelled()
"""


async def _later(value: int, seconds: float = 0) -> int:
    await asyncio.sleep(seconds)
    return value


def test_work_is_done_on_one_loop_and_waited_for() -> None:
    """Values come back, errors too, and what takes too long is given up."""
    loop = PrivateLoop("test")
    assert [loop.run(_later(number)) for number in range(3)] == [0, 1, 2]
    with pytest.raises(TimeoutError):
        loop.run(_later(1, 60), 0.01)

    async def fails() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        loop.run(fails())
    loop.close()


class Clock:
    """Something that waits on a loop of its own."""

    def __init__(self) -> None:
        self._loop = PrivateLoop("clock")

    @on_loop
    async def later(self, value: int, *, seconds: float = 0) -> int:
        """Wait, and return."""
        return await _later(value, seconds)


def test_a_method_waits_on_the_loop_of_its_object() -> None:
    """It is called like any other, keeps its name, and what it raises comes back."""
    clock = Clock()
    assert clock.later(3, seconds=0.001) == 3
    assert (clock.later.__name__, clock.later.__doc__) == ("later", "Wait, and return.")
    with pytest.raises(TypeError, match="missing 1 required"):
        clock.later()  # type: ignore[call-arg]
    clock._loop.close()


def test_what_is_still_waiting_ends_with_the_loop() -> None:
    """A product's own tasks are cancelled, so that nothing complains when the process ends."""
    told = subprocess.run(
        [sys.executable, "-W", "error", "-c", WAITING], capture_output=True, text=True, check=False
    )
    assert (told.returncode, told.stderr) == (0, "")
