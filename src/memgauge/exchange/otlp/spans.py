"""Spans as OTLP/JSON spells them: identifiers in hexadecimal, 64-bit numbers as texts, values of any type."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Mapping

Attributes = dict[str, Any]
_IDS: Final = re.compile("(?!0{32})[0-9a-f]{32}(?!0{16})[0-9a-f]{16}").fullmatch
_LATEST: Final = (1 << 63) - 1
_ERROR: Final = 2
BYTES: Final = "an attribute of bytes, which are not read as text"
WRONG: Final = (KeyError, TypeError, ValueError, AttributeError, OverflowError)
"""What reading a value of another shape raises."""


class SpanResource(NamedTuple):
    """Who wrote spans: the attributes of the resource, the library, and the version of the convention."""

    attributes: Attributes
    library: str = ""
    schema: str = ""


class SpanEvent(NamedTuple):
    """Something that happened during a span."""

    name: str
    attributes: Attributes


class TracedSpan(NamedTuple):
    """One span, with its attributes as values of Python."""

    trace: str
    span: str
    parent: str
    """Empty for a root."""
    name: str
    began_ns: int
    ended_ns: int
    failed: bool
    attributes: Attributes
    events: tuple[SpanEvent, ...]
    dropped: int
    """Attributes that were dropped on the way."""
    sampling: str
    """The trace state, which may tell of sampling."""
    resource: SpanResource


def spans_of(request: Mapping[str, Any], left_out: Counter[str], noted: Counter[str]) -> Iterator[TracedSpan]:
    """Yield the spans of a request; one that cannot be read is counted with its reason."""
    for resource, raws in emitted(request, ("resourceSpans", "scopeSpans", "spans"), left_out, noted):
        for span_object in raws:
            try:
                span = _span(span_object, resource, noted)
            except WRONG:
                left_out["a span that cannot be read"] += 1
                continue
            if not _IDS(span.trace + span.span):
                left_out["a span without valid identifiers"] += 1
            elif not 0 < span.began_ns <= span.ended_ns <= _LATEST:
                left_out["a span without a beginning before its end"] += 1
            else:
                yield span


def emitted(
    request: Mapping[str, Any], names: tuple[str, str, str], left_out: Counter[str], noted: Counter[str]
) -> Iterator[tuple[SpanResource, list[Any]]]:
    """Yield what every library of every resource emitted; *names* are those of the lists on the way to it."""
    resources, libraries, signals = names
    for resource in _list(request, resources, left_out):
        try:
            attributes = attributes_of(resource.get("resource", {}).get("attributes", ()), noted)
        except WRONG:
            attributes = {}
            left_out["a resource that cannot be read"] += 1
        if not isinstance(resource, dict):
            continue
        for part in _list(resource, libraries, left_out):
            if not isinstance(part, dict):
                left_out[f"{signals} of a library that cannot be read"] += 1
                continue
            schema = str(part.get("schemaUrl") or resource.get("schemaUrl") or "")
            yield SpanResource(attributes, _library(part), schema), _list(part, signals, left_out)


def attributes_of(items: Any, noted: Counter[str]) -> Attributes:
    """Read a list of attributes; of a key that occurs twice the last value counts, and that is noted.

    Raises:
        KeyError: An item has no key.
        TypeError: Something is of another shape.
    """
    values: Attributes = {}
    for item in items:
        value = item.get("value") or {}
        key = item["key"]
        if key in values:
            noted["an attribute that occurs twice"] += 1
        if type(key) is not str:
            raise TypeError(key)
        if "stringValue" in value:
            values[key] = value["stringValue"]
            continue
        if "bytesValue" in value:
            noted[BYTES] += 1
        values[key] = any_value(value)
    return values


def any_value(value: Mapping[str, Any]) -> Any:
    """Read a value of any type; an empty one, and one of bytes, which are no text, is ``None``."""
    for kind, content in value.items():
        match kind:
            case "stringValue" | "boolValue":
                return content
            case "intValue":
                return integer(content)
            case "doubleValue":
                return float(content)
            case "arrayValue":
                return [any_value(element or {}) for element in (content or {}).get("values", ())]
            case "kvlistValue":
                pairs = (content or {}).get("values", ())
                return {pair["key"]: any_value(pair.get("value") or {}) for pair in pairs}
    return None


def integer(value: Any) -> int:
    """Read a 64-bit number, which is a text of digits; never through a float.

    Raises:
        ValueError: It is none.
    """
    if isinstance(value, float) and not value.is_integer():
        raise ValueError(value)
    return int(value)


def _span(span_object: Mapping[str, Any], resource: SpanResource, noted: Counter[str]) -> TracedSpan:
    status = span_object.get("status")
    events = span_object.get("events")
    return TracedSpan(
        span_object["traceId"].lower(),
        span_object["spanId"].lower(),
        (span_object.get("parentSpanId") or "").lower().strip("0") and span_object["parentSpanId"].lower(),
        _text(span_object.get("name")),
        _moment(span_object["startTimeUnixNano"]),
        _moment(span_object["endTimeUnixNano"]),
        bool(status) and status.get("code") in {_ERROR, "STATUS_CODE_ERROR"},  # type: ignore[union-attr] # it is one
        attributes_of(span_object.get("attributes") or (), noted),
        tuple(
            SpanEvent(_text(event.get("name")), attributes_of(event.get("attributes") or (), noted))
            for event in events
        )
        if events
        else (),
        integer(span_object.get("droppedAttributesCount") or 0),
        _text(span_object.get("traceState")),
        resource,
    )


def _text(value: Any) -> str:
    if value is not None and not isinstance(value, str):
        raise TypeError(value)
    return value or ""


def _moment(value: Any) -> int:
    if isinstance(value, float | bool):
        raise TypeError(value)  # it was rounded before anybody looked at it, or is no number
    return int(value)


def _library(part: Mapping[str, Any]) -> str:
    scope = part.get("scope")
    if not isinstance(scope, dict):
        return ""
    return f"{scope.get('name') or ''} {scope.get('version') or ''}".strip()


def _list(holder: Mapping[str, Any], name: str, left_out: Counter[str]) -> list[Any]:
    value = holder.get(name, [])
    if isinstance(value, list):
        return value
    left_out[f"{name} that are no list"] += 1
    return []
