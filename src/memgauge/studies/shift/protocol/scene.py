"""One conversation laid out: when things are asked, what interrupts them, and every turn by its row."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from memgauge.errors import ConfigError
from memgauge.retrieval.selection import NOWHERE
from memgauge.studies.shift.protocol.lane import MemoryLane, lane
from memgauge.studies.shift.protocol.spec import DistractorSource
from memgauge.studies.shift.protocol.timeline import QuestionTimeline, timelines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.datasets.base import Dataset
    from memgauge.records import Turn
    from memgauge.studies.shift.protocol.spec import ShiftSpec


@dataclass(frozen=True, eq=False)
class ShiftScene:
    """A timeline, its lane, and the turn behind every row of it."""

    line: QuestionTimeline
    lane: MemoryLane
    turns: Sequence[Turn]

    def turn(self, item: int) -> Turn:
        """Return an item as a memory hears it.

        A distractor is a turn of its own: its id tells nothing, it is said when the turn before it was, and in the
        session that it is filed under (none is an empty name).
        """
        spoken = self.turns[int(self.lane.row[item])]
        if not self.lane.depth[item]:
            return spoken
        question = self.line.questions[int(np.searchsorted(self.lane.cut, item, side="right"))]
        return replace(
            spoken,
            id=self._opaque(question.id, int(self.lane.depth[item])),
            session=self._session(int(self.lane.filed[item])),
            at=self.line.turns[question.after].at,
        )

    def burst(self, question: int, m: int) -> tuple[Turn, ...]:
        """Return the first *m* turns of the burst before a question; empty where nothing interrupts it."""
        begin = int(self.lane.cut[question - 1]) if question else 0
        arrived = np.arange(begin, int(self.lane.cut[question]))
        depth = self.lane.depth[arrived]
        return tuple(self.turn(item) for item in arrived[(depth > 0) & (depth <= m)].tolist())

    def drawn(self, spec: ShiftSpec) -> list[int]:
        """Return how many turns the longest burst before each interrupted question has: as many as there were."""
        return [
            int(self.lane.depth[cut - 1])
            for question, cut in zip(self.line.questions, self.lane.cut.tolist(), strict=True)
            if question.segment > 0 and question.order <= spec.interrupted
        ]

    def _session(self, filed: int) -> str:
        if filed == NOWHERE:
            return ""
        sessions = self.line.sessions
        return sessions[filed] if filed < len(sessions) else self._opaque("session", filed)

    def _opaque(self, kind: str, number: int) -> str:
        name = f"{self.line.conversation}/{kind}/{number}"
        return hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def scenes(dataset: Dataset, spec: ShiftSpec) -> list[ShiftScene]:
    """Lay out every conversation of a dataset.

    Raises:
        ConfigError: It has no sessions, nothing is asked after a boundary, or there are no distractors.
    """
    lines = timelines(dataset, spec)
    scene_list = []
    for line in lines:
        other_turns = [turn for other_line in lines if other_line is not line for turn in other_line.turns]
        turns = [*line.turns, *(other_turns if spec.source is DistractorSource.OTHER_CONVERSATIONS else ())]
        scene_list.append(ShiftScene(line, lane(line, spec, np.arange(len(line.turns), len(turns))), turns))
    if max(spec.bursts) and not any(drawn for scene in scene_list for drawn in scene.drawn(spec)):
        raise ConfigError(
            f"{dataset.identity.ref} has nothing to interrupt with: no turn comes from {spec.source}.",
            "Choose another --source.",
        )
    return scene_list
