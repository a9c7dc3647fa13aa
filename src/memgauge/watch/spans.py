"""The standard's spans of memory, where the host has OpenTelemetry and a tracer that records.

OpenTelemetry is never imported from here: a host that has configured it has imported it.
"""

from __future__ import annotations

import sys
from json import dumps
from typing import TYPE_CHECKING, Any, Final

from memgauge.text.jsons import json_of
from memgauge.version import __version__

if TYPE_CHECKING:
    from memgauge.watch.rows import CallTimes, SpelledRow

_NAMES: Final = {
    "search": "search_memory",
    "add": "create_memory",
    "update": "update_memory",
    "upsert": "upsert_memory",
    "delete": "delete_memory",
    "wipe": "delete_memory",
    "drop_store": "delete_memory_store",
}
_FIELDS: Final = {
    "store": "gen_ai.memory.store.id",
    "returned": "gen_ai.memory.record.count",
    "query": "gen_ai.memory.query.text",
    "scope": "user.id",
    "session": "gen_ai.conversation.id",
    "agent": "gen_ai.agent.id",
    "reason": "error.type",
}
"""Attributes by the column that they say; the standard has user, conversation and agent on other spans."""
_tracers: Final[dict[str, tuple[Any, Any]]] = {}


class CallSpan:
    """The span of one call, which is the current one while the product works."""

    def __init__(self, span: Any, current: Any) -> None:
        self._span = span
        self._current = current

    def ids(self, *, first: bool) -> str:
        """Spell the columns that name the trace, and the span of the *first* operation of a call."""
        context = self._span.get_span_context()
        trace = f',"trace":"{context.trace_id:032x}"'
        return f'{trace},"span":"{context.span_id:016x}"' if first else trace

    def leave(self) -> None:
        """Make the span before it the current one."""
        current, self._current = self._current, None
        if current is not None:
            current.__exit__(None, None, None)

    def end(self, rows: list[SpelledRow], times: CallTimes) -> None:
        """Say what the rows of the call say, and end the span; what it did besides has spans of its own."""
        for row in rows[:1]:
            _describe(self._span, row)
        self._span.end()
        trace = sys.modules["opentelemetry.trace"]
        for row in rows[1:]:
            span = _tracer(trace).start_span(
                _NAMES[row.operation], kind=trace.SpanKind.CLIENT, start_time=times.began_ns
            )
            _describe(span, row)
            span.end(end_time=times.ended_ns)


def open_span(operation: str) -> CallSpan | None:
    """Begin a span and make it the current one; ``None`` where nobody records spans."""
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None or not operation:
        return None
    span = _tracer(trace).start_span(_NAMES[operation], kind=trace.SpanKind.CLIENT)
    if not span.is_recording():
        return None
    current = trace.use_span(span, end_on_exit=False, record_exception=False, set_status_on_exception=False)
    current.__enter__()
    return CallSpan(span, current)


def _tracer(trace: Any) -> Any:
    """Return the tracer of the provider that is set now; hosts set it late, and tests set others."""
    provider = trace.get_tracer_provider()
    cached = _tracers.get("now")
    if cached is None or cached[0] is not provider:
        cached = _tracers["now"] = provider, provider.get_tracer("memgauge.watch", __version__)
    return cached[1]


def _describe(span: Any, row: SpelledRow) -> None:
    operation, is_search = _NAMES[row.operation], row.operation == "search"
    columns = json_of(f"{row.columns}}}")
    records = [] if is_search and not row.worded else json_of(f"[{row.records}]")
    span.update_name(operation)
    span.set_attribute("gen_ai.operation.name", operation)
    for column, attribute in _FIELDS.items():
        value = columns.get(column)
        if value is not None:
            span.set_attribute(attribute, value)
    if len(records) == 1 and not is_search:
        span.set_attribute("gen_ai.memory.record.id", records[0][0])
    texts = [{"id": memory, "content": text, "score": score} for memory, _, _, text, score in records]
    if texts and all(record["content"] is not None for record in texts):
        span.set_attribute("gen_ai.memory.records", dumps(texts))
    if "reason" in columns:
        trace = sys.modules["opentelemetry.trace"]
        span.set_status(trace.Status(trace.StatusCode.ERROR))
