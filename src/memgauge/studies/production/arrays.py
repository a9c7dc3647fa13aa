"""Traffic as arrays of numbers: what every measure without gold reads, a million operations at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from memgauge.exchange.traffic.rows import TrafficKind
from memgauge.records import Outcome
from memgauge.text.pseudonyms import MADE_OF_TEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from numpy.typing import NDArray

    from memgauge.exchange.traffic.reading import Traffic, TrafficColumns

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Mask = NDArray[np.bool_]

KINDS: Final = tuple(TrafficKind)
OUTCOMES: Final = tuple(Outcome)
DAY_NS: Final = 86_400 * 10**9
WEEK_NS: Final = 7 * DAY_NS
UNKNOWN: Final = -1
"""The code of a scope, a query or a text that nobody recorded."""


@dataclass(frozen=True, eq=False)
class HitArrays:
    """One row for each record of an operation, by operation and rank; names are codes."""

    operation: Integers
    rank: Integers
    memory: Integers
    """Code of (store, memory)."""
    text: Integers
    """Code of the hash of its text."""
    characters: Floats
    score: Floats
    version: Integers
    named: Mask
    """Whether its name is more than its text."""

    def where(self, mask: Mask) -> HitArrays:
        """Keep some rows."""
        return HitArrays(**{name: column[mask] for name, column in vars(self).items()})


@dataclass(frozen=True, eq=False)
class TrafficArrays:
    """One row for each operation, in the order of time; equal codes are equal names, in every folder."""

    kind: Integers
    """Place in :data:`KINDS`."""
    outcome: Integers
    """Place in :data:`OUTCOMES`."""
    scope: Integers
    cluster: Integers
    """What intervals are clustered by: the scope, else the session, the trace, or the operation itself."""
    store: Integers
    shared: Mask
    """Whether its store is said to belong to everybody."""
    agent: Integers
    dialect: Integers
    began: Integers
    ended: Integers
    captured: Mask
    asked: Floats
    returned: Floats
    query: Integers
    context: Floats
    records: HitArrays
    spelled: Callable[[Integers], list[tuple[str, str]]]
    """From rows to their traces and spans."""

    @property
    def place(self) -> Integers:
        """Return a code of scope and store together."""
        codes: Integers = self.scope ^ (self.store * 31)
        return codes

    @property
    def start(self) -> int:
        """Return when the first operation began."""
        return int(self.began[0]) if len(self.began) else 0

    @property
    def day(self) -> Integers:
        """Return the day that each operation began on, from 0."""
        return (self.began - self.start) // DAY_NS

    @property
    def days(self) -> int:
        """Count days, the last one perhaps not whole."""
        return int(self.day[-1]) + 1 if len(self.began) else 0

    def is_kind(self, *kinds: TrafficKind) -> Mask:
        """Say which operations are of these kinds."""
        return np.isin(self.kind, [KINDS.index(kind) for kind in kinds])

    def ended_in(self, *outcomes: Outcome) -> Mask:
        """Say which operations ended in these ways."""
        return np.isin(self.outcome, [OUTCOMES.index(outcome) for outcome in outcomes])

    @property
    def valid(self) -> Mask:
        """Say which operations succeeded."""
        return self.ended_in(Outcome.OK, Outcome.EMPTY)

    @property
    def searches(self) -> Mask:
        """Say which operations are searches."""
        return self.is_kind(TrafficKind.SEARCH)

    @property
    def writes(self) -> Mask:
        """Say which operations are writes that succeeded."""
        return self.is_kind(TrafficKind.ADD, TrafficKind.UPDATE, TrafficKind.UPSERT) & self.valid

    @property
    def hits(self) -> HitArrays:
        """Return what searches returned."""
        return self.records.where((self.searches & self.valid)[self.records.operation])

    @property
    def written(self) -> HitArrays:
        """Return what successful writes wrote."""
        return self.records.where(self.writes[self.records.operation])

    @classmethod
    def of(cls, traffic: Traffic, shared: Collection[str] = ()) -> TrafficArrays:
        """Read sealed traffic; *shared* names stores that belong to everybody."""
        columns = traffic.query(_OPERATIONS)
        common = traffic.query(
            "SELECT list_contains(?::VARCHAR[], store) AS shared FROM {operations} ORDER BY row", [list(shared)]
        )

        def spelled(rows: Integers) -> list[tuple[str, str]]:
            first, last = int(rows.min(initial=2**62)), int(rows.max(initial=-1)) + 1
            names = traffic.operations("trace", "span", rows=(first, last))
            return [(str(names["trace"][row - first]), str(names["span"][row - first])) for row in rows.tolist()]

        names: dict[str, Any] = {name: _whole(columns[name]) for name in _CODES}
        counts: dict[str, Any] = {
            name: columns[name].astype(np.float64) for name in ("asked", "returned", "context")
        }
        return cls(
            kind=_places(columns["operation"], KINDS),
            outcome=_places(columns["outcome"], OUTCOMES),
            shared=common["shared"].astype(np.bool_),
            captured=columns["captured"].astype(np.bool_),
            records=_hits(traffic.query(_RECORDS)),
            spelled=spelled,
            **names,
            **counts,
        )


def _hits(columns: TrafficColumns) -> HitArrays:
    names: dict[str, Any] = {
        name: _whole(columns[name]) for name in ("operation", "rank", "memory", "text", "version")
    }
    amounts: dict[str, Any] = {name: columns[name].astype(np.float64) for name in ("characters", "score")}
    return HitArrays(named=columns["named"].astype(np.bool_), **names, **amounts)


_CODES: Final = ("scope", "cluster", "store", "agent", "dialect", "began", "ended", "query")


def _code(name: str) -> str:
    """Number a name by 62 bits of its hash: two of a hundred million names meet once in a thousand folders."""
    return f"(hash({name}) >> 2)::BIGINT"


_OPERATIONS: Final = f"""
SELECT operation, outcome, began_ns AS began, ended_ns AS ended, captured, asked::DOUBLE AS asked,
    returned::DOUBLE AS returned, context_tokens::DOUBLE AS context,
    CASE WHEN scope = '' THEN {UNKNOWN} ELSE {_code("scope")} END AS scope,
    {
    _code(
        "CASE WHEN scope <> '' THEN 'scope ' || scope WHEN session <> '' THEN 'session ' || session "
        "WHEN trace <> '' THEN 'trace ' || trace ELSE 'row ' || row END"
    )
} AS cluster,
    {_code("store")} AS store, {_code("agent")} AS agent, {_code("dialect")} AS dialect,
    CASE WHEN query_hash IS NULL THEN {UNKNOWN} ELSE {_code("query_hash")} END AS query
FROM {{operations}} ORDER BY row
"""  # noqa: S608 - our own names
_RECORDS: Final = f"""
SELECT r.operation, rank::BIGINT AS rank, {_code("o.store || chr(0) || r.memory")} AS memory,
    CASE WHEN r.hash IS NULL THEN {UNKNOWN} ELSE {_code("r.hash")} END AS text,
    characters::DOUBLE AS characters, score::DOUBLE AS score, version::BIGINT AS version,
    NOT starts_with(r.memory, '{MADE_OF_TEXT}') AS named
FROM {{records}} r JOIN {{operations}} o ON o.row = r.operation ORDER BY r.operation, rank
"""  # noqa: S608 - our own names


def _whole(column: NDArray[Any]) -> Integers:
    return column.astype(np.int64, copy=False)


def _places(column: NDArray[Any], names: tuple[Any, ...]) -> Integers:
    """Return the place of every text among a few."""
    places = np.zeros(len(column), dtype=np.int64)
    for place, name in enumerate(names):
        places[column == str(name)] = place
    return places
