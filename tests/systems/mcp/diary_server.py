"""An MCP server of unusual shape: nested arguments by reference, ids of its own, rows deep in a reply."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ENTRY = {
    "type": "object",
    "properties": {
        "details": {"type": "string"},
        "mood": {"type": "string", "enum": ["calm", "busy"]},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["details", "mood"],
}
TOOLS: list[dict[str, Any]] = [
    {
        "name": "rememberThis",
        "description": "Keeps an entry of the diary.",
        "inputSchema": {
            "type": "object",
            "properties": {"entry": {"$ref": "#/$defs/Entry"}, "dry": {"type": "boolean"}},
            "required": ["entry"],
            "$defs": {"Entry": ENTRY},
        },
    },
    {
        "name": "recall",
        "inputSchema": {
            "type": "object",
            "properties": {
                "prompt": {"anyOf": [{"type": "null"}, {"type": "string"}]},
                "top_k": {"type": "integer", "default": 3},
            },
            "required": ["prompt"],
        },
    },
    {"name": "browse_entries", "inputSchema": {"type": "object", "properties": {}}},
    {"name": "weather", "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}}},
]
FILE = Path("diary.json")
"""In the folder in which it is started."""
DIARY: list[dict[str, Any]] = json.loads(FILE.read_text("utf-8")) if FILE.exists() else []


def call(tool: str, given: dict[str, Any]) -> dict[str, Any]:
    """Do what a tool does."""
    if tool == "rememberThis":
        DIARY.append({"number": f"e{len(DIARY)}", "said": given["entry"]})
        FILE.write_text(json.dumps(DIARY), "utf-8")
        return {"stored": DIARY[-1]["number"]}
    rows = DIARY
    if tool == "recall":
        words = set(given["prompt"].lower().replace("?", "").split())
        matching = {
            row["number"]: len(words & set(row["said"]["details"].lower().strip(".").split())) for row in DIARY
        }
        rows = sorted((row for row in DIARY if matching[row["number"]]), key=lambda row: -matching[row["number"]])
        rows = rows[: given.get("top_k", 3)]
    return {"data": {"matches": rows}} if rows else {"message": "The diary says nothing."}


def main() -> None:
    """Answer until the input ends."""
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            continue
        params = request.get("params", {})
        if request["method"] == "initialize":
            server = {"name": "My Diary", "version": "3"}
            result: dict[str, Any] = {"protocolVersion": params["protocolVersion"], "serverInfo": server}
        elif request["method"] == "tools/list":
            result = {"tools": TOOLS}
        else:
            value = call(params["name"], params["arguments"])
            result = {"content": [{"type": "text", "text": json.dumps(value)}]}
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
