"""The measures that need no gold, each as a column of cases; what cannot be known is empty and says why."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from memgauge.exchange.traffic.rows import TrafficKind
from memgauge.records import Outcome
from memgauge.studies.production.arrays import DAY_NS, UNKNOWN
from memgauge.studies.production.columns import HealthUnit, MeasuredColumn, MeasureSpec, Summary
from memgauge.studies.production.earlier import EarlierEvents
from memgauge.studies.production.faults import GRACES, LAST, ReturnFaults
from memgauge.studies.production.lists import lists
from memgauge.studies.production.lives import lives
from memgauge.studies.production.repeats import repeats

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from memgauge.studies.production.arrays import TrafficArrays


@dataclass(frozen=True, eq=False)
class TrafficMeasures:
    """Every measure of traffic, in the order in which they are read."""

    traffic: TrafficArrays

    @cached_property
    def faults(self) -> ReturnFaults:
        """Return what should never have been returned."""
        return ReturnFaults(self.traffic)

    def columns(self) -> Iterator[MeasuredColumn]:
        """Yield all of them: what was captured first, for it bounds all others."""
        yield from self.captured()
        yield from self.service()
        yield from self.returned()
        yield from lists(self.traffic)
        yield from self.faulty()
        yield from lives(self.traffic)
        yield from repeats(self.traffic)

    def charted(self) -> Iterator[MeasuredColumn]:
        """Yield what may drift without being wrong."""
        yield from self.returned()
        yield from lists(self.traffic)

    def captured(self) -> Iterator[MeasuredColumn]:
        """Say what of searches was recorded at all."""
        traffic, rows = self.traffic, np.flatnonzero(self.traffic.searches & self.traffic.valid)
        scored = np.zeros(len(traffic.began), dtype=np.bool_)
        scored[traffic.records.operation[~np.isnan(traffic.records.score)]] = True
        none = np.asarray(traffic.returned == 0)
        for key, name, mask in (
            ("with_query", "searches with their query", traffic.query != UNKNOWN),
            ("with_records", "searches with their records", traffic.captured),
            ("with_scores", "searches with scores, or nothing returned", scored | none),
            ("with_scope", "searches whose scope is known", traffic.scope != UNKNOWN),
        ):
            spec = MeasureSpec(key, "capture", name, "searches that succeeded", "no search succeeded")
            yield self._of(spec, mask[rows], rows)

    def service(self) -> Iterator[MeasuredColumn]:
        """Measure times and failures, of searches and of writes."""
        traffic = self.traffic
        writing = traffic.is_kind(TrafficKind.ADD, TrafficKind.UPDATE, TrafficKind.UPSERT)
        took = (traffic.ended - traffic.began) / 1e6
        for noun, what in (("search", traffic.searches), ("write", writing)):
            tried = np.flatnonzero(what & ~traffic.ended_in(Outcome.UNSUPPORTED, Outcome.EXCLUDED))
            plural = f"{noun}es" if noun == "search" else f"{noun}s"
            none = f"no {noun} was recorded"
            for outcome in (Outcome.ERROR, Outcome.TIMEOUT):
                spec = MeasureSpec(f"{noun}_{outcome}", "service", f"{plural}: {outcome}", plural, none)
                yield self._of(spec, traffic.ended_in(outcome)[tried], tried)
            done = tried[traffic.valid[tried]]
            for summary in (Summary.MEDIAN, Summary.TAIL):
                key = f"{noun}_{'p50' if summary is Summary.MEDIAN else 'p95'}"
                name = f"{noun}, {summary}"
                yield self._of(
                    MeasureSpec(
                        key, "service", name, f"{plural} that succeeded", none, summary, HealthUnit.MILLISECONDS
                    ),
                    took[done],
                    done,
                )

    def returned(self) -> Iterator[MeasuredColumn]:
        """Measure how much searches return."""
        traffic = self.traffic
        done = np.flatnonzero(traffic.searches & traffic.valid & ~np.isnan(traffic.returned))
        spec = MeasureSpec(
            "empty", "lists", "empty", "searches with a count", "no search says how many it returned"
        )
        yield self._of(spec, traffic.returned[done] == 0, done)
        known = done[~np.isnan(traffic.asked[done])]
        spec = MeasureSpec(
            "short", "lists", "fewer than asked for", "searches with k and a count", "k is not known"
        )
        yield self._of(spec, traffic.returned[known] < traffic.asked[known], known)
        spec = MeasureSpec(
            "length", "lists", "records", "searches with a count", "no search says how many it returned",
            Summary.MEAN, HealthUnit.PLAIN,
        )  # fmt: skip
        yield self._of(spec, traffic.returned[done], done)
        searches = np.flatnonzero(traffic.searches & traffic.valid & ~np.isnan(traffic.context))
        spec = MeasureSpec(
            "context", "lists", "tokens of context", "searches with a count of tokens",
            "no search says how many tokens it brought", Summary.MEAN, HealthUnit.TOKENS,
        )  # fmt: skip
        yield self._of(spec, traffic.context[searches], searches)

    def faulty(self, *names: str) -> Iterator[MeasuredColumn]:
        """Look for what should never be returned; an index may lag, so the graces make a curve.

        Args:
            names: Of graces; all of them without any.
        """
        faults = self.faults
        graces = {name: GRACES[name] for name in names or GRACES}
        seen, moved = "hits whose text and change were seen", "hits of memories with a write or removal"
        for name, grace in graces.items():
            spec = MeasureSpec(
                f"stale {name}", "faults", f"stale, {_when(name)} after the change", seen,
                "no hit's text was seen being written", fault=name == LAST,
            )  # fmt: skip
            yield self._hits(spec, faults.stale(grace), faults.versioned)
        named = faults.hits.named
        for name, grace in graces.items():
            spec = MeasureSpec(
                f"deleted {name}", "faults", f"deleted, {_when(name)} before", moved,
                "no hit's memory was seen being written or removed", fault=name == LAST,
            )  # fmt: skip
            yield self._hits(spec, faults.deleted(grace), faults.traced & named)
        spec = MeasureSpec(
            "possibly deleted", "faults", "text deleted an hour before, perhaps said again",
            "hits without a name of their own", "every hit has a name",
        )  # fmt: skip
        yield self._hits(spec, faults.deleted(GRACES[LAST]), faults.traced & ~named)
        spec = MeasureSpec(
            "leak", "faults", "of another scope", "hits whose writer and asker are known",
            "scopes are not known on both sides", fault=True,
        )  # fmt: skip
        yield self._hits(spec, faults.leaked, faults.owned)

    def fresh(self) -> MeasuredColumn:
        """Say of searches whose scope wrote on the day before whether they return anything of it.

        An index that takes nothing new any more answers as quickly as before; this is where it is seen.
        """
        traffic, hits = self.traffic, self.faults.hits
        written = traffic.written
        rows = np.flatnonzero(traffic.searches & traffic.valid & traffic.captured & (traffic.scope != UNKNOWN))
        place = traffic.place
        ends = traffic.ended[written.operation]
        wrote = EarlierEvents(place[written.operation], ends)
        hour = DAY_NS // 24
        last = np.append(ends, -1)[wrote.latest(place[rows], traffic.began[rows] - hour)]
        rows = rows[(last >= 0) & (last > traffic.began[rows] - DAY_NS)]
        latest = EarlierEvents(written.memory, ends).latest(hits.memory, traffic.began[hits.operation])
        new = np.append(ends, -1)[latest] > traffic.began[hits.operation] - DAY_NS
        brought = np.zeros(len(traffic.began), dtype=np.bool_)
        brought[hits.operation[new]] = True
        spec = MeasureSpec(
            "fresh", "lists", "something written on the day before", "searches whose scope had written then",
            "no scope wrote and searched within a day",
        )  # fmt: skip
        return self._of(spec, brought[rows], rows)

    def _hits(self, spec: MeasureSpec, mask: NDArray[np.bool_], among: NDArray[np.bool_]) -> MeasuredColumn:
        return self._of(spec, mask[among], self.faults.hits.operation[among])

    def _of(self, spec: MeasureSpec, values: NDArray[np.generic], rows: NDArray[np.int64]) -> MeasuredColumn:
        return MeasuredColumn(spec, np.asarray(values, dtype=np.float64), rows, self.traffic.cluster[rows])


def _when(grace: str) -> str:
    return grace if GRACES[grace] else "any time"
