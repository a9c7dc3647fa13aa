"""A server of notes made with the official MCP SDK, over streamable HTTP, with habits that are good or bad.

It prints its address, keeps the notes of each user in memory, and wants the key of the variable NOTES_KEY, if any.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from collections import defaultdict
from typing import Any

import mcp_types as types
import uvicorn
from anyio.to_thread import run_sync
from mcp.server import Server
from starlette.requests import Request
from starlette.responses import Response

HABITS = frozenset(sys.argv[1].split("+")) if len(sys.argv) > 1 else frozenset()
TOOLS = ("write", "find", "all", "remove")
SIZE = 10
NOTES: defaultdict[str, dict[str, str]] = defaultdict(dict)


def call(tool: str, given: dict[str, Any]) -> dict[str, Any]:
    """Do what a tool does for one user."""
    notes = NOTES[given["user"]]
    if tool == "write":
        if "hangs" in HABITS:
            time.sleep(60)  # longer than every limit; it is ended by SIGKILL
        if "dies" in HABITS:
            os._exit(7)
        notes[given["title"]] = given["body"]
        return {"done": True}
    if tool == "remove":
        notes.pop(given["title"], None)
        return {"done": True}
    rows = [{"title": title, "body": body} for title, body in notes.items()]
    if tool == "all":
        return {"rows": rows[(given["page"] - 1) * SIZE : given["page"] * SIZE]}
    words = given["query"].lower().split()
    scored: list[dict[str, Any]] = [
        {**row, "rank": sum(word in row["body"].lower() for word in words)} for row in rows
    ]
    scored = sorted((row for row in scored if row["rank"]), key=lambda row: -row["rank"])
    return {"rows": scored[: given["limit"]]}


async def list_tools(_: object, __: object) -> types.ListToolsResult:
    """Name the tools."""
    return types.ListToolsResult(tools=[types.Tool(name=name, input_schema={"type": "object"}) for name in TOOLS])


async def call_tool(_: object, asked: types.CallToolRequestParams) -> types.CallToolResult:
    """Call one."""
    value = await run_sync(call, asked.name, dict(asked.arguments or {}))
    return types.CallToolResult(content=[types.TextContent(text=json.dumps(value))], structured_content=value)


def main() -> None:
    """Serve until the end."""
    server: Server[Any] = Server("notes", version="9.2", on_list_tools=list_tools, on_call_tool=call_tool)
    app = server.streamable_http_app(json_response="json" in HABITS, stateless_http="stateless" in HABITS)
    key = os.environ.get("NOTES_KEY", "")

    async def guarded(scope: Any, receive: Any, send: Any) -> None:
        wanted = f"Bearer {key}"
        if scope["type"] == "http" and key and Request(scope).headers.get("Authorization") != wanted:
            await Response("who are you?", 401)(scope, receive, send)
        else:
            await app(scope, receive, send)

    # asyncio sends small answers at once only where a socket says that it is TCP's
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.bind(("127.0.0.1", int(os.environ.get("NOTES_PORT", "0"))))
    bound.listen()
    sys.stdout.write(f"http://127.0.0.1:{bound.getsockname()[1]}/mcp\n")
    sys.stdout.flush()
    uvicorn.Server(uvicorn.Config(guarded, log_level="critical", timeout_keep_alive=1)).run(sockets=[bound])


if __name__ == "__main__":
    main()
