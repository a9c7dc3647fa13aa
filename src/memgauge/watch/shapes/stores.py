"""LangGraph's stores, which LangMem and others write to, and LangMem's manager of one.

A key of a store names an item within its namespace only, so that a memory is called by both; a manager does not
say its namespace, and makes keys that no two items share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from memgauge.watch.calls import (
    CallReader,
    MemoryCall,
    ProductShape,
    called_records,
    content,
    count,
    sequence,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.watch.calls import CalledRecord

_named: Final = "\0".join
"""Names an item by the labels of its namespace and its key."""
_LIMIT: Final = 10
"""How many items both search for where nobody says."""


def _space(value: Any) -> tuple[str, ...]:
    return value if type(value) is tuple else tuple(sequence(value) or ())


def _record(space: tuple[str, ...], key: Any, value: Any = None) -> CalledRecord:
    return _named((*space, key)), content(value), None


def _parts(item: Any) -> tuple[Any, Any, Any]:
    return _named((*_space(item.namespace), item.key)), item.value, item.score


def _searched(arguments: Mapping[str, Any], result: Any) -> tuple[MemoryCall, ...]:
    items = sequence(result)
    call = MemoryCall(
        "search",
        query=content(arguments.get("query")),
        asked=count(arguments.get("limit", _LIMIT)),
        records=None if items is None else called_records(items, _parts),
        space=_space(arguments.get("namespace_prefix")),
        spaces=frozenset([_space(item.namespace) for item in items or ()]),
    )
    return (call,)


def _put(arguments: Mapping[str, Any], _result: Any) -> tuple[MemoryCall, ...]:
    """Read a put, which adds or replaces, or deletes where it puts nothing."""
    space, value = _space(arguments.get("namespace")), arguments["value"]
    record = _record(space, arguments["key"], value)
    return (MemoryCall("delete" if value is None else "upsert", records=(record,), space=space),)


def _deleted(arguments: Mapping[str, Any], _result: Any) -> tuple[MemoryCall, ...]:
    space = _space(arguments.get("namespace"))
    return (MemoryCall("delete", records=(_record(space, arguments["key"]),), space=space),)


def _batched(arguments: Mapping[str, Any], result: Any) -> tuple[MemoryCall, ...]:
    """Read the searches and puts among the operations of a batch."""
    operations = sequence(arguments["ops"])
    if operations is None:
        raise TypeError("operations that can be walked through only once")
    results = sequence(result) or (None,) * len(operations)
    calls: tuple[MemoryCall, ...] = ()
    for operation, outcome in zip(operations, results, strict=True):
        if hasattr(operation, "namespace_prefix"):
            fields = {
                "namespace_prefix": operation.namespace_prefix,
                "query": operation.query,
                "limit": operation.limit,
            }
            calls += _searched(fields, outcome)
        elif hasattr(operation, "value"):
            calls += _put({"namespace": operation.namespace, "key": operation.key, "value": operation.value}, None)
    return calls


def _manager_parts(item: Any) -> tuple[Any, Any, Any]:
    return _named((item.key,)), item.value, item.score


def _manager_searched(arguments: Mapping[str, Any], result: Any) -> tuple[MemoryCall, ...]:
    """Read a search whose namespace the manager makes of its configuration, and does not say."""
    items = sequence(result)
    records = None if items is None else called_records(items, _manager_parts)
    limit = count(arguments.get("limit", _LIMIT))
    return (MemoryCall("search", query=content(arguments.get("query")), asked=limit, records=records),)


def _managed(_given: Mapping[str, Any], result: Any) -> tuple[MemoryCall, ...]:
    """Read what a manager put; it does not say what it removed."""
    puts = sequence(result)
    if puts is None:
        return (MemoryCall("upsert"),)
    records = tuple(_record((), item["key"], item["value"]) for item in puts)
    spaces = {_space(item["namespace"]) for item in puts}
    return (MemoryCall("upsert", records=records, space=spaces.pop() if len(spaces) == 1 else ()),)


def _both(readers: Mapping[str, CallReader]) -> dict[str, CallReader]:
    """Add the methods that are awaited, whose names begin with an `a`."""
    return {f"{prefix}{name}": reader for prefix in ("", "a") for name, reader in readers.items()}


STORE: Final = ProductShape(
    "langgraph",
    (("put", "get", "search", "delete"), ("aput", "aget", "asearch", "adelete")),
    _both(
        {
            "search": CallReader("search", ("namespace_prefix",), _searched),
            "put": CallReader("upsert", ("namespace", "key", "value"), _put),
            "delete": CallReader("delete", ("namespace", "key"), _deleted),
            "batch": CallReader("", ("ops",), _batched),
        }
    ),
)
MANAGER: Final = ProductShape(
    "langmem",
    (("invoke", "put", "get", "search", "delete"), ("ainvoke", "aput", "aget", "asearch", "adelete")),
    _both(
        {
            "search": CallReader("search", (), _manager_searched),
            "put": CallReader("upsert", ("key", "value"), _put),
            "delete": CallReader("delete", ("key",), _deleted),
            "invoke": CallReader("upsert", ("input", "config"), _managed),
        }
    ),
)
