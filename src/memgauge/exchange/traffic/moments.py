"""One search of traffic beside what was stored when it began: the writes that were seen, replayed until then."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import ConfigError, UnknownNameError
from memgauge.exchange.traffic.rows import TrafficKind
from memgauge.records import Outcome
from memgauge.runs.record.searches import FailedWrite, RankedMemory, SearchMoment, StoredMemory, StoredState
from memgauge.text.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from memgauge.exchange.traffic.reading import Traffic

TrafficRow = dict[str, Any]
_NAME: Final = "CASE WHEN span <> '' THEN trace || '/' || span ELSE 'operation/' || row END"
_OK: Final = "outcome IN ('ok', 'empty')"
_CHANGES: Final = f"""
SELECT o.row AS operation, o.operation AS kind, o.store, o.scope, o.ended_ns, r.rank, r.memory, r.version,
    r.text, {_NAME.replace("row", "o.row")} AS name
FROM {{operations}} o JOIN {{records}} r ON r.operation = o.row
WHERE o.operation IN ('add', 'update', 'upsert', 'delete') AND o.{_OK}
"""  # noqa: S608 - put together from our own text
_WANTED: Final = f"""
((store, memory) IN (SELECT (store, memory) FROM ({_CHANGES}) WHERE scope = ?) OR memory IN (SELECT unnest(?)))
"""  # noqa: S608 - the same
# The last change of every memory before a moment, and the first one after it.
_BEFORE: Final = f"""
SELECT * FROM ({_CHANGES}) WHERE ended_ns <= ? AND {_WANTED}
QUALIFY row_number() OVER (PARTITION BY store, memory ORDER BY ended_ns DESC, operation DESC, rank DESC) = 1
ORDER BY ended_ns, operation, rank
"""  # noqa: S608 - the same
_AFTER: Final = f"""
SELECT * FROM ({_CHANGES}) WHERE ended_ns > ? AND {_WANTED}
QUALIFY row_number() OVER (PARTITION BY store, memory ORDER BY ended_ns, operation, rank) = 1
ORDER BY ended_ns, operation, rank
"""  # noqa: S608 - the same
_WRITERS: Final = f"""
SELECT store, memory, scope, ended_ns FROM ({_CHANGES})
WHERE scope <> '' AND kind <> 'delete' AND memory IN (SELECT unnest(?)) ORDER BY ended_ns, operation, rank
"""  # noqa: S608 - the same
_WIPES: Final = f"""
SELECT store, scope, operation = 'drop_store' AS every, ended_ns, {_NAME} AS name FROM {{operations}}
WHERE operation IN ('wipe', 'drop_store') AND {_OK} AND ended_ns <= ? ORDER BY ended_ns, row
"""  # noqa: S608 - the same
_COUNTS: Final = f"""
SELECT count(*) FILTER (WHERE NOT captured AND {_OK} AND ended_ns <= ?) AS unknown,
    count(*) FILTER (WHERE began_ns <= ? AND ended_ns > ?) AS under_way
FROM {{operations}} WHERE operation <> 'search' AND scope = ?
"""  # noqa: S608 - the same
_FAILED: Final = f"""
SELECT {_NAME} AS name, CASE WHEN reason = '' THEN outcome ELSE reason END AS reason,
    (SELECT coalesce(list(r.memory ORDER BY r.rank), []) FROM {{records}} r WHERE r.operation = row) AS memories
FROM {{operations}} WHERE operation IN ('add', 'update', 'upsert') AND NOT {_OK} AND scope = ?
    AND ended_ns <= ?
ORDER BY row
"""  # noqa: S608 - the same
_RETURNED: Final = "SELECT * FROM {records} WHERE operation = ? ORDER BY rank"
_CLOCKS: Final = "Before and after is by the clocks of who recorded it: a write counts when it ended."


def moment_in_traffic(traffic: Traffic, name: str, expected: Collection[str] = ()) -> SearchMoment:
    """Read the search *name*, a trace and a span with ``/`` between, and what was stored when it began.

    Stored are the memories of its scope, and wherever they lie those that it returned or that are *expected*.

    Raises:
        UnknownNameError: There is no such operation.
        ConfigError: It is no search.
    """
    search = _operation(traffic, name)
    if search["operation"] != TrafficKind.SEARCH:
        raise ConfigError(f"{name} is no search: {search['operation']}.", "Name a search of the traffic.")
    records = traffic.rows(_RETURNED, [search["row"]])
    began, memory_ids = search["began_ns"], sorted({*expected, *(record["memory"] for record in records)})
    rows_before, rows_after = (
        _owned(traffic, traffic.rows(changes, [began, search["scope"], memory_ids]))
        for changes in (_BEFORE, _AFTER)
    )
    wipes = traffic.rows(_WIPES, [began])
    failed_rows = traffic.rows(_FAILED, [search["scope"], began])
    stored_memories = stored_in_traffic(rows_before, rows_after, wipes)
    stored_ids = {memory.memory for memory in stored_memories}
    return SearchMoment(
        name=f"{search['trace']}/{search['span']}" if search["span"] else f"operation/{search['row']}",
        recorded=str(traffic.folder),
        scope=search["scope"],
        store=search["store"],
        query=search["query"],
        asked_at=_at(began),
        outcome=search["outcome"],
        reason=search["reason"],
        captured=search["captured"] or not Outcome(search["outcome"]).valid,
        k=search["asked"],
        returned=search["returned"],
        context_tokens=search["context_tokens"],
        hits=tuple(map(_ranked, records)),
        stored=(
            *stored_memories,
            *(_unwritten(record) for record in records if record["memory"] not in stored_ids),
        ),
        untold=tuple(_untold(traffic, search)),
        unseen_before=_at(traffic.manifest.began_ns),
        failed=tuple(FailedWrite(row["name"], row["reason"], tuple(row["memories"])) for row in failed_rows),
    )


def _owned(traffic: Traffic, rows: list[TrafficRow]) -> list[TrafficRow]:
    """Give changes by id that name no scope that of whoever wrote their memory last by then, or later."""
    nobodys = [row for row in rows if not row["scope"] and row["kind"] in {TrafficKind.UPDATE, TrafficKind.DELETE}]
    if not nobodys:
        return rows
    writers = defaultdict[tuple[str, str], list[TrafficRow]](list)
    for writer in traffic.rows(_WRITERS, [sorted({row["memory"] for row in nobodys})]):
        writers[writer["store"], writer["memory"]].append(writer)
    for row in nobodys:
        known = writers[row["store"], row["memory"]]
        earlier = [writer for writer in known if writer["ended_ns"] <= row["ended_ns"]]
        row["scope"] = next((writer["scope"] for writer in reversed(earlier or known)), "")
    return rows


def memory_written_as(traffic: Traffic, turn: str) -> str:
    """Return the memory that a write stored, by its name as a turn: that of the operation, and its place.

    Raises:
        UnknownNameError: No write stored it.
    """
    operation, _, rank = turn.rpartition("/")
    if rank.isdecimal():
        row = _operation(traffic, operation)
        records = traffic.rows(_RETURNED, [row["row"]])
        if TrafficKind(row["operation"]).writes and 0 < int(rank) <= len(records):
            return str(records[int(rank) - 1]["memory"])
    raise UnknownNameError(
        f"{traffic.folder} has no write {turn!r}.", "Name one as TRACE/SPAN/RANK, or a --memory."
    )


def stored_in_traffic(
    before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]], wipes: Sequence[Mapping[str, Any]]
) -> tuple[StoredMemory, ...]:
    """Say what was stored of every memory, from its last change before a moment, its first after, and wipes."""
    rows_later = {(row["store"], row["memory"]): row for row in after}
    wipes_by_store: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for wipe in wipes:
        wipes_by_store[wipe["store"]].append(wipe)
    memories = [
        _stored(row, rows_later.pop((row["store"], row["memory"]), None), wipes_by_store[row["store"]])
        for row in before
    ]
    return (*memories, *map(_later, rows_later.values()))


def _stored(
    last_row: Mapping[str, Any], later_row: Mapping[str, Any] | None, wipes: Sequence[Mapping[str, Any]]
) -> StoredMemory:
    """Read one memory from its last change; what wipes a scope takes what was written under it until then."""
    wipe_names = [
        wipe["name"]
        for wipe in wipes
        if wipe["ended_ns"] >= last_row["ended_ns"] and (wipe["every"] or wipe["scope"] == last_row["scope"])
    ]
    is_removal = last_row["kind"] == TrafficKind.DELETE
    remover = last_row["name"] if is_removal else next(iter(wipe_names), "")
    return StoredMemory(
        memory=last_row["memory"],
        state=StoredState.REMOVED if remover else StoredState.STORED,
        version=None if is_removal else last_row["version"],
        scope=last_row["scope"],
        store=last_row["store"],
        by="" if is_removal else last_row["name"],
        gone_by=remover,
        later="" if later_row is None else later_row["name"],
        text=None if is_removal else last_row["text"],
    )


def _later(row: Mapping[str, Any]) -> StoredMemory:
    """Read one memory of which nothing was seen before; what was removed later was stored at an unknown time."""
    is_removal = row["kind"] == TrafficKind.DELETE
    return StoredMemory(
        memory=row["memory"],
        state=StoredState.UNDATED if is_removal else StoredState.LATER,
        scope=row["scope"],
        store=row["store"],
        by="" if is_removal else row["name"],
        later=row["name"] if is_removal else "",
    )


def _unwritten(record: TrafficRow) -> StoredMemory:
    """Read one memory that came back, and of which no write was seen."""
    return StoredMemory(record["memory"], StoredState.UNDATED, text=record["text"])


def _operation(traffic: Traffic, name: str) -> TrafficRow:
    """Find an operation by the name that questions have, or by its span alone where there is one."""
    rows = traffic.rows(
        f"SELECT * FROM {{operations}} WHERE {_NAME} = ? OR (span <> '' AND span = ?) LIMIT 2",  # noqa: S608 - ours
        [name, name],
    )
    if len(rows) == 1:
        return rows[0]
    count = f"{len(rows)} operations called" if rows else "no operation"
    raise UnknownNameError(
        f"{traffic.folder} has {count} {name!r}.", "Name it as TRACE/SPAN, or operation/ROW where it has no span."
    )


def _untold(traffic: Traffic, search: TrafficRow) -> list[str]:
    """Say what nobody can know of a search, for every reason that applies to it."""
    sampling = traffic.identity.sampling
    times = [search["began_ns"], search["ended_ns"], search["began_ns"]]
    (counts,) = traffic.rows(_COUNTS, [*times, search["scope"]])
    began = f"The trace began at {_at(traffic.manifest.began_ns)}"
    return [
        f"{began}: what was stored before is not in it, nor what others wrote (sampling: {sampling}). {_CLOCKS}",
        *([] if search["scope"] else ["Whose memory was searched is not known."]),
        *([] if search["captured"] else ["What the search returned was not captured."]),
        *([] if search["query"] is not None else ["The words of the search were not captured."]),
        *(
            [f"Writes before it whose content was not captured: {counts['unknown']:,}."]
            if counts["unknown"]
            else []
        ),
        *([f"Writes that were under way while it ran: {counts['under_way']:,}."] if counts["under_way"] else []),
    ]


def _ranked(record: TrafficRow) -> RankedMemory:
    text, length = record["text"], record["characters"]
    tokens = count_tokens(text) if text is not None else (None if length is None else -(-length // 4))
    return RankedMemory(record["rank"], record["memory"], record["version"] or None, record["score"], text, tokens)


def _at(ns: int) -> str:
    moment = datetime.fromtimestamp(ns // 10**9, UTC).replace(microsecond=ns % 10**9 // 1000)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
