"""Who says what: one module for every vocabulary of memory and retrieval spans, one line here for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
