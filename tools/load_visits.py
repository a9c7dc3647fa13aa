"""What one client does at each of our servers: a visit, from its first request to its last."""

from __future__ import annotations

import asyncio
import html
import re
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urljoin

if TYPE_CHECKING:
    import random
    from collections.abc import Awaitable, Callable

    from load_http import Line, Reply

    Visit = Callable[["Guest"], Awaitable[None]]

_LINK = re.compile(r'href="(/[^"#]*)"')
_LINKED = re.compile(r'href="([^"#:]+)"')
_OPTION = re.compile(r'<option value="([^"]+)"')
_MCP = {"accept": "application/json, text/event-stream"}
_WORDS = ("museum", "violin", "garden", "Tuesday", "coffee", "train", "letter", "winter", "blue", "harbour")


class Over(Exception):  # noqa: N818 - named for what happened
    """The time is over: a client leaves in the middle of its visit."""


class Guest:
    """One client: its connection, its chance, and a name that nobody else has."""

    def __init__(
        self,
        line: Line,
        chance: random.Random,
        name: str,
        shared: dict[str, str],
        pause_s: float,
        until: float,
    ) -> None:
        self.line = line
        self.chance = chance
        self.name = name
        self.shared = shared
        """What all clients of a server know, such as the instance of a store."""
        self._pause_s = pause_s
        self._until = until

    async def ask(self, what: str, path: str, **options: Any) -> Reply:
        """Ask, after the pause of somebody who reads or thinks.

        Raises:
            Failed: There was no good reply.
            Over: It is time to go.
        """
        await asyncio.sleep(self.chance.uniform(0, 2 * self._pause_s))
        if time.monotonic() >= self._until:
            raise Over
        return await self.line.ask(what, path, **options)

    def words(self, count: int) -> str:
        """Say something."""
        return " ".join(self.chance.choices(_WORDS, k=count))


async def viewer(guest: Guest) -> None:
    """Load the first page with its files, follow links as a reader would, filter, and take a table away."""
    first = await guest.ask("first page", "/")
    for name in ("view.css", "view.js", "icon.svg"):
        await guest.line.ask("static", f"/static/{name}")
    if guest.name.startswith("0."):  # a few readers keep the progress of runs open
        await guest.line.listen("progress", "/live", 1.0)
    boards = await guest.ask("boards", "/board")
    listed = await guest.ask("runs", "/runs")  # the first page names none of a large board
    known = _links(first) | _links(boards) | _links(listed)
    run = guest.chance.choice(sorted(one for one in known if one.startswith("/run/")))
    opened = await guest.ask("run", run)
    board = sorted(one for one in known if one.startswith("/board/") and "as=" not in one)
    if board:
        await guest.ask("board", guest.chance.choice(board))
    categories = _OPTION.findall(opened.text)
    if categories:
        await guest.ask("filter", f"{run.partition('?')[0]}?category={quote(guest.chance.choice(categories))}")
    questions = sorted(one for one in _links(opened) if one.startswith("/question/"))
    if questions:
        await guest.ask("question", guest.chance.choice(questions))
    await guest.ask("memories", run.replace("/run/", "/memories/", 1).partition("?")[0])
    await guest.ask("table", "/runs?as=csv&of=runs")
    await guest.ask("absent", "/run/none", good=(404,))


async def site(guest: Guest) -> None:
    """Load the first page, and follow links that lead on within the site."""
    at, reply = "/", await guest.ask("first page", "/")
    for _ in range(8):
        links = {urljoin(at, found).partition("#")[0] for found in _LINKED.findall(reply.text)}
        pages = sorted(link for link in links if link.startswith("/") and link.endswith((".html", "/")))
        if not pages:
            break
        at = guest.chance.choice(pages)
        reply = await guest.ask("page", at)


TOKEN = "of-those-who-visit"  # noqa: S105 - it guards nothing
"""What the served memory is shown."""


async def hello(guest: Guest) -> None:
    """Open the store that all clients use."""
    body, heads = {"protocol": "wire/1"}, {"Authorization": f"Bearer {TOKEN}"}
    reply = await guest.ask("hello", "/hello", method="POST", json_body=body, headers=heads)
    guest.shared["instance"] = reply.data["instance"]


async def wire(guest: Guest) -> None:
    """Write a conversation into a memory of one's own, search it, list it, and have it erased."""
    heads = {"Wire-Instance": guest.shared["instance"], "Authorization": f"Bearer {TOKEN}"}
    scope = {"user": guest.name}

    async def call(method: str, **given: object) -> Any:
        body = {**given, "scope": scope}
        return (await guest.ask(method, f"/{method}", method="POST", json_body=body, headers=heads)).data

    for number in range(3):
        said = {"id": f"t{number}", "speaker": "Ana", "text": guest.words(12), "session": "s", "at": None}
        await call("ingest", turns=[said])
    await call("flush", timeout_s=5.0)
    found = await call("search", query=guest.words(3), k=5)
    if len(found["hits"]) > 3:
        raise guest.line.wrong("search", "memories of somebody else")
    kept = await call("dump")
    if len(kept["memories"]) != 3:
        raise guest.line.wrong("dump", f"{len(kept['memories'])} of 3 memories")
    await call("erase")


AML_DAYS = 3
"""Sessions of each client of the leaderboard's face."""


async def aml(guest: Guest) -> None:
    """Add as the platform does, which sends the same again when it is unsure, and find one's own alone."""
    heads = {"Authorization": f"Token {TOKEN}"}
    user, mine = f"run:{guest.name.partition('.')[0]}", f"word{guest.name.partition('.')[0]}"
    for day in range(AML_DAYS):
        message = {
            "role": "user",
            "content": f"On day {day} my locker was {mine}.",
            "timestamp": 1_704_067_200_000,
        }
        body = {
            "request_id": f"{user}:{day}",
            "user_id": user,
            "session_id": f"{user}:s",
            "messages": [message] * 5,
        }
        reply = await guest.ask("add", "/v1/add", method="POST", json_body=body, headers=heads)
        if reply.data != {
            "success": True,
            "request_id": body["request_id"],
            "user_id": user,
            "session_id": f"{user}:s",
        }:
            raise guest.line.wrong("add", "not what was sent")
    for top_k in (100, 4):
        asked = {"query": "What was my locker?", "user_id": user, "top_k": top_k}
        rows = (await guest.ask("search", "/v1/search", method="POST", json_body=asked, headers=heads)).data[
            "data"
        ]
        if len(rows) != min(top_k, 5 * AML_DAYS) or any(f"was {mine}." not in row["content"] for row in rows):
            raise guest.line.wrong("search", "not what was added")
    other = {**body, "messages": [{"role": "user", "content": "Something else."}]}
    await guest.ask("conflict", "/v1/add", method="POST", json_body=other, headers=heads, good=(422,))
    await guest.ask("health", "/health")


async def model(guest: Guest) -> None:
    """List models, ask for an answer and for vectors."""
    await guest.ask("models", "/v1/models")
    messages = [{"role": "system", "content": "Answer."}, {"role": "user", "content": guest.words(40)}]
    for _ in range(3):
        body = {"model": "scripted", "messages": messages, "stream": guest.chance.random() < 0.3}
        await guest.ask("chat", "/v1/chat/completions", method="POST", json_body=body)
    body = {"model": "scripted", "input": [guest.words(12) for _ in range(4)]}
    reply = await guest.ask("embeddings", "/v1/embeddings", method="POST", json_body=body)
    if len(reply.data["data"]) != 4:
        raise guest.line.wrong("embeddings", "not four vectors")
    await guest.ask("absent", "/v1/none", good=(404,))


async def tools(guest: Guest) -> None:
    """Open an MCP session, list and call tools, ask Slack's Web API, and end the session or just go."""
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "load", "version": "1"},
    }
    opened = await _rpc(guest, "initialize", hello, {}, 1)
    heads = {"mcp-protocol-version": "2025-06-18"}
    if "mcp-session-id" in opened.headers:
        heads["mcp-session-id"] = opened.headers["mcp-session-id"]
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    await guest.line.ask("note", "/all/mcp", method="POST", json_body=note, headers=_MCP | heads, good=(202,))
    listed = (await _rpc(guest, "tools/list", {}, heads, 2)).data["result"]["tools"]
    plain = [tool["name"] for tool in listed if _plain(tool)]
    for number, name in enumerate(guest.chance.choices(plain, k=3), 3):
        await _rpc(guest, "tools/call", {"name": name, "arguments": {}}, heads, number)
    slack = {"authorization": "Bearer x", "content-type": "application/x-www-form-urlencoded"}
    asked = await guest.ask("slack list", "/slack/api/conversations.list", method="POST", headers=slack)
    channel = asked.data["channels"][0]["id"]
    body = f"channel={channel}&limit=20".encode()
    history = await guest.ask(
        "slack history", "/slack/api/conversations.history", method="POST", body=body, headers=slack
    )
    if not history.data["ok"]:
        raise guest.line.wrong("slack history", history.data["error"])
    if "mcp-session-id" in heads and guest.chance.random() < 0.8:  # the others just hang up, as clients do
        await guest.line.ask("end", "/all/mcp", method="DELETE", headers=_MCP | heads)


async def git(guest: Guest) -> None:
    """Search repositories, ask for a branch, and clone: what is there, and then everything."""
    await guest.ask("search", "/api/v1/repos/search?q=")
    await guest.ask("branch", "/api/v1/repos/pgym/app/branches/main")
    known = await guest.ask("refs", "/pgym/app.git/info/refs?service=git-upload-pack")
    sha = re.search(rb"([0-9a-f]{40}) refs/heads/main", known.body)
    if sha is None:
        raise guest.line.wrong("refs", "no branch")
    want = b"want " + sha[1] + b" no-progress\n"
    body = b"%04x%s00000009done\n" % (len(want) + 4, want)
    heads = {"content-type": "application/x-git-upload-pack-request"}
    pack = await guest.ask("clone", "/pgym/app.git/git-upload-pack", method="POST", body=body, headers=heads)
    if b"PACK" not in pack.body:
        raise guest.line.wrong("clone", "no pack")
    await guest.ask("push", "/pgym/app.git/info/refs?service=git-receive-pack", good=(403,))


def _plain(tool: dict[str, Any]) -> bool:
    """Whether a tool only reads, and asks for nothing."""
    return bool(tool["annotations"]["readOnlyHint"]) and not tool["inputSchema"].get("required")


async def _rpc(guest: Guest, method: str, given: object, heads: dict[str, str], number: int) -> Reply:
    body = {"jsonrpc": "2.0", "id": number, "method": method, "params": given}
    reply = await guest.ask(method, "/all/mcp", method="POST", json_body=body, headers=_MCP | heads)
    if "result" not in reply.data or reply.data["result"].get("isError"):
        raise guest.line.wrong(method, "an error in the reply")
    return reply


def _links(reply: Reply) -> set[str]:
    return {html.unescape(found) for found in _LINK.findall(reply.text)}
