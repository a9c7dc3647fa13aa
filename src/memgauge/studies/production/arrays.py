"""Traffic as arrays of numbers: operations whole, what searches returned by portions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.exchange.traffic.rows import TrafficKind
from memgauge.records import Outcome
from memgauge.stats.clusters import Clusters
from memgauge.studies.production.hits import HitArrays
from memgauge.studies.production.owners import with_owners
from memgauge.studies.production.sealed import KINDS, OUTCOMES, SealedHits, changes_of, operations_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from numpy.typing import NDArray

    from memgauge.exchange.traffic.reading import Traffic
    from memgauge.studies.production.hits import HitSource

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Mask = NDArray[np.bool_]
    Codes = NDArray[np.int32]

DAY_NS: Final = 86_400 * 10**9
WEEK_NS: Final = 7 * DAY_NS


@dataclass(frozen=True, eq=False)
class TrafficArrays:
    """One row for each operation, in the order of time; equal codes are equal names, in every folder."""

    kind: NDArray[np.int8]
    """Place in :data:`KINDS`."""
    outcome: NDArray[np.int8]
    """Place in :data:`OUTCOMES`."""
    scope: Integers
    """Where a change by id names none, that of the memory."""
    cluster: Integers
    """What intervals are clustered by: the scope, else the session, the trace, or the operation itself."""
    store: Integers
    shared: Mask
    """Whether its store is said to belong to everybody."""
    agent: Codes
    dialect: Codes
    service: Codes
    model: Codes
    began: Integers
    ended: Integers
    captured: Mask
    asked: Floats
    returned: Floats
    query: Integers
    context: Floats
    changes: HitArrays
    """What operations that succeeded wrote and removed."""
    source: HitSource
    """What searches that succeeded returned."""
    spelled: Callable[[Integers], list[tuple[str, str]]]
    """From rows to their traces and spans."""
    named: Callable[[str, int], str]
    """From a column of names (``service``, ``model``, ``agent``) and a row to the name."""

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

    @cached_property
    def clusters(self) -> Clusters:
        """Number what intervals are clustered by."""
        return Clusters.of(self.cluster)

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
    def attempted(self) -> Mask:
        """Say which operations the memory was asked to do, and could."""
        return ~self.ended_in(Outcome.UNSUPPORTED, Outcome.EXCLUDED)

    @property
    def searches(self) -> Mask:
        """Say which operations are searches."""
        return self.is_kind(TrafficKind.SEARCH)

    @property
    def hits(self) -> HitArrays:
        """Return everything that searches returned, which of much traffic is much."""
        return HitArrays.together(list(self.source.portions()))

    @cached_property
    def written(self) -> HitArrays:
        """Return what successful writes wrote."""
        writes = self.is_kind(TrafficKind.ADD, TrafficKind.UPDATE, TrafficKind.UPSERT) & self.valid
        return self.changes.where(writes[self.changes.operation])

    @cached_property
    def removed(self) -> HitArrays:
        """Return what successful deletions named."""
        removals = self.is_kind(TrafficKind.DELETE) & self.valid
        return self.changes.where(removals[self.changes.operation])

    @classmethod
    def of(cls, traffic: Traffic, shared: Collection[str] = ()) -> TrafficArrays:
        """Read sealed traffic; *shared* names stores that belong to everybody."""

        def spelled(rows: Integers) -> list[tuple[str, str]]:
            first, last = int(rows.min(initial=2**62)), int(rows.max(initial=-1)) + 1
            names = traffic.operations("trace", "span", rows=(first, last))
            return [(str(names["trace"][row - first]), str(names["span"][row - first])) for row in rows.tolist()]

        return with_owners(
            cls(
                **operations_of(traffic, shared),
                changes=changes_of(traffic),
                source=SealedHits(traffic),
                spelled=spelled,
                named=lambda column, row: str(traffic.operations(column, rows=(row, row + 1))[column][0]),
            )
        )
