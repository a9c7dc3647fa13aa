"""Runs as players would leave them, played here: for tests that are about what follows from a run."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from memgauge.runs.play.executors import Inline
from memgauge.runs.play.player.troupe import Troupe

if TYPE_CHECKING:
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
