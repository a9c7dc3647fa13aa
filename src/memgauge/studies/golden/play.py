"""Playing: the steps of a scenario in order, those that hold others too."""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from memgauge.errors import CallFailed
from memgauge.studies.golden.residue import contents
from memgauge.studies.golden.scenario import (
    AskStep,
    Concurrent,
    Erase,
    Probe,
    RepeatStep,
    Say,
    SessionStep,
    User,
)
from memgauge.studies.golden.scene import Scene, Unsupported, names_of
from memgauge.studies.golden.steps import play_step

if TYPE_CHECKING:
    from memgauge.records import Scope
    from memgauge.studies.golden.scenario import Step

_WRITES = (Say, User, SessionStep)
"""Steps before which nothing needs to have settled."""
_NOT_OFFERED = re.compile(r"\bNotImplementedError\b")
"""How a memory says, here or through a wire, that it does not take a scope."""
_ORDINARY_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
"""An id of a user, tenant or agent that no memory may refuse."""


@dataclass
class _Lane:
    """What is left of a lane, and who goes on in it."""

    scope: Scope
    session: str
    left: list[Step]


class Play(Scene):
    """Plays the steps in order."""

    def run(self) -> None:
        """Play every step.

        Raises:
            Unsupported: A step needs what the memory does not offer.
            SystemFault: The memory raised, did not return in time, or returned against its protocol.
        """
        if self.scenario.looks_for_residue:
            self.untold = contents(self.driver.files())
        for place, step in enumerate(self.scenario.steps, 1):
            self.take(place, step)

    def take(self, place: int, step: Step) -> None:
        """Play the step at *place*."""
        self.step = place
        self.play(step)

    def play(self, step: Step) -> None:
        """Play one step, or the steps in it."""
        if isinstance(step, Concurrent):
            self._interleave(step)
        elif isinstance(step, RepeatStep):
            self._repeat(step)
        else:
            self._play_alone(step)

    def _play_alone(self, step: Step) -> None:
        """Play a step that holds no others; a memory may keep no session to itself, and may refuse an odd id."""
        try:
            if not isinstance(step, _WRITES) and not (isinstance(step, Erase) and step.erase == "user"):
                self.settle_all()
            play_step(step, self)
            self.looked()
        except CallFailed as error:
            if self.scope.session is not None and _NOT_OFFERED.search(str(error)):
                raise Unsupported(f"step {self.step} needs a memory that keeps a session to itself") from error
            if not self._refused():
                raise
            if isinstance(step, Say | AskStep | Probe):
                raise Unsupported(f"step {self.step} needs a memory that takes odd ids") from error
            if not isinstance(step, Erase):
                raise  # to erase nothing of nobody may be refused aloud, and the scenario goes on

    def _refused(self) -> bool:
        """Whether an id of whoever speaks is no ordinary one, and the memory has taken nothing under it so far."""
        return any(not _ORDINARY_ID.fullmatch(name) for _, name in names_of(self.scope) - self.accepted)

    def _interleave(self, step: Concurrent) -> None:
        """Interleave the lanes by the seed; each goes on as whoever it began as."""
        dice = Random(f"{self.seed}/{self.step}")  # noqa: S311 - an order that can be repeated, not a secret
        lanes = [_Lane(self.scope, self.session, list(lane)) for lane in step.concurrent]
        while open_lanes := [lane for lane in lanes if lane.left]:
            lane = dice.choice(open_lanes)
            self.scope, self.session = lane.scope, lane.session
            self.play(lane.left.pop(0))
            lane.scope, lane.session = self.scope, self.session

    def _repeat(self, step: RepeatStep) -> None:
        outer = self.round
        for turn in range(step.repeat):
            self.round = f"{outer}.{turn}" if outer else str(turn)
            for inner in step.steps:
                self.play(inner)
        self.round = outer
