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


def _searched(given: Mapping[str, Any], result: Any) -> tuple[MemoryCall, ...]:
    hits = None if result is None else sequence(result.hits)
    records = None if hits is None else called_records(hits, _parts)
    asked = count(given.get("k"))
    return (
        MemoryCall("search", _owner(given["scope"]), query=content(given["query"]), asked=asked, records=records),
    )


def _ingested(given: Mapping[str, Any], result: Any) -> tuple[MemoryCall, ...]:
    """Read what a receipt says of single memories; it does not say their texts."""
    owner = _owner(given["scope"])
    changes = None if result is None else sequence(result.changes)
    if changes is None:
        return (MemoryCall("upsert", owner),)
    written = tuple((identifier(each.memory), None, None) for each in changes if each.op in _WRITTEN)
    removed = tuple((identifier(each.memory), None, None) for each in changes if each.op == _REMOVED)
    calls = (MemoryCall("upsert", owner, records=written),)
    return (*calls, MemoryCall("delete", owner, records=removed)) if removed else calls


def _updated(given: Mapping[str, Any], _result: Any) -> tuple[MemoryCall, ...]:
    record = (identifier(given["memory"]), content(given["text"]), None)
    return (MemoryCall("update", _owner(given["scope"]), records=(record,)),)


def _deleted(given: Mapping[str, Any], _result: Any) -> tuple[MemoryCall, ...]:
    ids = sequence(given["memories"])
    records = None if ids is None else tuple((identifier(each), None, None) for each in ids)
    return (MemoryCall("delete", _owner(given["scope"]), records=records),)


def _erased(given: Mapping[str, Any], _result: Any) -> tuple[MemoryCall, ...]:
    return (MemoryCall("wipe", _owner(given["scope"]), records=()),)


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
