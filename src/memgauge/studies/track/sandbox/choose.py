"""Which sandbox an agent gets: the strongest that works here, or none that nobody asked for."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Literal, get_args

from memgauge.errors import ConfigError
from memgauge.studies.track.sandbox import bubblewrap, docker, landlock
from memgauge.studies.track.sandbox.limits import SandboxLimits
from memgauge.studies.track.sandbox.room import Room
from memgauge.studies.track.sandbox.sandbox import Sandbox

if TYPE_CHECKING:
    from memgauge.studies.track.sandbox.sandbox import Walls

Kind = Literal["auto", "bubblewrap", "landlock", "docker", "none"]
KINDS: tuple[Kind, ...] = get_args(Kind)
WARNING = (
    "There is no sandbox: the agent can read every file, secret and answer that you can, and reach the network. "
    "Its score proves nothing."
)
"""What a user of ``none`` is told."""
_ORDER: tuple[Kind, ...] = ("bubblewrap", "landlock", "docker")


def open_sandbox(
    kind: Kind = "auto", limits: SandboxLimits | None = None, *, image: str = docker.IMAGE
) -> Sandbox:
    """Make a room and put the best walls around it that work here, or those that are named.

    Raises:
        ConfigError: What is named does not work here, or nothing does.
    """
    bounds = limits or SandboxLimits()
    room = Room.open()
    with ExitStack() as undo:
        undo.callback(room.close)
        sandbox = Sandbox(room, _walls(room, kind, bounds, image), bounds)
        undo.pop_all()
    return sandbox


def _walls(room: Room, kind: Kind, limits: SandboxLimits, image: str) -> Walls:
    if kind == "none":
        return landlock.Unwalled(room)
    found: list[str] = []
    for one in _ORDER if kind == "auto" else (kind,):
        why = problem(one, room)
        if not why:
            return _built(one, room, limits, image)
        found.append(f"{one}: {why}")
    if kind != "auto":
        raise ConfigError(
            f"This sandbox does not work here: {found[0]}.", "Mend it, or let --sandbox auto choose."
        )
    raise ConfigError(
        f"No sandbox works here, and without one an agent could read the answers. {'; '.join(found)}.",
        "Mend one of them, or type --sandbox none if you trust the agent like yourself.",
    )


def problem(kind: Kind, room: Room) -> str:
    """Say why a kind of sandbox does not work here; empty where it does."""
    if kind == "bubblewrap":
        return bubblewrap.problem(room)
    return landlock.problem() if kind == "landlock" else docker.problem()


def _built(kind: Kind, room: Room, limits: SandboxLimits, image: str) -> Walls:
    if kind == "bubblewrap":
        return bubblewrap.Bubblewrap(room, limits)
    return landlock.Landlock(room) if kind == "landlock" else docker.Docker(room, limits, image)
