"""Serving the tools to outside agents: one process, one world, over stdio or HTTP."""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from memgauge.errors import ConfigError
from memgauge.studies.track.tools.asking import NAME
from memgauge.studies.track.tools.mcp_face import mcp_server, mcp_servers
from memgauge.studies.track.tools.router import ToolRouter

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from mcp.server import Server
    from starlette.applications import Starlette

    from memgauge.studies.track.tools.asking import Asking
    from memgauge.studies.track.tools.recording import Recorder
    from memgauge.studies.track.world.state import World


_FAREWELL_S = 2
"""How long clients that stay connected are waited for when serving ends."""


def choose(servers: Mapping[str, Server[Any]], name: str) -> Server[Any]:
    """Return one server.

    Raises:
        ConfigError: There is none of this name, or it has no tools here.
    """
    if name not in servers:
        raise ConfigError(f"There is no server {name!r} here.", f"Choose one of: {', '.join(servers)}.")
    return servers[name]


async def over_stdio(server: Server[Any]) -> None:
    """Serve one MCP server over standard input and output until the input ends."""
    import anyio
    from mcp.server.stdio import stdio_server

    from memgauge.frame.streams import are_apart, results

    # Standard output is foreign code's where this program speaks elsewhere; the server cares for it otherwise.
    spoken = anyio.wrap_file(results()) if are_apart() else None
    async with stdio_server(stdout=spoken) as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


def servers_of(router: ToolRouter, recorder: Recorder, asking: Asking | None = None) -> dict[str, Server[Any]]:
    """Make every server: one a platform, ``all``, and ``questions`` where somebody asks."""
    servers = mcp_servers(router, recorder)
    if asking is not None:
        table = ToolRouter(asking.tools())
        servers[NAME] = mcp_server(NAME, table.tools.values(), table)
    return servers


def http_app(servers: Mapping[str, Server[Any]], world: World, recorder: Recorder) -> Starlette:
    """Make one web application: ``/NAME/mcp`` for every server, and Slack's Web API below ``/slack/api/``."""
    from starlette.applications import Starlette
    from starlette.responses import JSONResponse
    from starlette.routing import Mount, Route

    from memgauge.studies.track.tools.slack_http import slack_routes

    # What there is to remember lies in the world: a session would only be something that clients leave behind.
    apps = [
        server.streamable_http_app(streamable_http_path=f"/{name}/mcp", stateless_http=True)
        for name, server in servers.items()
    ]

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for app in apps:
                await stack.enter_async_context(app.router.lifespan_context(app))
            yield

    async def index(_: object) -> JSONResponse:
        return JSONResponse({"servers": {name: f"/{name}/mcp" for name in servers}, "slack_api": "/slack/api/"})

    routes = [route for app in apps for route in app.routes]
    return Starlette(
        routes=[Route("/", index), *routes, Mount("/slack/api", routes=slack_routes(world, recorder))],
        lifespan=lifespan,
    )


def over_http(app: Starlette, host: str, port: int, ready: Callable[[str], object]) -> None:
    """Serve an application until it is interrupted; *ready* is told the address, with the port that was free."""
    import socket

    import uvicorn

    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(512)  # now, for two may be bound to one port as long as neither listens
    except OSError as error:
        listener.close()
        raise ConfigError(
            f"Cannot listen on {host}:{port}: {error.strerror}.", "Choose another --port."
        ) from error
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=_FAREWELL_S))
    with listener, suppress(KeyboardInterrupt):  # which is how serving ends
        ready(f"http://{host}:{listener.getsockname()[1]}")
        server.run(sockets=[listener])
