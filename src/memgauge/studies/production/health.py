"""The health of a memory in production: every measure with its interval, and the first witness of each fault."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.results import ResultKind, result
from memgauge.stats import Interval
from memgauge.studies.production.arrays import WEEK_NS
from memgauge.studies.production.columns import Summary
from memgauge.studies.production.hits import UNKNOWN
from memgauge.studies.production.measures import TrafficMeasures
from memgauge.studies.production.seen import SeenChanges

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memgauge.exchange.traffic.reading import Traffic
    from memgauge.studies.production.arrays import TrafficArrays
    from memgauge.studies.production.totals import MeasureTotals


@result
@dataclass(frozen=True)
class FirstWitness:
    """The first operation that something is true of."""

    row: int
    week: int
    """From 1."""
    trace: str
    span: str


@result
@dataclass(frozen=True)
class HealthRow:
    """One measure."""

    key: str
    group: str
    name: str
    summary: str
    unit: str
    of: str
    """What the cases are."""
    value: Interval
    cases: int | None
    """How many cases it is true of; ``None`` where it is no share."""
    bound: float | None
    """Where it is true of no case: 3/n, which the true share is below with 95 % (the rule of three)."""
    first: FirstWitness | None
    fault: bool
    against: Interval | None = None
    """This less the other traffic, with both clustered by scope."""


@result
@dataclass(frozen=True)
class TrafficHealth:
    """Everything that traffic says without gold."""

    operations: int
    records: int
    clusters: int
    """What intervals are clustered by: scopes, and where one is unknown a session, a trace or an operation."""
    weeks: float
    recorder: str
    sampling: str
    left_out: dict[str, int]
    rows: tuple[HealthRow, ...]
    scopes: int | None = None
    """Of whom something was recorded; ``None`` in results of before."""
    without_scope: int | None = None
    """Operations of which nobody knows whose they are."""
    local_stores: int | None = None
    """Stores in which one name was added with other texts under several scopes; ``None`` in results of before."""

    @property
    def faults(self) -> tuple[HealthRow, ...]:
        """Return what somebody should look at."""
        return tuple(row for row in self.rows if row.fault and row.cases)


HEALTH: Final = ResultKind("health", 1, TrafficHealth, "memgauge study production health FOLDER --json")


def witness(traffic: TrafficArrays, row: int) -> FirstWitness:
    """Name an operation, and when it was."""
    week = int((traffic.began[row] - traffic.start) // WEEK_NS) + 1
    return FirstWitness(row, week, *traffic.spelled(np.array([row]))[0])


def health_rows(traffic: TrafficArrays, against: TrafficArrays | None = None) -> tuple[HealthRow, ...]:
    """Measure everything; *against* other traffic where it is given."""
    other_totals = (
        {} if against is None else {totals.spec.key: totals for totals in TrafficMeasures(against).totals()}
    )
    return tuple(_row(totals, other_totals.get(totals.spec.key)) for totals in TrafficMeasures(traffic).totals())


def health(traffic: Traffic, arrays: TrafficArrays, rows: Iterable[HealthRow]) -> TrafficHealth:
    """Put rows beside what they were measured on."""
    return TrafficHealth(
        operations=len(arrays.began),
        records=traffic.manifest.records,
        clusters=arrays.clusters.count,
        weeks=(int(arrays.ended.max(initial=0)) - arrays.start) / WEEK_NS if len(arrays.began) else 0.0,
        recorder=traffic.identity.recorder,
        sampling=traffic.identity.sampling,
        left_out=dict(traffic.ledger.left_out),
        rows=tuple(rows),
        scopes=len(np.unique(arrays.scope[arrays.scope != UNKNOWN])),
        without_scope=int((arrays.scope == UNKNOWN).sum()),
        local_stores=len(SeenChanges(arrays).local_stores),
    )


def _row(totals: MeasureTotals, other_totals: MeasureTotals | None) -> HealthRow:
    spec, value, first_row = totals.spec, totals.interval, totals.first
    cases = totals.cases if spec.summary is Summary.SHARE and value.n else None
    return HealthRow(
        key=spec.key,
        group=spec.group,
        name=spec.name,
        summary=str(spec.summary),
        unit=str(spec.unit),
        of=spec.of,
        value=value,
        cases=cases,
        bound=min(3 / value.n, 1.0) if cases == 0 else None,
        first=witness(totals.traffic, first_row) if first_row is not None and spec.group == "faults" else None,
        fault=spec.fault,
        against=None if other_totals is None else totals.less(other_totals),
    )
