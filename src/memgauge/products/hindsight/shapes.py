"""What Hindsight returns, as memories: units of a bank that it lists, and facts that it recalls."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from memgauge.records import Form, Memory

if TYPE_CHECKING:
    from collections.abc import Mapping

OBSERVATION = "observation"
"""The type of a memory that Hindsight made of others."""


def listed(unit: Mapping[str, Any], documents: Mapping[str, str | None]) -> Memory:
    """Show a memory of a list.

    Args:
        unit: What Hindsight says of it.
        documents: The document of each memory, which is the turn of it.
    """
    return Memory(
        str(unit["id"]),
        str(unit["text"]),
        Form.UNKNOWN,
        _sources(unit["document_id"], unit.get("source_memory_ids"), documents),
        event_at=moment(unit.get("mentioned_at")),
        channel=_channel(str(unit["fact_type"]), unit.get("metadata")),
    )


def recalled(fact: Any, documents: Mapping[str, str | None]) -> Memory:
    """Show a memory that was recalled; *documents* are those of what it may rest on."""
    return Memory(
        str(fact.id),
        str(fact.text),
        Form.UNKNOWN,
        _sources(fact.document_id, fact.source_fact_ids, documents),
        event_at=moment(fact.mentioned_at),
        channel=_channel(str(fact.fact_type), fact.metadata),
    )


def moment(at: str | None) -> datetime | None:
    """Read a moment, without the zone that Hindsight gives it: times of turns have none."""
    return datetime.fromisoformat(at).astimezone(UTC).replace(tzinfo=None) if at else None


def _sources(
    document: str | None, below: list[str] | None, documents: Mapping[str, str | None]
) -> tuple[str, ...]:
    """Name the turns of a memory: that of its document, or those of the memories that it was made of."""
    named = [document] if document else [documents.get(name) for name in below or ()]
    return tuple(dict.fromkeys(turn for turn in named if turn))


def _channel(kind: str, metadata: Mapping[str, Any] | None) -> str:
    return kind if kind == OBSERVATION else str((metadata or {}).get("role", ""))
