"""The tools as MCP servers: in process, over stdio, over HTTP; one server a platform, or all in one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.extras import lacking
from memgauge.studies.track.timeline.models import Platform
from memgauge.studies.track.tools.router import ToolFailed
from memgauge.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcp.server import Server

    from memgauge.studies.track.tools.recording import Recorder
    from memgauge.studies.track.tools.router import Tool, ToolRouter

SERVERS: dict[str, Platform] = {
    "slack": Platform.SLACK,
    "linear": Platform.LINEAR,
    "git": Platform.GIT,
    "fs": Platform.FILES,
    "memory": Platform.MEMORY,
}
"""What serves which tools."""


def require_mcp() -> None:
    """Check that the packages are here.

    Raises:
        MissingExtraError: They are not.
    """
    try:
        import mcp  # noqa: F401 - only whether it is there
    except ImportError as error:
        raise lacking("track", "Serving tools needs the packages mcp, starlette and uvicorn.") from error


def mcp_servers(router: ToolRouter, recorder: Recorder | None = None) -> dict[str, Server[Any]]:
    """Make a server for each platform that has tools, and ``all``; without a *recorder* calls leave no row."""
    caller = recorder or router
    servers = {}
    for name, platform in SERVERS.items():
        tools = [tool for tool in router.tools.values() if tool.platform is platform]
        if tools:
            servers[name] = mcp_server(name, tools, caller)
    servers["all"] = mcp_server("all", router.tools.values(), caller)
    return servers


def mcp_server(name: str, tools: Iterable[Tool], calls: Recorder | ToolRouter) -> Server[Any]:
    """Make one server of *tools*, which *calls* makes the calls of."""
    import mcp_types as types
    from anyio.to_thread import run_sync
    from mcp.server import Server

    listing = [_described(tool) for tool in tools]
    known_names = {description.name for description in listing}

    def make(tool_name: str, arguments: dict[str, Any]) -> types.CallToolResult:
        try:
            # a tool of another server is unknown here, and the row says so under the name of this server
            result = calls.call(tool_name if tool_name in known_names else f"{name}.{tool_name}", arguments)
        except ToolFailed as failed:
            return types.CallToolResult(content=[types.TextContent(text=str(failed))], is_error=True)
        return types.CallToolResult(content=[types.TextContent(text=result.shown)])

    async def list_tools(_: object, __: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=listing)

    async def call_tool(_: object, params: types.CallToolRequestParams) -> types.CallToolResult:
        return await run_sync(make, params.name, dict(params.arguments or {}))

    return Server(f"memgauge-{name}", version=__version__, on_list_tools=list_tools, on_call_tool=call_tool)


def _described(tool: Tool) -> Any:
    import mcp_types as types

    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=dict(tool.schema),
        annotations=types.ToolAnnotations(read_only_hint=tool.effect == "read"),
    )
