"""Which sandbox an agent gets: the strongest that works here, or none that nobody asked for."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Literal

from memgauge.errors import ConfigError
from memgauge.studies.track.sandbox.bubblewrap import Bubblewrap
from memgauge.studies.track.sandbox.docker import Docker
from memgauge.studies.track.sandbox.landlock import Landlock, Unwalled
from memgauge.studies.track.sandbox.room import Room
from memgauge.studies.track.sandbox.running import SandboxLimits
from memgauge.studies.track.sandbox.sandbox import Sandbox

if TYPE_CHECKING:
    from memgauge.studies.track.sandbox.sandbox import Walls

Kind = Literal["auto", "bubblewrap", "landlock", "docker", "none"]
WARNING = (
    "There is no sandbox: the agent can read every file, secret and answer that you can, and reach the network. "
    "Its score proves nothing."
)
"""What a user of ``none`` is told."""
_STRONGEST_FIRST: dict[str, type[Walls]] = {"bubblewrap": Bubblewrap, "landlock": Landlock, "docker": Docker}


def open_sandbox(kind: Kind = "auto", limits: SandboxLimits | None = None) -> Sandbox:
    """Make a room and put the best walls around it that work here, or those that are named.

    Raises:
        ConfigError: What is named does not work here, or nothing does.
    """
    bounds = limits or SandboxLimits()
    room = Room.open(bounds)
    with ExitStack() as undo:
        undo.callback(room.close)
        sandbox = Sandbox(room, _walls(room, kind, bounds), bounds)
        undo.pop_all()
    return sandbox


def _walls(room: Room, kind: Kind, limits: SandboxLimits) -> Walls:
    if kind == "none":
        return Unwalled(room, limits)
    problems: list[str] = []
    for candidate in _STRONGEST_FIRST if kind == "auto" else (kind,):
        why = problem(candidate, room)
        if not why:
            return _STRONGEST_FIRST[candidate](room, limits)
        problems.append(f"{candidate}: {why}")
    if kind != "auto":
        raise ConfigError(
            f"This sandbox does not work here: {problems[0]}.", "Mend it, or let --sandbox auto choose."
        )
    raise ConfigError(
        f"No sandbox works here, and without one an agent could read the answers. {'; '.join(problems)}.",
        "Mend one of them, or type --sandbox none if you trust the agent like yourself.",
    )


def problem(kind: str, room: Room) -> str:
    """Say why a kind of sandbox does not work here; empty where it does."""
    return _STRONGEST_FIRST[kind].problem(room)
