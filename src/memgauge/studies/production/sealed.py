"""Sealed traffic as arrays, read a portion at a time, so that memory holds columns of operations and no lists."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from memgauge.exchange.traffic.rows import GIVEN_UP, TrafficKind
from memgauge.exchange.traffic.writer import GROUP
from memgauge.records import Outcome
from memgauge.studies.production.hits import UNKNOWN, HitArrays
from memgauge.studies.production.likeness import likenesses
from memgauge.text.pseudonyms import MADE_OF_TEXT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from numpy.typing import NDArray

    from memgauge.exchange.traffic.reading import Traffic, TrafficColumns

    Integers = NDArray[np.int64]

KINDS: Final = tuple(TrafficKind)
OUTCOMES: Final = tuple(Outcome)
_RECORDS_AT_ONCE: Final = 200_000
"""Records of a portion, as many as lists of usual length make."""
_LISTED: Final = 20_000
"""Searches that are asked for by their rows in one question."""


@dataclass(frozen=True, eq=False)
class SealedHits:
    """What searches returned, read from sealed traffic whenever it is asked for."""

    traffic: Traffic

    def portions(self, *, likeness: bool = False) -> Iterator[HitArrays]:
        """Yield whole lists in the order of operations."""
        likeness = likeness and self.traffic.identity.texts
        for rows in _ranges(self.traffic, _size(self.traffic)):
            yield _hits(self.traffic.query(_RECORDS.format(text=_TEXT if likeness else "", **_SEARCHES), [*rows]))

    def of(self, rows: Integers) -> HitArrays:
        """Return what some searches returned, asking for a part of them at a time."""
        parts = [
            _hits(self.traffic.query(_RECORDS.format(text="", **_LISTED_SEARCHES), self._limits(portion)))
            for portion in np.array_split(rows, max(-(-len(rows) // _LISTED), 1))
        ]
        return HitArrays.together(parts)

    def _limits(self, rows: Integers) -> list[object]:
        return [int(rows.min(initial=0)), int(rows.max(initial=-1)) + 1, rows.tolist()]


def changes_of(traffic: Traffic) -> HitArrays:
    """Read whole what was written and removed: seldom more than a record an operation."""
    parts = [
        _hits(traffic.query(_RECORDS.format(text="", **_CHANGES), [*rows]))
        for rows in _ranges(traffic, _size(traffic))
    ]
    return HitArrays.together(parts)


def operations_of(traffic: Traffic, shared: Collection[str]) -> dict[str, NDArray[Any]]:
    """Read the columns of operations, narrow where numbers are small; *shared* names stores of everybody."""
    parts: defaultdict[str, list[NDArray[Any]]] = defaultdict(list)
    for rows in _ranges(traffic, GROUP):
        columns = traffic.query(_OPERATIONS, [list(shared), *rows])
        columns |= {"kind": _places(columns["kind"], KINDS), "outcome": _places(columns["outcome"], OUTCOMES)}
        for name, column in columns.items():
            parts[name].append(column.astype(_NARROW.get(name, np.int64), copy=False))
    return {name: np.concatenate(parts.pop(name)) for name in list(parts)}


def _ranges(traffic: Traffic, size: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of rows; an empty one where there is no operation."""
    return ((start, start + size) for start in range(0, max(traffic.manifest.operations, 1), size))


def _size(traffic: Traffic) -> int:
    """Say of how many operations a portion is."""
    a_list = max(traffic.manifest.records / max(traffic.manifest.operations, 1), 1.0)
    return max(min(int(_RECORDS_AT_ONCE / a_list), GROUP), 1)


def _hits(columns: TrafficColumns) -> HitArrays:
    names: dict[str, Any] = {name: columns[name].astype(np.int64, copy=False) for name in _CODES}
    amounts: dict[str, Any] = {name: columns[name].astype(np.float64) for name in ("characters", "score", "run")}
    likeness = (
        likenesses(names["operation"], names["text"], columns["wording"].tolist())
        if "wording" in columns
        else np.full(len(names["operation"]), np.nan)
    )
    return HitArrays(named=columns["named"].astype(np.bool_), likeness=likeness, **names, **amounts)


def _places(column: NDArray[Any], names: tuple[Any, ...]) -> NDArray[Any]:
    """Return the place of every text among a few."""
    places = np.zeros(len(column), dtype=np.int8)
    for place, name in enumerate(names):
        places[column == str(name)] = place
    return places


def _code(name: str, dropped: int = 2) -> str:
    """Number a name by bits of its hash: of 62, two of a hundred million names meet once in a thousand folders."""
    return f"(hash({name}) >> {dropped})::BIGINT"


_CODES: Final = ("operation", "rank", "memory", "text", "version")
_FEW: Final = ("agent", "dialect", "service", "model")
"""Columns of few names, for which 31 bits are enough."""
_NARROW: Final[dict[str, type]] = {
    **dict.fromkeys(_FEW, np.int32),
    **dict.fromkeys(("kind", "outcome"), np.int8),
    **dict.fromkeys(("asked", "returned", "context"), np.float64),
    **dict.fromkeys(("captured", "shared"), np.bool_),
}
_OPERATIONS: Final = f"""
SELECT operation AS kind, began_ns AS began, ended_ns AS ended, captured, asked::DOUBLE AS asked,
    returned::DOUBLE AS returned, context_tokens::DOUBLE AS context,
    CASE WHEN outcome = '{Outcome.ERROR}' AND reason IN {GIVEN_UP} THEN '{
    Outcome.CANCELLED
}' ELSE outcome END AS outcome,
    list_contains(?::VARCHAR[], store) AS shared,
    CASE WHEN scope = '' THEN {UNKNOWN} ELSE {_code("scope")} END AS scope,
    {
    _code(
        "CASE WHEN scope <> '' THEN 'scope ' || scope WHEN session <> '' THEN 'session ' || session "
        "WHEN trace <> '' THEN 'trace ' || trace ELSE 'row ' || row END"
    )
} AS cluster,
    {_code("store")} AS store, {", ".join(f"{_code(name, 33)} AS {name}" for name in _FEW)},
    CASE WHEN query_hash IS NULL THEN {UNKNOWN} ELSE {_code("query_hash")} END AS query
FROM {{operations}} WHERE row >= ? AND row < ? ORDER BY row
"""  # noqa: S608 - our own names
_TEXT: Final = ", r.text AS wording"
# The same limits on both tables, so that no more of either is read.
_VALID: Final = """
o.outcome IN ('ok', 'empty') AND o.row >= $1 AND o.row < $2 AND r.operation >= $1 AND r.operation < $2
"""
_SEARCHES: Final = {
    "operations": "{operations}",
    "records": "{records}",
    "where": f"o.operation = 'search' AND {_VALID}",
}
_LISTED_SEARCHES: Final = _SEARCHES | {
    "where": f"{_SEARCHES['where']} AND r.operation IN (SELECT unnest($3::BIGINT[]))"
}
_CHANGES: Final = _SEARCHES | {"where": f"o.operation <> 'search' AND {_VALID}"}
# A record without id and text is nobody else's: it has the name of its place.
_NAMED: Final = "CASE WHEN r.memory = '' THEN chr(0) || r.operation || ' ' || rank ELSE r.memory END"
_RECORDS: Final = f"""
SELECT r.operation, rank::BIGINT AS rank, {_code(f"o.store || chr(0) || {_NAMED}")} AS memory,
    CASE WHEN r.hash IS NULL THEN {UNKNOWN} ELSE {_code("r.hash")} END AS text,
    characters::DOUBLE AS characters, score::DOUBLE AS score, version::BIGINT AS version,
    traceable::DOUBLE AS run, r.memory <> '' AND NOT starts_with(r.memory, '{MADE_OF_TEXT}') AS named{{text}}
FROM {{records}} r JOIN {{operations}} o ON o.row = r.operation
WHERE {{where}} ORDER BY r.operation, rank
"""  # noqa: S608 - our own names
