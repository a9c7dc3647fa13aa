"""Spans of a service that never was, as the file exporter of OpenTelemetry's collector writes them."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PER_TURN: Final = 20
"""Spans of one turn of a conversation."""
_BATCH: Final = 50
"""Turns in one line, as a collector sends them."""
_START_NS: Final = 1_790_000_000_000_000_000
_DAY_NS: Final = 86_400 * 10**9
_PLACES: Final = ("harbour", "station", "market", "library", "garden", "museum", "bridge", "tower")
_HABITS: Final = ("opens", "closes", "rests", "rings", "sings", "leaves", "returns", "waits")
_POSTGRES: Final = {"db.system.name": "postgresql", "db.collection.name": "m", "db.rows": 5}
_REQUEST: Final[dict[str, str | int]] = {
    "http.request.method": "GET",
    "http.response.status_code": 200,
    "url.full": "http://w/",
}
_ELSE: Final[tuple[tuple[str, dict[str, str | int]], ...]] = (
    ("SELECT session", {"db.system.name": "postgresql", "db.query.text": "SELECT * FROM sessions WHERE id = $1"}),
    ("GET", {"db.system.name": "redis", "db.operation.name": "GET", "network.peer.port": 6379}),
    ("authenticate", {"code.function.name": "shop.auth.check"}),
    ("POST", _REQUEST | {"http.request.method": "POST"}),
    ("chat.completions", {"http.request.method": "POST", "server.address": "models.internal"}),
    ("render prompt", {"code.function.name": "shop.prompts.render", "code.line.number": 17}),
    ("SELECT orders", {"db.system.name": "postgresql", "db.query.text": "SELECT * FROM orders WHERE owner = $1"}),
    ("SET", {"db.system.name": "redis", "db.operation.name": "SET", "network.peer.port": 6379}),
    ("publish", {"messaging.system": "kafka", "messaging.destination.name": "turns", "messaging.batch.size": 1}),
    ("UPDATE session", {"db.system.name": "postgresql", "db.query.text": "UPDATE sessions SET seen = now()"}),
)
"""What a service does beside."""
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def write_spans(path: Path, spans: int, *, seed: int = 0) -> int:
    """Write so many spans, or a few more, to *path*, and return how many.

    Of twenty, one searches a memory and one writes to it, with contents; the others are the agent above them,
    calls of models and of the database below them, a tool, requests, and what else a service does. Parents come
    after their children, and every hundredth batch comes twice.
    """
    turns = -(-spans // PER_TURN)
    with path.open("w", encoding="utf-8") as file:
        for start in range(0, turns, _BATCH):
            batch = [span for turn in range(start, min(turns, start + _BATCH)) for span in _turn(turn, seed)]
            line = _encode(_request(batch)) + "\n"
            file.write(line if start // _BATCH % 100 else line * 2)
    return turns * PER_TURN


def _turn(turn: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the spans of one turn, children first."""
    chance = random.Random(f"{seed}/{turn}")  # noqa: S311 - a load, not a secret
    user = f"user-{chance.randrange(10_000)}"
    trace, began = f"{chance.getrandbits(128) | 1:032x}", _START_NS + turn * 56 * _DAY_NS // 100_000
    ids = [f"{chance.getrandbits(64) | 1:016x}" for _ in range(PER_TURN)]
    request, agent, search, write, tool = ids[:5]
    model = {"gen_ai.request.model": "large", "gen_ai.provider.name": "somebody"}
    hits = [_record(chance, user, 0.9 - 0.07 * place) for place in range(5)]
    named = {"gen_ai.memory.store.id": "memories", "server.address": "memory.internal", "server.port": 8080}
    asked = _memory("search_memory", hits, f"{_saying(chance, user)[:-1]}?")
    embedding = {"gen_ai.operation.name": "embeddings", "gen_ai.usage.input_tokens": 12}
    using = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather"}
    shapes: tuple[tuple[int, str, str, dict[str, Any]], ...] = (
        *((10 + place, request, name, attributes) for place, (name, attributes) in enumerate(_ELSE)),
        (5, search, "embed_query", embedding | model),
        (6, search, "query vectors", _POSTGRES),
        (7, write, "insert vectors", _POSTGRES),
        (8, tool, "GET", _REQUEST),
        (9, agent, "chat large", _chat(chance) | model),
        (4, agent, "execute_tool weather", using),
        (3, agent, "upsert_memory", named | _memory("upsert_memory", [_record(chance, user)])),
        (2, agent, "search_memory", named | asked),
        (1, request, "invoke_agent shop", _agent(user, turn)),
        (0, "", "POST /chat", {"http.request.method": "POST", "http.route": "/chat"}),
    )
    for place, parent, name, attributes in shapes:
        begins = began + place * 1_000_000
        yield {
            "traceId": trace,
            "spanId": ids[place],
            **({"parentSpanId": parent} if parent else {}),
            "name": name,
            "kind": 3,
            "startTimeUnixNano": str(begins),
            "endTimeUnixNano": str(begins + chance.randrange(1_000_000, 80_000_000)),
            "attributes": [_attribute(*each) for each in attributes.items()],
            "status": {},
        }


def _record(chance: random.Random, user: str, score: float | None = None) -> dict[str, Any]:
    record = {"id": f"{user}-{chance.randrange(40)}", "content": _saying(chance, user)}
    return record if score is None else record | {"score": round(score, 3)}


def _saying(chance: random.Random, user: str) -> str:
    place, habit = chance.choice(_PLACES), chance.choice(_HABITS)
    return f"{user} said that the {place} {habit} at {chance.randrange(24)} o'clock."


def _memory(operation: str, records: list[dict[str, Any]], query: str = "") -> dict[str, Any]:
    about = {"gen_ai.operation.name": operation, "gen_ai.memory.record.count": len(records)}
    asked = {"gen_ai.memory.query.text": query} if query else {}
    return about | asked | {"gen_ai.memory.records": _encode(records)}


def _chat(chance: random.Random) -> dict[str, Any]:
    tokens = {f"gen_ai.usage.{way}_tokens": chance.randrange(20, 2000) for way in ("input", "output")}
    return {"gen_ai.operation.name": "chat"} | tokens


def _agent(user: str, turn: int) -> dict[str, Any]:
    whose = {"user.id": user, "gen_ai.conversation.id": f"conversation-{turn // 4}"}
    return {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "shop"} | whose


def _request(spans: list[dict[str, Any]]) -> dict[str, Any]:
    service = {"service.name": "shop", "service.version": "1.4.0", "host.name": "shop-1"}
    library = {"name": "opentelemetry.instrumentation.shop", "version": "0.9"}
    resource = {"attributes": [_attribute(*each) for each in service.items()]}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": library, "spans": spans}]}]}


def _attribute(key: str, value: str | int) -> dict[str, Any]:
    return {"key": key, "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}}
