"""What rows of one board say of each other: it follows from their values alone, so it is kept by these."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.results import result
from memgauge.scoring.compare import detectable, differences_of
from memgauge.scoring.ended_pairs import ended_pair
from memgauge.scoring.fronts import FrontPlace, front
from memgauge.stats import RankSet, rank_sets
from memgauge.submissions.boards.board import BesideBaseline
from memgauge.submissions.rows.keeping import code_digest, keep, kept

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import TypeAdapter

    from memgauge.measures import Rows
    from memgauge.scoring.ended import ShortLists
    from memgauge.scoring.score import DatasetSampling

FOLDER: Final = "boards"
"""Beside the rows that are kept: one file a board, which the next one of its name replaces."""
ROOMS: Final = ("measures", "stats", "scoring", "submissions/boards")
"""Rooms whose code decides what is inferred."""


@dataclass(frozen=True)
class RowRanking:
    """Ranks, and differences from the baseline, by submission: whatever the rows cost."""

    sets: Mapping[str, RankSet] = field(default_factory=dict)
    beside: Mapping[str, BesideBaseline] = field(default_factory=dict)
    detectable: float | None = None
    baseline: str = ""


@result
@dataclass(frozen=True)
class BoardInference:
    """Ranks, differences from the baseline and fronts, by submission."""

    ranking: RowRanking = field(default_factory=RowRanking)
    fronts: Mapping[str, FrontPlace] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class ObservedRows:
    """The rows of one board."""

    valued: Mapping[str, Rows]
    """By submission, in the order of the board."""
    costs: Mapping[str, float]
    baseline: str
    """Beside which all others stand; empty where there is none."""
    sampling: DatasetSampling
    short: Mapping[str, ShortLists] = field(default_factory=dict)
    """Whose lists end at k before the budget of the measure is full: they may find more than was seen."""
    grows: bool = True
    """Whether a longer list can only raise the measure."""

    @property
    def rows_digest(self) -> str:
        """Hash everything that the ranking follows from, and the code that ranks."""
        clusters = self.sampling.clusters
        short = {name: astuple(lists) for name, lists in self.short.items()}
        about = [code_digest(ROOMS), list(self.valued), self.baseline, short, self.grows]
        whole = hashlib.sha256(json.dumps(about).encode())
        for column in (
            clusters.codes,
            *(part for row in self.valued.values() for part in (row.values, row.defined)),
        ):
            whole.update(column.tobytes())
        return whole.hexdigest()

    @property
    def digest(self) -> str:
        """Hash everything that is inferred from, costs included."""
        return hashlib.sha256(f"{self.rows_digest}{json.dumps(list(self.costs.items()))}".encode()).hexdigest()


class Inferences:
    """What was inferred before: of boards by earlier builds, of rows by this one.

    Boards that hold other costs against the same rows rank them alike, so these are ranked once.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Keep boards in a folder beside rows; without it, every build infers anew."""
        self._folder = folder
        self._rankings: dict[str, RowRanking] = {}

    def of(self, observed: ObservedRows, board: str) -> BoardInference:
        """Infer, or read what was inferred of the same rows and costs before.

        Args:
            observed: The rows.
            board: What the board is called.
        """
        if self._folder is None or not observed.valued:
            return self._infer(observed)
        path, key = self._folder / FOLDER / f"{board}.json", observed.digest
        content = kept(path, key)
        if content is None:
            content = json.dumps(asdict(self._infer(observed))).encode()
            keep(path, key, content)
        return _adapter().validate_json(content)

    def _infer(self, observed: ObservedRows) -> BoardInference:
        if not observed.valued:
            return BoardInference()
        key = observed.rows_digest
        if key not in self._rankings:
            self._rankings[key] = rank(observed)
        fronts = front(observed.costs, observed.valued, observed.sampling, short=observed.short)
        return BoardInference(self._rankings[key], fronts)


@cache
def _adapter() -> TypeAdapter[BoardInference]:
    from pydantic import TypeAdapter

    return TypeAdapter(BoardInference)


def rank(observed: ObservedRows) -> RowRanking:
    """Rank rows, and lay them beside the baseline."""
    valued, sampling, names = observed.valued, observed.sampling, list(observed.valued)
    values = np.stack([valued[name].values for name in names], axis=1)
    defined = np.stack([valued[name].defined for name in names], axis=1)
    common = np.broadcast_to(defined.all(axis=1, keepdims=True), defined.shape)
    short, may_lose = observed.short, () if observed.grows else observed.short
    sets = (
        rank_sets(names, values, sampling.clusters, common, may_gain=short, may_lose=may_lose)
        if common.any()
        else {}
    )
    whole = [name for name in names if name not in short]  # of others it is not known how much they find
    best = sorted(whole, key=lambda name: -valued[name].values.sum())[:2]
    pairs = len(names) * (len(names) - 1) // 2
    least = detectable(valued[best[0]], valued[best[1]], sampling, pairs) if len(best) > 1 else None
    baseline = observed.baseline
    others = [name for name in names if name != baseline] if baseline else []
    tested, _ = differences_of([(name, valued[baseline], valued[name]) for name in others], sampling)
    ends = {name: short.get(name) for name in names}
    compared = [ended_pair(each, ends[baseline], ends[each.measure], grows=observed.grows) for each in tested]
    beside = {
        each.measure: BesideBaseline(each.difference, each.low, each.high, str(each.verdict)) for each in compared
    }
    return RowRanking(sets, beside, least, baseline)
