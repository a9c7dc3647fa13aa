"""The driver closes what it opened."""

from __future__ import annotations

import math
import threading

import pytest

from memgauge.errors import CallTimeout
from memgauge.studies.golden.driver import Driver
from memgauge.studies.golden.under_test import factory_of, look_at
from memgauge.systems.reference.ideal import Ideal


class Held(Ideal):
    """Must be closed."""

    def __init__(self) -> None:
        super().__init__()
        self.closed = 0

    def close(self) -> None:
        """Count."""
        self.closed += 1


@pytest.mark.parametrize("timeout_s", [5.0, math.inf])
def test_the_memory_is_closed_with_its_driver(timeout_s: float) -> None:
    """Against a clock and without one."""
    memory = Held()
    driver = Driver.opening(lambda: memory, timeout_s=timeout_s)
    driver.reset()
    driver.close()
    assert memory.closed == 1


def test_a_memory_that_opens_too_late_is_closed() -> None:
    """Nobody else would."""
    go, done = threading.Event(), threading.Event()

    class Telling(Held):
        def close(self) -> None:
            super().close()
            done.set()

    memory = Telling()

    def opening() -> Held:
        go.wait(10)
        return memory

    with pytest.raises(CallTimeout):
        Driver.opening(opening, timeout_s=0.05)
    go.set()
    assert done.wait(10)
    assert memory.closed == 1


def test_a_look_at_a_memory_leaves_nothing_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is opened to be known, and closed."""
    memory = Held()
    monkeypatch.setattr("memgauge.studies.golden.under_test.open_system", lambda _: memory)
    assert factory_of("held")() is memory
    assert look_at("held", 5).name == memory.name
    assert memory.closed == 1
