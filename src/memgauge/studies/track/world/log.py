"""What the world is made of: the timeline's events and the agent's own acts, in the order in which they came."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid5

from memgauge.studies.track.timeline.models import Event

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

ACT = "act:"
"""How the ids of acts begin, and those of events do not."""
_NAMESPACE = UUID("5c0f4f6e-7d3a-5a53-9d1c-2f1f6f0f7c11")


@dataclass(frozen=True)
class AgentAct:
    """One thing that the agent did; a write of a tool, or the reading that marks messages as read."""

    id: str
    at: datetime
    actor: str
    verb: str
    """``say``, ``read``, ``ticket``, ``delete_ticket``, ``member``, ``milestone``, ``progress``."""
    given: Mapping[str, Any] = field(default_factory=dict)


Entry = Event | AgentAct


def stable_id(instance: str, kind: str, *parts: object) -> str:
    """Make an id that is the same in every run."""
    return str(uuid5(_NAMESPACE, "\x1f".join((instance, kind, *map(str, parts)))))
