"""A real MCP server of notes over stdio, with the bad habits that the variable HABITS names."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, TextIO

FILE = Path(os.environ.get("NOTES_FILE") or f"{tempfile.mkdtemp()}/notes.json")
"""Where nothing says where, what one process keeps is not found by the next."""
BEFORE = FILE.with_suffix(".before")
HABITS = frozenset(os.environ.get("HABITS", "").split("+"))
TOOLS = ("write", "find", "all", "edit", "remove")
LAG_S = 0.2


def load() -> dict[str, str]:
    """Read the notes."""
    return dict(json.loads(FILE.read_text("utf-8"))) if FILE.exists() else {}


def keep(notes: dict[str, str]) -> None:
    """Write the notes, and keep what was there before beside them."""
    if FILE.exists():
        BEFORE.write_bytes(FILE.read_bytes())
    FILE.write_text(json.dumps(notes), "utf-8")


def shown(notes: dict[str, str]) -> dict[str, str]:
    """Return the notes, or for some moments those before the last change."""
    if "lags" not in HABITS or not FILE.exists() or time.time() - FILE.stat().st_mtime > LAG_S:
        return notes
    return dict(json.loads(BEFORE.read_text("utf-8"))) if BEFORE.exists() else {}


def call(tool: str, given: dict[str, Any]) -> Any:
    """Do what a tool does."""
    notes = load()
    if tool in {"write", "edit"}:
        if "babbles" in HABITS:
            say("not now, with " + "x" * 100)
        if "hangs" in HABITS:
            time.sleep(60)
        if "dies" in HABITS:
            say("out of ink", sys.stderr)
            os._exit(7)
        if "leaves" not in HABITS or given["title"] not in notes:
            notes[given["title"]] = given["body"]
            keep(notes)
        return {"done": True}
    if tool == "remove":
        notes.pop(given["title"], None)
        keep(notes)
        return {"done": True}
    rows = [{"title": title, "body": body} for title, body in shown(notes).items()]
    if tool == "all":
        size = 10
        start = (given["page"] - 1) * size
        return {"rows": rows[start : start + size]}
    words = given["query"].lower().split()
    scored: list[dict[str, Any]] = [
        {**row, "rank": sum(word in row["body"].lower() for word in words)} for row in rows
    ]
    scored = [row for row in scored if row["rank"]]
    scored.sort(key=lambda row: row["rank"], reverse=True)
    return {"rows": scored[: given["limit"]]}


def result_of(request: dict[str, Any]) -> dict[str, Any]:
    """Answer one request."""
    params = request.get("params", {})
    if request["method"] == "initialize":
        return {"protocolVersion": params["protocolVersion"], "serverInfo": {"name": "notes", "version": "9.1"}}
    if request["method"] == "tools/list":
        return {"tools": [{"name": tool} for tool in TOOLS if tool != "find" or "forgets" not in HABITS]}
    if "refuses" in HABITS:
        return {"isError": True, "content": [{"type": "text", "text": "no more notes today"}]}
    if params["name"] in ("write", "find") and f"apologises-{params['name']}" in HABITS:
        return {"content": [{"type": "text", "text": "Error: backend unavailable"}]}
    value = call(params["name"], params["arguments"])
    content = [{"type": "text", "text": json.dumps(value)}]
    return {"content": content} if "texts" in HABITS else {"content": content, "structuredContent": value}


def say(line: str, where: TextIO = sys.stdout) -> None:
    """Write a line, at once."""
    where.write(line + "\n")
    where.flush()


def send(message: dict[str, Any]) -> None:
    """Write a message as a line."""
    say(json.dumps({"jsonrpc": "2.0", **message}))


def main() -> None:
    """Answer until the input ends."""
    if "greets" in HABITS:
        say("Welcome to notes!")
        send({"id": "p1", "method": "ping"})
        send({"id": "r1", "method": "roots/list"})
        send({"method": "notifications/message", "params": {}})
    for line in sys.stdin:
        request = json.loads(line)
        if "method" not in request:
            say(f"answered: {json.dumps(request, sort_keys=True)}", sys.stderr)
        elif "fails" in HABITS and request["method"] == "tools/call":
            send({"id": request["id"], "error": {"code": -32603, "message": "the pen broke"}})
        elif "id" in request:
            send({"id": request["id"], "result": result_of(request)})


if __name__ == "__main__":
    main()
