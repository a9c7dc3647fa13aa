"""One instance set up to be played: world, repository, sandbox and memory, all of which go at the end."""

from __future__ import annotations

from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Literal

from memgauge.errors import ConfigError
from memgauge.records import Scope
from memgauge.runs.play.call import Caller, let_go_on, opened_on
from memgauge.studies.track.play.arms import Passive, SilentArm
from memgauge.studies.track.tools.memory import MemoryTools
from memgauge.studies.track.tools.table import router as table
from memgauge.studies.track.world.clock import InstanceClock
from memgauge.studies.track.world.state import World

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memgauge.studies.track.play.arms import Arm, Mode
    from memgauge.studies.track.sandbox.choose import Kind
    from memgauge.studies.track.timeline.models import Timeline
    from memgauge.studies.track.tools.router import ToolRouter
    from memgauge.studies.track.world.state import Verbosity
    from memgauge.systems.protocol import MemorySystem

    Files = Kind | Literal["off"]
    """Which sandbox; ``off`` gives the agent neither files nor a shell nor repositories."""
    Hosted = Literal["builtin", "gitea"]


OPENING_S = 600.0
"""Seconds that a memory may take to open: a product starts a server first."""


@dataclass(frozen=True, slots=True)
class Setup:
    """How every instance of a run is set up."""

    memory: str = "none"
    """A registered memory system, with parameters; ``none`` is no memory."""
    mode: Mode = "tools"
    sandbox: Files = "auto"
    git: Hosted = "builtin"
    """What serves repositories."""
    clock: InstanceClock = field(default_factory=InstanceClock)
    notices: Verbosity = "low"
    seed: int = 0
    memory_timeout_s: float = 60.0

    @property
    def arm(self) -> Mode:
        """Return the arm that is played."""
        return "none" if self.memory == "none" else self.mode


@dataclass(frozen=True, slots=True)
class Setting:
    """What a loop needs of one instance."""

    world: World
    router: ToolRouter
    arm: Arm

    def now(self) -> str:
        """Return the simulated time as ISO text."""
        return self.world.now.isoformat()

    def next_question(self) -> str:
        """Let the time between two questions pass."""
        return self.world.tick("question")


@contextmanager
def opened(timeline: Timeline, setup: Setup, beside: Path | None = None) -> Iterator[Setting]:
    """Set up one instance; *beside* is the folder that the path of its repository starts from.

    Raises:
        ConfigError: No sandbox works here, or the memory cannot be opened.
        DataError: The repository cannot be used.
    """
    world = World(timeline, setup.clock, notices=setup.notices)
    scope = Scope(timeline.name)
    with ExitStack() as stack:
        arm: Arm = SilentArm()
        tools = None
        if setup.arm != "none":
            caller = stack.enter_context(closing(Caller()))
            system = opened_on(caller, partial(open_memory, setup.memory, setup.seed), OPENING_S)
            stack.callback(let_go_on, caller, system)
            if setup.arm == "passive":
                arm = Passive(system, scope, setup.memory_timeout_s, caller)
            else:
                tools = MemoryTools(system, scope, lambda: world.now, setup.memory_timeout_s, caller)
        if setup.sandbox == "off":
            yield Setting(world, table(world, memory=tools), arm)
            return
        from memgauge.studies.track.git.service import GitService
        from memgauge.studies.track.sandbox.choose import open_sandbox
        from memgauge.studies.track.sandbox.sandbox import SandboxWorkspace

        sandbox = stack.enter_context(open_sandbox(setup.sandbox))
        places = (sandbox.room.git, sandbox.room.socket)
        git = stack.enter_context(GitService(timeline, *places, beside=beside, host=setup.git))

        def up_to_date() -> GitService:
            git.advance(world.now)
            return git

        router = table(
            world,
            repositories=lambda: up_to_date().listing(),
            workspace=SandboxWorkspace(sandbox, up_to_date),
            reveals=git.revealed,
            memory=tools,
        )
        yield Setting(world, router, arm)


def open_memory(ref: str, seed: int) -> MemorySystem:
    """Open the memory of an agent.

    Raises:
        ConfigError: It is a ceiling, which would have to be told what is relevant.
    """
    from memgauge.systems.catalogue import open_system
    from memgauge.systems.protocol import Role

    system = open_system(ref, seed=seed)
    if system.capabilities().role is Role.CEILING:
        raise ConfigError(
            f"{ref} has to be told what is relevant, which nobody knows here.", "Take another memory."
        )
    return system
