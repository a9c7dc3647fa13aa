"""Invented spans, spelled as OTLP/JSON spells them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from memgauge.exchange.otlp.importing import import_otlp
from memgauge.exchange.otlp.sighting import OtlpOptions

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from memgauge.exchange.traffic.reading import Traffic

TRACE = "0af7651916cd43dd8448eb211c80319c"
START = 1_790_000_000_000_000_001
KEPT = OtlpOptions(texts=True)
MINIMAL = (
    '{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop-bot"}}]},'
    '"scopeSpans":[{"spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"00f067aa0ba902b7",'
    '"parentSpanId":"b7ad6b7169203331","name":"search_memory","kind":3,"startTimeUnixNano":"1790000000000000001",'
    '"endTimeUnixNano":"1790000000042000001","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":'
    '"search_memory"}},{"key":"gen_ai.memory.query.text","value":{"stringValue":"shoe size?"}},'
    '{"key":"gen_ai.memory.record.count","value":{"intValue":"1"}},{"key":"gen_ai.memory.records","value":'
    '{"stringValue":"[{\\"id\\":\\"m7\\",\\"content\\":\\"wears 42\\",\\"score\\":0.8}]"}}]}]}]}]}'
)
"""The line that the reference gives."""


def any_value(value: Any) -> dict[str, Any]:
    """Spell a value of any type."""
    if value is None:
        return {}
    if isinstance(value, list):
        return {"arrayValue": {"values": [any_value(each) for each in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": attributes(value)}}
    names = {bool: "boolValue", int: "intValue", float: "doubleValue", str: "stringValue"}
    return {names[type(value)]: str(value) if type(value) is int else value}


def attributes(values: dict[str, Any]) -> list[dict[str, Any]]:
    """Spell attributes."""
    return [{"key": key, "value": any_value(value)} for key, value in values.items()]


def span(
    number: int,
    values: dict[str, Any],
    *,
    parent: int = 0,
    at: int = 0,
    name: str = "",
    events: Iterable[tuple[str, dict[str, Any]]] = (),
    **more: Any,
) -> dict[str, Any]:
    """Spell one span that began *at* milliseconds and took one."""
    began = START + (at or number) * 1_000_000
    spelled: dict[str, Any] = {
        "traceId": TRACE,
        "spanId": f"{number:016x}",
        "name": name or values.get("gen_ai.operation.name", "work"),
        "startTimeUnixNano": str(began),
        "endTimeUnixNano": str(began + 1_000_000),
        "attributes": attributes(values),
        "events": [{"name": label, "attributes": attributes(inner)} for label, inner in events],
    }
    return spelled | ({"parentSpanId": f"{parent:016x}"} if parent else {}) | more


def memory(operation: str, **values: Any) -> dict[str, Any]:
    """Name attributes of the convention: ``gen_ai.memory.`` stands before what holds no ``__``, which is a dot."""
    named = {
        key.replace("__", ".") if "__" in key else f"gen_ai.memory.{key}": value for key, value in values.items()
    }
    return {"gen_ai.operation.name": operation} | named


def line(*spans: dict[str, Any], resource: dict[str, Any] | None = None, **more: Any) -> str:
    """Spell a request with spans of one service."""
    whose = {"attributes": attributes({"service.name": "shop-bot"} | (resource or {}))}
    return json.dumps({"resourceSpans": [{"resource": whose, "scopeSpans": [{"spans": list(spans), **more}]}]})


def imported(folder: Path, *files: Iterable[str] | str, options: OtlpOptions = KEPT) -> Traffic:
    """Write files of lines and import them together."""
    paths = []
    for number, lines in enumerate(files):
        paths.append(folder / f"{number}.jsonl")
        text = lines if isinstance(lines, str) else "".join(f"{each}\n" for each in lines)
        paths[-1].write_text(text, "utf-8")
    return import_otlp(paths, folder / "traffic", options)


def rows(traffic: Traffic) -> list[dict[str, Any]]:
    """List operations, each with its records."""
    operations, records = traffic.operations(), traffic.records()
    whole = [dict(zip(operations, values, strict=True)) for values in zip(*operations.values(), strict=True)]
    for row in whole:
        row["records"] = []
    for values in zip(*records.values(), strict=True):
        record = dict(zip(records, values, strict=True))
        whole[record["operation"]]["records"].append(record)
    return whole
