"""mem0's memories and clients, in versions that name an owner beside the call and those that do so in filters."""

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
    from collections.abc import Iterator, Mapping

_OWNERS: Final = {"user_id": "user", "agent_id": "agent", "run_id": "session"}
_NAMES: Final = (str, int)
_WRITTEN: Final = frozenset({"ADD", "UPDATE"})


def _owner(arguments: Mapping[str, Any]) -> CallOwner:
    """Return owners beside the call, and those that its filters name as they are and all at once."""
    owners: dict[str, str] = {}
    for holder in (arguments, *_conditions(arguments.get("filters"))):
        for name, meaning in _OWNERS.items():
            value = holder.get(name)
            if isinstance(value, _NAMES) and meaning not in owners and value not in {"", "*"}:
                owners[meaning] = str(value)
    return CallOwner(**owners)


def _conditions(filters: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(filters, dict):
        yield filters
        for condition in sequence(filters.get("AND")) or ():
            if isinstance(condition, dict):
                yield condition


def _rows(result: Any) -> list[Any] | tuple[Any, ...] | None:
    return sequence(result.get("results") if isinstance(result, dict) else result)


def _parts(row: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    return row.get("id"), row.get("memory"), row.get("score")


def _searched(arguments: Mapping[str, Any], result: Any) -> tuple[MemoryCall, ...]:
    rows = _rows(result)
    limit = next((k for name in ("top_k", "limit") if (k := count(arguments.get(name))) is not None), None)
    records = None if rows is None else called_records(rows, _parts)
    return (
        MemoryCall("search", _owner(arguments), query=content(arguments["query"]), asked=limit, records=records),
    )


def _added(arguments: Mapping[str, Any], result: Any) -> tuple[MemoryCall, ...]:
    """Read what became of each memory; a client whose service works on later says nothing."""
    owner, rows = _owner(arguments), _rows(result)
    if rows is None or not all(isinstance(row, dict) and "id" in row for row in rows):
        return (MemoryCall("upsert", owner),)
    written_records = called_records((row for row in rows if row.get("event", "ADD") in _WRITTEN), _parts)
    removed_records = tuple((identifier(row["id"]), None, None) for row in rows if row.get("event") == "DELETE")
    calls = (MemoryCall("upsert", owner, records=written_records),)
    return (*calls, MemoryCall("delete", owner, records=removed_records)) if removed_records else calls


def _updated(arguments: Mapping[str, Any], _result: Any) -> tuple[MemoryCall, ...]:
    text = next((arguments[name] for name in ("data", "text") if isinstance(arguments.get(name), str)), None)
    return (MemoryCall("update", records=((identifier(arguments["memory_id"]), text, None),)),)


def _deleted(arguments: Mapping[str, Any], _result: Any) -> tuple[MemoryCall, ...]:
    return (MemoryCall("delete", records=((identifier(arguments["memory_id"]), None, None),)),)


def _wiped(arguments: Mapping[str, Any], _result: Any) -> tuple[MemoryCall, ...]:
    return (MemoryCall("wipe", _owner(arguments), records=()),)


def _reset(_given: Mapping[str, Any], _result: Any) -> tuple[MemoryCall, ...]:
    return (MemoryCall("drop_store", records=()),)


MEM0: Final = ProductShape(
    "mem0",
    (("add", "search", "get_all", "update", "delete", "delete_all"),),
    {
        "search": CallReader("search", ("query",), _searched),
        "add": CallReader("upsert", ("messages",), _added),
        "update": CallReader("update", ("memory_id", "data"), _updated),
        "delete": CallReader("delete", ("memory_id",), _deleted),
        "delete_all": CallReader("wipe", tuple(_OWNERS), _wiped),
        "reset": CallReader("drop_store", (), _reset),
    },
)
