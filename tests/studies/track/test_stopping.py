"""Ending by a signal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest

from memgauge.studies.track.stopping import tidied

HARNESS = """
import sys, time
from memgauge.studies.track.sandbox.room import Room
from memgauge.studies.track.stopping import tidied
with tidied():
    print(Room.open().top, flush=True)
    time.sleep(30)
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 1)])
def test_a_room_goes_with_the_signal(number: signal.Signals, code: int) -> None:
    """The room is gone when the process has ended, which says by which signal."""
    with subprocess.Popen(
        [sys.executable, "-c", HARNESS], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        top = process.stdout.readline().strip()
        assert os.path.isdir(top)  # noqa: PTH112 - a line of text
        process.send_signal(number)
        ended = process.wait(20)
    assert not os.path.exists(top)  # noqa: PTH110 - as above
    assert ended in {code, -number}


def test_handlers_are_those_of_before_afterwards() -> None:
    """Whoever calls gets their own back, and another thread changes none."""
    before = signal.getsignal(signal.SIGTERM)
    with tidied():
        assert signal.getsignal(signal.SIGTERM) != before
    assert signal.getsignal(signal.SIGTERM) == before
    seen = []

    def elsewhere() -> None:
        with tidied():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert seen == [before]
