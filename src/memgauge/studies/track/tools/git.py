"""The one tool about remote repositories; everything else is git itself, in the shell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.studies.track.timeline.models import Platform
from memgauge.studies.track.tools.router import Tool, ToolResult
from memgauge.studies.track.tools.schema import arguments

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memgauge.studies.track.tools.files import Reveals


def git_tools(listing: Callable[[], str], reveals: Reveals) -> tuple[Tool, ...]:
    """Make the tool.

    Args:
        listing: Says which repositories there are, how each is cloned, and where it stands.
        reveals: Names the events that such a text shows.
    """

    def list_remote_git_repositories(_: Mapping[str, Any]) -> ToolResult:
        found = listing()
        return ToolResult(found, reveals(found), (f"repositories:{found}",))

    return (
        Tool(
            "list_remote_git_repositories",
            Platform.GIT,
            "read",
            "List the remote repositories, with the command that clones each and the commit it stands at.",
            arguments({}),
            list_remote_git_repositories,
        ),
    )
