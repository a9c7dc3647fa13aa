"""How memories live: how often they change, how old they are when they return, and which never do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from memgauge.studies.production.arrays import DAY_NS, WEEK_NS
from memgauge.studies.production.columns import HealthUnit, MeasuredColumn, MeasureSpec, Summary, ratio
from memgauge.studies.production.earlier import EarlierEvents
from memgauge.studies.production.hits import UNKNOWN
from memgauge.studies.production.seen import SeenChanges

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from memgauge.studies.production.arrays import TrafficArrays
    from memgauge.studies.production.hits import HitArrays

    Integers = NDArray[np.int64]

_NO_WRITE = "no write was seen"


def lives(traffic: TrafficArrays) -> Iterator[MeasuredColumn]:
    """Follow every memory whose writing was seen."""
    changes, given = SeenChanges(traffic), np.zeros(len(traffic.written.memory), dtype=np.int64)
    for hits in traffic.source.portions():
        yield from _ages(changes, hits)
        given += _given(changes, hits)
    yield _unreturned(changes, given)
    yield _restored(traffic)
    yield from _changing(traffic)


def _ages(changes: SeenChanges, hits: HitArrays) -> Iterator[MeasuredColumn]:
    asked = changes.traffic.began[hits.operation]
    latest = changes.writes.latest(hits.memory, asked)
    age = (asked - np.append(changes.ends, 0)[latest]) / DAY_NS
    known = latest >= 0
    for key, name, among in (
        ("age", "age of a hit, by its last write, median", known),
        ("age first", "age of the first hit, median", known & (hits.rank == 1)),
    ):
        spec = MeasureSpec(
            key, "lives", name, "hits whose writing was seen", "no hit's writing was seen", Summary.MEDIAN,
            HealthUnit.DAYS,
        )  # fmt: skip
        yield MeasuredColumn(spec, age[among], hits.operation[among])


def _given(changes: SeenChanges, hits: HitArrays) -> Integers:
    """Count, for every record that was written, the hits that gave it within a week."""
    given = EarlierEvents(hits.memory, changes.traffic.began[hits.operation])
    memory, ends = changes.written.memory, changes.ends
    return given.count(memory, ends + WEEK_NS) - given.count(memory, ends)


def _unreturned(changes: SeenChanges, given: Integers) -> MeasuredColumn:
    """Say which writes nobody was given within a week: an upper bound of what is dead, and no fault."""
    followed = changes.ends <= (int(changes.traffic.ended.max(initial=0)) - WEEK_NS)
    spec = MeasureSpec(
        "unreturned", "lives", "not returned within a week", "records written, a week before the end",
        "no write was followed for a week",
    )  # fmt: skip
    rows = changes.written.operation[followed]
    return MeasuredColumn(spec, (given[followed] == 0).astype(np.float64), rows)


def _restored(traffic: TrafficArrays) -> MeasuredColumn:
    """Say which changes bring back a text that the memory had before (flip-flop)."""
    written = traffic.written
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
    return MeasuredColumn(spec, (back & ~last)[changes].astype(np.float64), written.operation[changes])


def _changing(traffic: TrafficArrays) -> Iterator[MeasuredColumn]:
    """Count changes and deletions by week that a memory lives, and what a scope has gained at the end."""
    written, deletes = traffic.written, traffic.removed
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
    yield MeasuredColumn(spec, values, rows[: len(values)])
    spec = MeasureSpec(
        "growth", "lives", "memories gained by scope and week", "scopes that wrote", _NO_WRITE, Summary.MEAN,
        HealthUnit.PLAIN,
    )  # fmt: skip
    _, whose, place = np.unique(traffic.cluster[rows], return_index=True, return_inverse=True)
    gained = np.bincount(place, (gone < 0).astype(np.float64), minlength=len(whose))
    weeks = max((last - traffic.start) / WEEK_NS, 1e-9)
    yield MeasuredColumn(spec, gained / weeks, rows[whose])
