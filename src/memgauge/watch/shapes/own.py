"""Memory systems that speak memgauge's own protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from memgauge.watch.calls import (
    CallOwner,
    CallReader,
    MemoryCall,
    ProductShape,
    called_records,
    content,
    count,
    identifier,
    sequence,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

_REMOVED: Final = "delete"
_WRITTEN: Final = frozenset({"add", "update", "invalidate"})


def _owner(scope: Any) -> CallOwner:
    tenant = "" if scope.tenant == "default" else identifier(scope.tenant)
    return CallOwner(identifier(scope.user), tenant, identifier(scope.session), identifier(scope.agent))


def _parts(hit: Any) -> tuple[Any, Any, Any]:
    return hit.memory.id, hit.memory.text, hit.score


def _searched(arguments: Mapping[str, Any], result: Any) -> tuple[MemoryCall, ...]:
    hits = None if result is None else sequence(result.hits)
    records = None if hits is None else called_records(hits, _parts)
    limit = count(arguments.get("k"))
    return (
        MemoryCall(
            "search", _owner(arguments["scope"]), query=content(arguments["query"]), asked=limit, records=records
        ),
    )


def _ingested(arguments: Mapping[str, Any], result: Any) -> tuple[MemoryCall, ...]:
    """Read what a receipt says of single memories; it does not say their texts."""
    owner = _owner(arguments["scope"])
    changes = None if result is None else sequence(result.changes)
    if changes is None:
        return (MemoryCall("upsert", owner),)
    written_records = tuple((identifier(change.memory), None, None) for change in changes if change.op in _WRITTEN)
    removed_records = tuple((identifier(change.memory), None, None) for change in changes if change.op == _REMOVED)
    calls = (MemoryCall("upsert", owner, records=written_records),)
    return (*calls, MemoryCall("delete", owner, records=removed_records)) if removed_records else calls


def _updated(arguments: Mapping[str, Any], _result: Any) -> tuple[MemoryCall, ...]:
    record = (identifier(arguments["memory"]), content(arguments["text"]), None)
    return (MemoryCall("update", _owner(arguments["scope"]), records=(record,)),)


def _deleted(arguments: Mapping[str, Any], _result: Any) -> tuple[MemoryCall, ...]:
    ids = sequence(arguments["memories"])
    records = None if ids is None else tuple((identifier(memory), None, None) for memory in ids)
    return (MemoryCall("delete", _owner(arguments["scope"]), records=records),)


def _erased(arguments: Mapping[str, Any], _result: Any) -> tuple[MemoryCall, ...]:
    return (MemoryCall("wipe", _owner(arguments["scope"]), records=()),)


def _reset(_given: Mapping[str, Any], _result: Any) -> tuple[MemoryCall, ...]:
    return (MemoryCall("drop_store", records=()),)


OWN: Final = ProductShape(
    "memgauge",
    (("ingest", "search", "dump", "reset"),),
    {
        "search": CallReader("search", ("query", "scope", "k", "as_of"), _searched),
        "ingest": CallReader("upsert", ("turns", "scope"), _ingested),
        "ingest_expiring": CallReader("upsert", ("turn", "scope", "expires_at"), _ingested),
        "update": CallReader("update", ("memory", "text", "scope"), _updated),
        "delete": CallReader("delete", ("memories", "scope"), _deleted),
        "erase": CallReader("wipe", ("scope",), _erased),
        "reset": CallReader("drop_store", (), _reset),
    },
)
