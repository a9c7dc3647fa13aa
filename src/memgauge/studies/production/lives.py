"""How memories live: how often they change, how old they are when they return, and which never do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from memgauge.exchange.traffic.rows import TrafficKind
from memgauge.studies.production.arrays import DAY_NS, UNKNOWN, WEEK_NS
from memgauge.studies.production.columns import HealthUnit, MeasuredColumn, MeasureSpec, Summary, ratio
from memgauge.studies.production.earlier import EarlierEvents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from memgauge.studies.production.arrays import HitArrays, TrafficArrays

    Integers = NDArray[np.int64]

_NO_WRITE = "no write was seen"


def lives(traffic: TrafficArrays) -> Iterator[MeasuredColumn]:
    """Follow every memory whose writing was seen."""
    hits, written = traffic.hits, traffic.written
    yield from _ages(traffic, hits, written)
    yield _unreturned(traffic, hits, written)
    yield _restored(traffic, written)
    yield from _changing(traffic, written)


def _ages(traffic: TrafficArrays, hits: HitArrays, written: HitArrays) -> Iterator[MeasuredColumn]:
    ends = traffic.ended[written.operation]
    asked = traffic.began[hits.operation]
    latest = EarlierEvents(written.memory, ends).latest(hits.memory, asked)
    age = (asked - np.append(ends, 0)[latest]) / DAY_NS
    known = latest >= 0
    for key, name, among in (
        ("age", "age of a hit, by its last write, median", known),
        ("age first", "age of the first hit, median", known & (hits.rank == 1)),
    ):
        spec = MeasureSpec(
            key, "lives", name, "hits whose writing was seen", "no hit's writing was seen", Summary.MEDIAN,
            HealthUnit.DAYS,
        )  # fmt: skip
        rows = hits.operation[among]
        yield MeasuredColumn(spec, age[among], rows, traffic.cluster[rows])


def _unreturned(traffic: TrafficArrays, hits: HitArrays, written: HitArrays) -> MeasuredColumn:
    """Say which writes nobody was given within a week: an upper bound of what is dead, and no fault."""
    ends = traffic.ended[written.operation]
    followed = ends <= (int(traffic.ended.max(initial=0)) - WEEK_NS)
    asked = traffic.began[hits.operation]
    given = EarlierEvents(hits.memory, asked)
    within = given.count(written.memory, ends + WEEK_NS) - given.count(written.memory, ends)
    spec = MeasureSpec(
        "unreturned", "lives", "not returned within a week", "records written, a week before the end",
        "no write was followed for a week",
    )  # fmt: skip
    rows = written.operation[followed]
    return MeasuredColumn(spec, (within[followed] == 0).astype(np.float64), rows, traffic.cluster[rows])


def _restored(traffic: TrafficArrays, written: HitArrays) -> MeasuredColumn:
    """Say which changes bring back a text that the memory had before (flip-flop)."""
    order = np.lexsort((traffic.ended[written.operation], written.memory))
    changes = (written.version > 1) & (written.text != UNKNOWN)
    texts = np.unique(np.stack([written.memory, written.text]), axis=1, return_inverse=True)[1].ravel()
    back, last = np.zeros(len(order), dtype=np.bool_), np.zeros(len(order), dtype=np.bool_)
    first = np.unique(texts[order], return_index=True)[1]
    back[order] = True
    back[order[first]] = False
    last[order[1:]] = texts[order[1:]] == texts[order[:-1]]
    spec = MeasureSpec(
        "restored",
        "lives",
        "changes that restore an earlier text",
        "changes with a known text",
        "no change was seen",
    )
    rows = written.operation[changes]
    return MeasuredColumn(spec, (back & ~last)[changes].astype(np.float64), rows, traffic.cluster[rows])


def _changing(traffic: TrafficArrays, written: HitArrays) -> Iterator[MeasuredColumn]:
    """Count changes and deletions by week that a memory lives, and what a scope has gained at the end."""
    deletes = traffic.records.where(
        (traffic.valid & traffic.is_kind(TrafficKind.DELETE))[traffic.records.operation]
    )
    memories, first = np.unique(written.memory, return_index=True)
    last = int(traffic.ended.max(initial=0))
    born = np.full(len(memories), np.iinfo(np.int64).max)
    np.minimum.at(born, np.searchsorted(memories, written.memory), traffic.ended[written.operation])
    gone = EarlierEvents(deletes.memory, traffic.ended[deletes.operation]).latest(
        memories, np.full(len(memories), last)
    )
    died = np.append(traffic.ended[deletes.operation], last)[gone]
    changes = np.bincount(np.searchsorted(memories, written.memory[written.version > 1]), minlength=len(memories))
    lived = np.maximum(died - born, 0) / WEEK_NS
    rows = written.operation[first]
    spec = MeasureSpec(
        "churn", "lives", "changes and deletions by memory and week", "memories whose writing was seen", _NO_WRITE,
        Summary.MEAN, HealthUnit.PLAIN,
    )  # fmt: skip
    values = ratio((changes + (gone >= 0)).astype(np.float64), lived)
    yield MeasuredColumn(spec, values, rows[: len(values)], traffic.cluster[rows][: len(values)])
    spec = MeasureSpec(
        "growth", "lives", "memories gained by scope and week", "scopes that wrote", _NO_WRITE, Summary.MEAN,
        HealthUnit.PLAIN,
    )  # fmt: skip
    owners, place = np.unique(traffic.cluster[rows], return_inverse=True)
    gained = np.bincount(place, (gone < 0).astype(np.float64), minlength=len(owners))
    weeks = max((last - traffic.start) / WEEK_NS, 1e-9)
    yield MeasuredColumn(spec, gained / weeks, rows[: len(owners)], owners)
