"""Processes that speak the wire, well or badly, and one that is ordinary."""

from __future__ import annotations

import json
import sys
import textwrap
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from memgauge.records import Scope, Turn
from memgauge.systems.wire.client import connect
from memgauge.systems.wire.opening import Subprocess

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memgauge.systems.wire.client import WireSystem

HERE = Scope("ada")
HELLO = {"protocol": "wire/1", "name": "scripted", "version": "1"}


def turn(number: int = 0, text: str = "the beans came up") -> Turn:
    """Make a turn."""
    return Turn(f"t{number}", "Ada", text, "s1")


@contextmanager
def lent(system: Any) -> Iterator[Callable[[], Any]]:
    """Lend one system to every probe that opens one: a process for each of thirty proves nothing more."""
    close, system.close = system.close, lambda: None
    try:
        yield lambda: system
    finally:
        close()


def scripted(body: str, *, offers: Sequence[str] = ()) -> list[str]:
    """Return a command whose process says hello and runs *body* for each request (``id``, ``method``, ``params``).

    ``say(value)`` answers with a result.
    """
    hello = json.dumps(HELLO | {"offers": list(offers)})
    code = f"""
import json, os, signal, sys, time
def say(result): print(json.dumps({{"jsonrpc": "2.0", "id": id, "result": result}}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    id, method, params = request.get("id"), request["method"], request.get("params")
    if method == "hello":
        say({hello})
        continue
{textwrap.indent(textwrap.dedent(body), "    ")}
"""
    return [sys.executable, "-S", "-c", code]


def speaking(body: str, *, call_s: float = 20, offers: Sequence[str] = ()) -> WireSystem:
    """Open a process that behaves as *body* says."""
    return connect(Subprocess("test", scripted(body, offers=offers)), "scripted", call_s=call_s)
