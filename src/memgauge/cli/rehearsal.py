"""A dry run of a memory: each method called once, with what went in and what came back."""

from __future__ import annotations

import json
from dataclasses import asdict, is_dataclass
from typing import TYPE_CHECKING, Any, Final

from memgauge.foreign import Raised, call_foreign
from memgauge.frame.output import told

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memgauge.show import Document
    from memgauge.systems.protocol import MemorySystem

LONGEST: Final = 600
"""Characters of a reply that are shown."""


def rehearsed(ref: str, system: MemorySystem) -> tuple[Document, bool]:
    """Call every method of an opened system once; return what came back, and whether nothing raised."""
    from memgauge.records import Scope, Turn
    from memgauge.systems.mcp.declared import Mcp
    from memgauge.systems.protocol import supported

    heard: list[dict[str, Any]] = []

    def listen(tool: str, arguments: Mapping[str, Any], reply: Any) -> None:
        heard.append({"tool": tool, "arguments": dict(arguments), "reply": reply})

    if isinstance(system, Mcp):
        system.heard = listen
    scope = Scope("dry-run")
    turn = Turn("d1:1", "Ada", "My sister grows walnuts in Trieste.", "d1", role="user")
    calls: dict[str, Callable[[], object]] = {
        "reset": system.reset,
        "ingest": lambda: system.ingest([turn], scope),
        "flush": lambda: system.flush(scope, 30),
        "search": lambda: system.search("Who grows walnuts?", scope, 5),
        "dump": lambda: list(system.dump(scope)),
    }
    if "mutable" in supported(system):
        changed: Any = system

        def first() -> str:
            return next(iter(system.dump(scope))).id  # it may be the system's own

        calls["update"] = lambda: changed.update(first(), "My sister grows figs in Trieste.", scope)
        calls["delete"] = lambda: changed.delete([first()], scope)
    steps = []
    for method, call in calls.items():
        heard.clear()
        returned = call_foreign(call)
        raised = str(returned) if isinstance(returned, Raised) else ""
        value = None if raised else _data(returned)
        steps.append({"method": method, "tools": list(heard), "returned": value, "raised": raised})
    lines = [line for step in steps for line in _lines(step)]
    good = not any(step["raised"] for step in steps)
    end = "Look whether ids and texts stand where they should." if good else "What raised has to be mended first."
    return told({"system": ref, "steps": steps}, f"{ref}: each method once", *lines, end), good


def _lines(step: Mapping[str, Any]) -> list[str]:
    calls = [
        f"    {each['tool']} {_short(each['arguments'])}\n      -> {_short(each['reply'])}"
        for each in step["tools"]
    ]
    ended = f"raised {step['raised']}" if step["raised"] else f"returned {_short(step['returned'])}"
    return [f"  {step['method']} {ended}", *calls]


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text):,} characters)"


def _data(value: object) -> Any:
    """Return a value as data, without what says nothing."""
    if is_dataclass(value) and not isinstance(value, type):
        return _data(asdict(value))
    if isinstance(value, dict):
        return {str(key): _data(each) for key, each in value.items() if each not in (None, "", (), [], {})}
    if isinstance(value, list | tuple):
        return [_data(each) for each in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)
