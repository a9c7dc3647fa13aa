"""The measures that need no gold, each as a column of cases; what cannot be known is empty and says why."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from memgauge.exchange.traffic.rows import TrafficKind
from memgauge.records import Outcome
from memgauge.studies.production.arrays import DAY_NS
from memgauge.studies.production.columns import UNSIGNED, HealthUnit, MeasuredColumn, MeasureSpec, Summary
from memgauge.studies.production.contexts import repeating, used
from memgauge.studies.production.faults import GRACES, LAST, ReturnFaults
from memgauge.studies.production.hits import UNKNOWN
from memgauge.studies.production.lists import lists
from memgauge.studies.production.lives import lives
from memgauge.studies.production.repeats import repeats
from memgauge.studies.production.seen import SeenChanges
from memgauge.studies.production.totals import MeasureTotals, summed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from memgauge.studies.production.arrays import TrafficArrays


@dataclass(frozen=True, eq=False)
class TrafficMeasures:
    """Every measure of traffic, in the order in which they are read."""

    traffic: TrafficArrays

    @cached_property
    def changes(self) -> SeenChanges:
        """Return what was written and removed."""
        return SeenChanges(self.traffic)

    def totals(self) -> Iterator[MeasureTotals]:
        """Yield all of them summed up: what was captured first, for it bounds all others.

        Those of one kind are summed up together, while hits pass by portions; no more than a kind is held.
        """
        for columns in (
            self.captured(),
            self.service(),
            self.returned(),
            self.in_lists(),
            self.repeating(),
            self.used(),
            self.faulty(),
            lives(self.traffic),
            repeats(self.traffic),
            (self.fresh(),),
        ):
            yield from summed(self.traffic, columns)

    def in_lists(self) -> Iterator[MeasuredColumn]:
        """Look into every list, by portions."""
        return (column for hits in self.traffic.source.portions() for column in lists(hits))

    def repeating(self) -> Iterator[MeasuredColumn]:
        """Look for what says the same again, by portions."""
        return (column for hits in self.traffic.source.portions(likeness=True) for column in repeating(hits))

    def used(self) -> Iterator[MeasuredColumn]:
        """Look for what answers repeat, by portions."""
        return (column for hits in self.traffic.source.portions() for column in used(hits))

    def captured(self) -> Iterator[MeasuredColumn]:
        """Say what of searches was recorded at all."""
        traffic, rows = self.traffic, np.flatnonzero(self.traffic.searches & self.traffic.valid)
        has_scores = np.zeros(len(traffic.began), dtype=np.bool_)
        for hits in traffic.source.portions():
            has_scores[hits.operation[~np.isnan(hits.score)]] = True
        is_empty = np.asarray(traffic.returned == 0)
        for key, name, mask in (
            ("with_query", "searches with their query", traffic.query != UNKNOWN),
            ("with_records", "searches with their records", traffic.captured),
            ("with_scores", "searches with scores, or nothing returned", has_scores | is_empty),
            ("with_scope", "searches whose scope is known", traffic.scope != UNKNOWN),
        ):
            spec = MeasureSpec(key, "capture", name, "searches that succeeded", "no search succeeded")
            yield self._of(spec, mask[rows], rows)

    def service(self) -> Iterator[MeasuredColumn]:
        """Measure times and failures, of searches and of writes."""
        traffic = self.traffic
        writing = traffic.is_kind(TrafficKind.ADD, TrafficKind.UPDATE, TrafficKind.UPSERT)
        yield from self._served("search", "searches", np.flatnonzero(traffic.searches & traffic.attempted))
        yield from self._served("write", "writes", np.flatnonzero(writing & traffic.attempted))

    def _served(self, noun: str, plural: str, attempts: NDArray[np.int64]) -> Iterator[MeasuredColumn]:
        """Measure those of one kind; what the host gave up is no failure, and its time is the host's."""
        traffic, unrecorded = self.traffic, f"no {noun} was recorded"
        is_given_up = traffic.ended_in(Outcome.CANCELLED)[attempts]
        ended = attempts[~is_given_up]
        succeeded = ended[traffic.valid[ended]]
        for outcome in (Outcome.ERROR, Outcome.TIMEOUT):
            spec = MeasureSpec(
                f"{noun}_{outcome}", "service", f"{plural}: {outcome}", f"{plural} that ended",
                f"the host gave up every {noun}" if len(attempts) else unrecorded,
            )  # fmt: skip
            yield self._of(spec, traffic.ended_in(outcome)[ended], ended)
        spec = MeasureSpec(
            f"{noun}_{Outcome.CANCELLED}", "service", f"{plural}: given up by the host", plural, unrecorded
        )
        yield self._of(spec, is_given_up, attempts)
        for key, summary in (("p50", Summary.MEDIAN), ("p95", Summary.TAIL)):
            spec = MeasureSpec(
                f"{noun}_{key}", "service", f"{noun}, {summary}", f"{plural} that succeeded",
                f"no {noun} succeeded" if len(attempts) else unrecorded, summary, HealthUnit.MILLISECONDS,
            )  # fmt: skip
            yield self._of(spec, ((traffic.ended - traffic.began) / 1e6)[succeeded], succeeded)

    def returned(self) -> Iterator[MeasuredColumn]:
        """Measure how much searches return."""
        traffic = self.traffic
        succeeded = np.flatnonzero(traffic.searches & traffic.valid & ~np.isnan(traffic.returned))
        spec = MeasureSpec(
            "empty", "lists", "empty", "searches with a count", "no search says how many it returned"
        )
        yield self._of(spec, traffic.returned[succeeded] == 0, succeeded)
        with_k = succeeded[~np.isnan(traffic.asked[succeeded])]
        spec = MeasureSpec(
            "short", "lists", "fewer than asked for", "searches with k and a count", "k is not known"
        )
        yield self._of(spec, traffic.returned[with_k] < traffic.asked[with_k], with_k)
        spec = MeasureSpec(
            "length", "lists", "records", "searches with a count", "no search says how many it returned",
            Summary.MEAN, HealthUnit.PLAIN, bounds=UNSIGNED,
        )  # fmt: skip
        yield self._of(spec, traffic.returned[succeeded], succeeded)
        searches = np.flatnonzero(traffic.searches & traffic.valid & ~np.isnan(traffic.context))
        spec = MeasureSpec(
            "context", "lists", "tokens of context", "searches with a count of tokens",
            "no search says how many tokens it brought", Summary.MEAN, HealthUnit.TOKENS,
            bounds=UNSIGNED,
        )  # fmt: skip
        yield self._of(spec, traffic.context[searches], searches)

    def faulty(self, *names: str) -> Iterator[MeasuredColumn]:
        """Look for what should never be returned, by portions; an index may lag, so the graces make a curve.

        Without *names* of graces, all are looked at.
        """
        for hits in self.traffic.source.portions():
            yield from _faulty(ReturnFaults(self.changes, hits), names or tuple(GRACES))

    def fresh(self) -> MeasuredColumn:
        """Say of searches whose scope wrote on the day before whether they return anything of it.

        An index that takes nothing new any more answers as quickly as before; this is where it is seen.
        """
        traffic, changes = self.traffic, self.changes
        rows = np.flatnonzero(traffic.searches & traffic.valid & traffic.captured & (traffic.scope != UNKNOWN))
        ends = np.append(changes.ends, -1)
        last_changes = ends[changes.wrote.latest(changes.place(rows), traffic.began[rows] - DAY_NS // 24)]
        rows = rows[(last_changes >= 0) & (last_changes > traffic.began[rows] - DAY_NS)]
        has_fresh = np.zeros(len(traffic.began), dtype=np.bool_)
        for hits in traffic.source.portions():
            asked_at = traffic.began[hits.operation]
            is_fresh = ends[changes.writes.latest(hits.memory, asked_at)] > asked_at - DAY_NS
            has_fresh[hits.operation[is_fresh]] = True
        spec = MeasureSpec(
            "fresh", "lists", "something written on the day before", "searches whose scope had written then",
            "no scope wrote and searched within a day",
        )  # fmt: skip
        return self._of(spec, has_fresh[rows], rows)

    def _of(self, spec: MeasureSpec, values: NDArray[np.generic], rows: NDArray[np.int64]) -> MeasuredColumn:
        return MeasuredColumn(spec, np.asarray(values, dtype=np.float64), rows)


def _faulty(faults: ReturnFaults, names: tuple[str, ...]) -> Iterator[MeasuredColumn]:
    """Look for faults among some hits."""

    def over(
        spec: MeasureSpec,
        mask: NDArray[np.bool_],
        among: NDArray[np.bool_],
        exposed: NDArray[np.bool_] | None = None,
    ) -> MeasuredColumn:
        at_risk = None if exposed is None else int((exposed & among).sum())
        return MeasuredColumn(spec, mask[among].astype(np.float64), faults.hits.operation[among], at_risk)

    observed_hits, changed_hits = (
        "hits whose text and change were seen",
        "hits of memories with a write or removal",
    )
    is_named = faults.hits.named
    for name in names:
        spec = MeasureSpec(
            f"stale {name}", "faults", f"stale, {_when(name)} after the change", observed_hits,
            "no hit's text was seen being written", fault=name == LAST,
        )  # fmt: skip
        yield over(spec, faults.stale(GRACES[name]), faults.versioned, faults.replaced(GRACES[name]))
    for name in names:
        spec = MeasureSpec(
            f"deleted {name}", "faults", f"deleted, {_when(name)} before", changed_hits,
            "no hit's memory was seen being written or removed", fault=name == LAST,
        )  # fmt: skip
        grace = GRACES[name]
        yield over(spec, faults.deleted(grace), faults.traced & is_named, faults.after_removal(grace))
    spec = MeasureSpec(
        "possibly deleted", "faults", "text deleted an hour before, perhaps said again",
        "hits without a name of their own", "every hit has a name",
    )  # fmt: skip
    grace = GRACES[LAST]
    yield over(spec, faults.deleted(grace), faults.traced & ~is_named, faults.after_removal(grace))
    spec = MeasureSpec(
        "leak", "faults", "of another scope", "hits whose writer and asker are known",
        "scopes are not known on both sides", fault=True,
    )  # fmt: skip
    yield over(spec, faults.leaked, faults.owned)


def _when(grace: str) -> str:
    return grace if GRACES[grace] else "any time"
