"""The bandit of the paper in simulation: the same learners and the same signs as the routers that are memories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from memgauge.studies.shift.play.outcomes import Routed
from memgauge.systems.routing.context import Hearing
from memgauge.systems.routing.learners import LEARNERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from memgauge.studies.shift.protocol.scene import ShiftScene
    from memgauge.studies.shift.protocol.spec import ShiftSpec

ROUTERS = tuple(sorted(LEARNERS))


def route(
    rule: str,
    arms: Sequence[str],
    scene: ShiftScene,
    spec: ShiftSpec,
    hits: npt.NDArray[np.bool_],
) -> Routed:
    """Choose an arm for every question of one conversation, learning from the hits of the chosen arms only.

    *hits* are those of the arms, (arms, bursts, Q).
    """
    line, lane = scene.line, scene.lane
    choice = np.zeros(hits.shape[1:], dtype=np.int32)
    for burst, m in enumerate(spec.bursts):
        learner = LEARNERS[rule](len(arms), spec.seed)
        hearing, n_heard = Hearing(), 0
        for number, question in enumerate(line.questions):
            arrived = slice(n_heard, int(lane.cut[number]))
            new_turns = lane.filed[arrived][lane.depth[arrived] <= m]
            hearing.hear([str(session) if session >= 0 else "" for session in new_turns.tolist()])
            n_heard = arrived.stop
            context = hearing.ask(question.text)
            arm = learner.choose(context)
            learner.learn(context, arm, float(hits[arm, burst, number]))
            choice[burst, number] = arm
    return Routed(tuple(arms), choice, hits)
