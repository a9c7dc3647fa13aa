"""How memories live: how often they change, how old they are when they return, and which never do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from memgauge.studies.production.arrays import DAY_NS, WEEK_NS
from memgauge.studies.production.columns import UNSIGNED, HealthUnit, MeasuredColumn, MeasureSpec, Summary, ratio
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
    changes, return_counts = SeenChanges(traffic), np.zeros(len(traffic.written.memory), dtype=np.int64)
    for hits in traffic.source.portions():
        yield from _ages(changes, hits)
        return_counts += _given(changes, hits)
    yield _unreturned(changes, return_counts)
    yield _restored(traffic)
    yield from _changing(traffic)


def _ages(changes: SeenChanges, hits: HitArrays) -> Iterator[MeasuredColumn]:
    asked_at = changes.traffic.began[hits.operation]
    latest_writes = changes.writes.latest(hits.memory, asked_at)
    age = (asked_at - np.append(changes.ends, 0)[latest_writes]) / DAY_NS
    has_write = latest_writes >= 0
    for key, name, among in (
        ("age", "age of a hit, by its last write, median", has_write),
        ("age first", "age of the first hit, median", has_write & (hits.rank == 1)),
    ):
        spec = MeasureSpec(
            key, "lives", name, "hits whose writing was seen", "no hit's writing was seen", Summary.MEDIAN,
            HealthUnit.DAYS,
        )  # fmt: skip
        yield MeasuredColumn(spec, age[among], hits.operation[among])


def _given(changes: SeenChanges, hits: HitArrays) -> Integers:
    """Count, for every record that was written, the hits that gave it within a week."""
    returns = EarlierEvents(hits.memory, changes.traffic.began[hits.operation])
    memory, ends = changes.written.memory, changes.ends
    return returns.count(memory, ends + WEEK_NS) - returns.count(memory, ends)


def _unreturned(changes: SeenChanges, return_counts: Integers) -> MeasuredColumn:
    """Say which writes nobody was given within a week: an upper bound of what is dead, and no fault."""
    is_followed = changes.ends <= (int(changes.traffic.ended.max(initial=0)) - WEEK_NS)
    spec = MeasureSpec(
        "unreturned", "lives", "not returned within a week", "records written, a week before the end",
        "no write was followed for a week",
    )  # fmt: skip
    rows = changes.written.operation[is_followed]
    return MeasuredColumn(spec, (return_counts[is_followed] == 0).astype(np.float64), rows)


def _restored(traffic: TrafficArrays) -> MeasuredColumn:
    """Say which changes bring back a text that the memory had before (flip-flop)."""
    written = traffic.written
    order = np.lexsort((traffic.ended[written.operation], written.memory))
    changes = (written.version > 1) & (written.text != UNKNOWN)
    texts = np.unique(np.stack([written.memory, written.text]), axis=1, return_inverse=True)[1].ravel()
    is_old_text, is_unchanged = np.zeros(len(order), dtype=np.bool_), np.zeros(len(order), dtype=np.bool_)
    first_places = np.unique(texts[order], return_index=True)[1]
    is_old_text[order] = True
    is_old_text[order[first_places]] = False
    is_unchanged[order[1:]] = texts[order[1:]] == texts[order[:-1]]
    spec = MeasureSpec(
        "restored",
        "lives",
        "changes that restore an earlier text",
        "changes with a known text",
        "no change was seen",
    )
    return MeasuredColumn(
        spec, (is_old_text & ~is_unchanged)[changes].astype(np.float64), written.operation[changes]
    )


def _changing(traffic: TrafficArrays) -> Iterator[MeasuredColumn]:
    """Count changes and deletions by week that a memory lives, and what a scope has gained at the end."""
    written, deletes = traffic.written, traffic.removed
    memories, first_places = np.unique(written.memory, return_index=True)
    end = int(traffic.ended.max(initial=0))
    born = np.full(len(memories), np.iinfo(np.int64).max)
    np.minimum.at(born, np.searchsorted(memories, written.memory), traffic.ended[written.operation])
    deletions = EarlierEvents(deletes.memory, traffic.ended[deletes.operation]).latest(
        memories, np.full(len(memories), end)
    )
    died = np.append(traffic.ended[deletes.operation], end)[deletions]
    changes = np.bincount(np.searchsorted(memories, written.memory[written.version > 1]), minlength=len(memories))
    lived = np.maximum(died - born, 0) / WEEK_NS
    rows = written.operation[first_places]
    is_short = bool(len(lived)) and float(lived.mean()) * WEEK_NS < DAY_NS
    spec = MeasureSpec(
        "churn", "lives", "changes and deletions by memory and week", "memories whose writing was seen",
        "memories were followed for less than a day" if is_short else _NO_WRITE, Summary.MEAN, HealthUnit.PLAIN,
        bounds=UNSIGNED,
    )  # fmt: skip
    values = ratio((changes + (deletions >= 0)).astype(np.float64), lived)[: 0 if is_short else None]
    yield MeasuredColumn(spec, values, rows[: len(values)])
    yield _growing(traffic, rows, deletions < 0)


def _growing(traffic: TrafficArrays, rows: Integers, is_left: NDArray[np.bool_]) -> MeasuredColumn:
    """Count what scopes have gained at the end, of memories that were first written in *rows*."""
    weeks = (int(traffic.ended.max(initial=0)) - traffic.start) / WEEK_NS
    is_owned, is_short = traffic.scope[rows] != UNKNOWN, weeks * WEEK_NS < DAY_NS
    reason = _NO_WRITE
    if len(rows):
        reason = "less than a day was recorded" if is_short else "no writer's scope is known"
    spec = MeasureSpec(
        "growth", "lives", "memories gained by scope and week", "scopes that wrote", reason, Summary.MEAN,
        HealthUnit.PLAIN, bounds=UNSIGNED,
    )  # fmt: skip
    if is_short:
        return MeasuredColumn(spec, np.zeros(0), rows[:0])
    _, whose, place = np.unique(traffic.scope[rows][is_owned], return_index=True, return_inverse=True)
    gained = np.bincount(place, is_left[is_owned].astype(np.float64), minlength=len(whose))
    return MeasuredColumn(spec, gained / weeks, rows[is_owned][whose])
