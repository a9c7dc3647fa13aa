"""What a run is: everything that decides what is played, so that only equal plans go on from each other."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from memgauge.studies.track.timeline.files import plain
from memgauge.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.studies.track.play.instance import Setup
    from memgauge.studies.track.play.limits import PlayLimits
    from memgauge.studies.track.timeline.models import Timeline


@dataclass(frozen=True, slots=True)
class Named:
    """One instance, and where the files beside it are."""

    timeline: Timeline
    beside: Path | None = None

    @property
    def name(self) -> str:
        """Return its name."""
        return self.timeline.name


@dataclass(frozen=True, slots=True)
class PlayPlan:
    """One agent in one arm, over instances, so many times."""

    agent: str
    """``oracle``, ``search``, ``random``, or a model as ``provider:name``."""
    instances: tuple[Named, ...]
    setup: Setup
    limits: PlayLimits
    context: str
    repeats: int = 1
    parameters: tuple[tuple[str, Any], ...] = ()
    """Of the model."""

    @property
    def label(self) -> str:
        """Name the method as tables do: agent, memory, context."""
        setup = self.setup
        memory = "none" if setup.arm == "none" else f"{setup.memory} ({setup.arm})"
        return f"{self.agent} + {memory}, {self.context}"

    def jobs(self) -> tuple[tuple[Named, int], ...]:
        """List what is played, in the order in which results are written."""
        return tuple((play, repeat) for repeat in range(self.repeats) for play in self.instances)

    def identity(self) -> dict[str, Any]:
        """Return what two runs must share to be one."""
        setup = asdict(self.setup)
        return {
            "format": 1,
            "memgauge": __version__,
            "agent": self.agent,
            "parameters": dict(self.parameters),
            "memory": {
                "system": self.setup.memory,
                "mode": self.setup.arm,
                "timeout_s": setup["memory_timeout_s"],
            },
            "context": self.context,
            "limits": asdict(self.limits),
            "repeats": self.repeats,
            "seed": self.setup.seed,
            "clock": setup["clock"] | {"notices": self.setup.notices},
            "sandbox": self.setup.sandbox,
            "git": self.setup.git,
            "label": self.label,
            "instances": {play.name: digest(play.timeline) for play in self.instances},
        }


def digest(timeline: Timeline) -> str:
    """Hash an instance, its questions and gold included."""
    text = json.dumps(plain(timeline), sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
