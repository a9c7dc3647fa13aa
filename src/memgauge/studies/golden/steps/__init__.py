"""What every kind of step does: one function each, in families of a file each, by the step's class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.studies.golden.steps import asking, forgetting, going, looking, racing, telling

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memgauge.studies.golden.scenario import Step
    from memgauge.studies.golden.scene import Scene

PLAYED: Mapping[Any, Callable[[Any, Scene], None]] = {
    **going.PLAYED,
    **telling.PLAYED,
    **asking.PLAYED,
    **forgetting.PLAYED,
    **looking.PLAYED,
    **racing.PLAYED,
}
"""How a step is played, by its kind; what holds steps of its own is played by :mod:`.play`."""


def play_step(step: Step, scene: Scene) -> None:
    """Play one step that holds no others.

    Raises:
        Unsupported: It needs what the memory does not offer.
        SystemFault: The memory raised, did not return in time, or returned against its protocol.
    """
    PLAYED[type(step)](step, scene)
