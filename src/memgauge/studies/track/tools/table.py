"""The whole table of one instance, put together from what it has."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from memgauge.studies.track.tools.files import FileTools, GitTools
from memgauge.studies.track.tools.linear import TicketTools
from memgauge.studies.track.tools.linear_teams import TeamTools
from memgauge.studies.track.tools.router import ToolRouter
from memgauge.studies.track.tools.slack import SlackTools

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.studies.track.tools.files import Reveals, Workspace
    from memgauge.studies.track.tools.memory import MemoryTools
    from memgauge.studies.track.tools.router import Tool
    from memgauge.studies.track.world.state import World


def router(
    world: World,
    *,
    repositories: Callable[[], str] | None = None,
    workspace: Workspace | None = None,
    reveals: Reveals = lambda _: (),
    memory: MemoryTools | None = None,
) -> ToolRouter:
    """Make the router of an instance; what is not given has no tools.

    *repositories* says which there are, *reveals* names the events that texts of files and of the shell show.
    """
    tools: list[Tool] = [*SlackTools(world).tools(), *TicketTools(world).tools(), *TeamTools(world).tools()]
    if repositories is not None:
        tools += GitTools(repositories, reveals).tools()
    if workspace is not None:
        tools += FileTools(workspace, reveals).tools()
    if memory is not None:
        tools += memory.tools()
    return ToolRouter(tools, after=partial(world.tick, "call"))
