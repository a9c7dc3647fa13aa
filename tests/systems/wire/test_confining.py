"""The harness closes its memory where no namespace hides it, and opens it again."""

from __future__ import annotations

import ctypes
import sys

import pytest

from memgauge.runs.play.player import troupe
from memgauge.systems.wire.confining import close_memory, open_memory

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux knows it")


def dumpable() -> int:
    """Ask the kernel."""
    return int(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))


def test_memory_is_closed_once_and_opened_again() -> None:
    """Whoever closed it knows that it was open before."""
    assert dumpable() == 1
    assert close_memory()
    assert dumpable() == 0
    assert not close_memory()
    open_memory()
    assert dumpable() == 1


def test_a_troupe_without_walls_closes_it_while_it_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plain player finds it closed; afterwards it is as it was."""
    monkeypatch.setattr(troupe, "bubblewrap", lambda _: [])
    players = troupe.Troupe()
    try:
        assert players.isolation().means == ""
        assert dumpable() == 0
    finally:
        players.close()
    assert dumpable() == 1
