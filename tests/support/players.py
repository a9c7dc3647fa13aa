"""Runs as players would leave them, played here: for tests that are about what follows from a run."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from memgauge.runs.play.executors import Inline, perform
from memgauge.runs.play.player.troupe import PlayedCase, Troupe

if TYPE_CHECKING:
    from memgauge.runs.play.executors import Task
    from memgauge.runs.play.player.walls import Hidden
    from memgauge.runs.record.isolation import Isolation


@cache
def reached() -> Isolation:
    """Say how far a player is kept apart on this machine, as one that is started once sees it."""
    troupe = Troupe()
    try:
        return troupe.isolation()
    finally:
        troupe.close()


class AsPlayers(Inline):
    """Plays in this process, and records what a player would: that both return the same is the executors' law.

    A run of it may be ranked. Tests of isolation, of deaths and of time limits need real players.
    """

    def isolate(self, hidden: Hidden, expected: str = "") -> Isolation:
        """Say what a real player reached."""
        return reached()


@dataclass
class TroupeHere(Troupe):
    """Plays in this process what a command would play with players; whatever else is asked, a player is asked."""

    def isolation(self) -> Isolation:
        """Say what a real player reached."""
        return reached()

    def play(self, task: Task) -> PlayedCase:
        """Play one conversation at a time."""
        began = time.monotonic()
        with self._lock:
            result = perform(task)
        return PlayedCase(result.lines, result.failed, time.monotonic() - began)
