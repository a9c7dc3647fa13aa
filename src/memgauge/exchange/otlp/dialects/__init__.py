"""Who says what: one module for every vocabulary of memory and retrieval spans, one line here for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memgauge.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.exchange.otlp.drafts import DraftOperation
    from memgauge.exchange.otlp.spans import TracedSpan

    DialectReader = Callable[[TracedSpan], tuple[DraftOperation, ...] | str | None]
    """Reads a span as operations; ``None`` where it is none of the dialect's; a text that says what it is instead
    where it is one of the dialect, and no operation."""

DIALECTS: Registry[DialectReader] = Registry(
    "dialect",
    "memgauge.otlp_dialects",
    {
        "genai": "memgauge.exchange.otlp.dialects.genai:read",
        "genai-draft": "memgauge.exchange.otlp.dialects.genai_draft:read",
        "genai-retrieval": "memgauge.exchange.otlp.dialects.genai_retrieval:read",
        "memory-semconv": "memgauge.exchange.otlp.dialects.memory_semconv:read",
        "openinference": "memgauge.exchange.otlp.dialects.openinference:read",
        "openllmetry": "memgauge.exchange.otlp.dialects.openllmetry:read",
        "strands": "memgauge.exchange.otlp.dialects.strands:read",
    },
)
"""No two of them know the same span."""

_TELLING: Final = (
    "gen_ai.operation.name",
    "openinference.span.kind",
    "memory.operation",
    "memory.event",
    "db.system",
    "db.system.name",
    "db.operation",
    "db.operation.name",
)
"""Attributes whose values tell our dialects apart."""
_LISTED: Final = "gen_ai.retrieval.documents"
"""An attribute that tells by whether it is null."""


def shape_of(span: TracedSpan) -> tuple[object, ...] | None:
    """Return what decides whether a dialect of ours knows a span, or ``None`` where only reading it does.

    A service writes thousands of spans about other things for every one about memory, in few shapes.
    """
    attributes = span.attributes
    telling = tuple([attributes[name] for name in _TELLING if name in attributes])
    if span.events or _LISTED in attributes or not {str}.issuperset(map(type, telling)):
        return None
    return span.name, telling, tuple(attributes)
