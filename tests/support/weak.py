"""A memory that asks a model for every turn, on a real server with a model that is made up."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

from memgauge.errors import SystemFault
from memgauge.llm.served import ModelServer, PromptFamily
from memgauge.records import Change, Operation, Receipt
from memgauge.studies.weak.play import ServedModel
from memgauge.studies.weak.record import Exchange
from memgauge.studies.weak.relay import LiveModel, RecordingRelay
from memgauge.systems.catalogue import open_here

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.records import Scope, Turn
    from memgauge.systems.protocol import MemorySystem

TODAY = date(2026, 11, 23)
CAP = 50
SPEC = """
title = "A tiny study"
dataset = "synthetic:tiny"
turns = 4
model = "toy"
cap = 50
limit = 5
timeout = 10

[[product]]
key = "asking"
system = "asking:model={model}"

[[product]]
key = "gone"
system = "gone"

[[user]]
key = "demo"

[[user.step]]
name = "list"
command = "data list --model {model} --base-url {url}"
counted.failed = "n.failed"
"""


def body(text: str = "Hello.", **more: Any) -> dict[str, Any]:
    """Spell a request."""
    return {"model": "toy", "messages": [{"role": "user", "content": text}], **more}


def ask(url: str, asked: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
    """Ask a server over HTTP."""
    request = urllib.request.Request(f"{url}/chat/completions", json.dumps(asked).encode())  # noqa: S310 - an address on loopback
    try:
        with urllib.request.urlopen(request, timeout=10) as reply:  # noqa: S310 - an address on loopback
            return reply.status, json.load(reply)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


EXCHANGE = Exchange(
    during="t1",
    key="k",
    opening="o",
    purpose="facts",
    shape="json",
    schemas={},
    cap=CAP,
    status=200,
    finish="stop",
    input_tokens=10,
    output_tokens=5,
    seconds=1.0,
    text="{}",
)


def exchange(**changed: Any) -> Exchange:
    """Make an exchange that went well, but for what is *changed*."""
    return replace(EXCHANGE, **changed)


@contextmanager
def relayed() -> Iterator[RecordingRelay]:
    """Serve a model that agrees to every other turn, behind a relay."""
    said = PromptFamily("toy facts", lambda asked: "Turn" in asked.text, lambda asked: _said(asked.last))
    with (
        ModelServer([said]) as server,
        RecordingRelay(LiveModel(server.url, 10), cap=CAP, today=TODAY) as relay,
    ):
        yield relay


@contextmanager
def served() -> Iterator[ServedModel]:
    """Serve the same for one lane."""
    with relayed() as relay:
        yield ServedModel(relay, "toy (made up)")


def _said(text: str) -> str:
    return '{"fact": "it was said"}' if text.rpartition("t")[2].strip(".") in {"01", "03"} else "Nothing, really."


def asking(ref: str) -> MemorySystem:
    """Open a memory that stores a turn where the model says JSON, raises at the third, and else says nothing."""
    if not ref.startswith("asking"):
        raise SystemFault("It refuses to be started by root.")
    url = ref.partition("@")[2].partition(",")[0]
    system = open_here("bm25")
    store = system.ingest

    def ingest(turns: Sequence[Turn], scope: Scope) -> Receipt:
        (turn,) = turns
        _, reply = ask(url, body(f"Turn {turn.id}.", response_format={"type": "json_object"}))
        if turn.id.endswith("03"):
            raise SystemFault("the third is too much")
        if reply["choices"][0]["message"]["content"].startswith("{"):
            store(turns, scope)
            return Receipt((Change(Operation.ADD, turn.id),))
        return Receipt(())

    vars(system)["ingest"] = ingest
    return system
