"""One product in one study: every cell, and what it could not do, from its frozen files."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import IdentityError
from memgauge.records import Outcome
from memgauge.runs.record.bundle import unbundled
from memgauge.runs.record.store import load
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.quality import quality_columns
from memgauge.scoring.voiced import Truth
from memgauge.stats import Clusters, estimates
from memgauge.stats.proportion import wilson
from memgauge.studies.attribution.cards import CARDS
from memgauge.studies.attribution.cells import AnswerSource
from memgauge.studies.attribution.labels import FollowedSource
from memgauge.studies.attribution.rates import RIGHT, End
from memgauge.studies.context.assembled import asked, measure_lane
from memgauge.studies.context.policies import Assembly
from memgauge.studies.shift.play.online import outcomes
from memgauge.studies.shift.protocol.scene import scenes
from memgauge.studies.shift.protocol.spec import PRESETS
from memgauge.studies.targets.lineup import TARGETS, AuditSpec, line_up
from memgauge.text.counting import DEFAULT
from memgauge.text.jsons import json_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from memgauge.datasets.base import Dataset
    from memgauge.reproduce.product_tables import ProductRow, ProductTable
    from memgauge.runs.record.store import Run
    from memgauge.stats import Interval
    from memgauge.studies.attribution.study import Attribution

    Cells = Mapping[str, Interval]

BUDGET: Final = 160
"""Tokens of a prompt, as in the context study's own figures."""
POLICY: Final = "relevance-first"
K: Final = 10
BURSTS: Final = (0, 20)
STALE, MARKED = "stale in prompt", "stale is marked"
AS_OF, SILENT = "AsOf@5", "SilentRightly"
_SPOKEN: Final = {AnswerSource.DOCUMENT: "a document", AnswerSource.STATE: "a state"}


@dataclass(frozen=True)
class StudiedProduct:
    """What one row says: intervals by column, and sentences of what the product could not do."""

    cells: Cells
    unable: tuple[str, ...]


@dataclass(frozen=True)
class StudyWorld:
    """One dataset, read once for all rows."""

    ref: str
    sha256: str

    @cached_property
    def dataset(self) -> Dataset:
        """Open it.

        Raises:
            IdentityError: It is another than the rows were played on.
        """
        opened = open_dataset(self.ref)
        if opened.identity.sha256 != self.sha256:
            raise IdentityError(f"{self.ref} here is not what products were played on.", "Use the published file.")
        return opened

    @cached_property
    def gold(self) -> GoldTable:
        """Read what is right."""
        return GoldTable.read(self.dataset)

    @cached_property
    def truth(self) -> Truth:
        """Read which facts turns state."""
        return Truth.of(self.dataset)

    def around(self, values: NDArray[np.float64]) -> Interval:
        """Average what questions are worth, over conversations; what is not a number is not defined."""
        clusters = Clusters.of(np.array([question.conversation for question in self.gold.questions]))
        defined = ~np.isnan(values)
        (estimate,) = estimates(np.nan_to_num(values)[:, None], clusters, defined[:, None], shares=True)
        return estimate.interval


def studied(table: ProductTable, row: ProductRow, world: StudyWorld | None, results: Path) -> StudiedProduct:
    """Compute one row from what is frozen below *results*."""
    paths = [results / file for file in row.files]
    if world is None:
        return _attribution(paths[0], table.columns)
    with ExitStack() as stack:
        runs = [load(stack.enter_context(unbundled(path))) for path in paths]
        for run in runs:
            world.gold.require(run)
        cells, unable = _STUDIES[table.key](runs, world, table.columns)
        return StudiedProduct(cells, (*unable, *_lost(runs)))


def _lost(runs: Sequence[Run]) -> Iterator[str]:
    """Say how much of its writing and of its searches failed."""
    for what, ends in (
        ("writes", [str(end) for run in runs for end in run.counted_writes["outcome"].tolist()]),
        ("searches", [str(end) for run in runs for end in run.questions["outcome"].tolist()]),
    ):
        failed = sum(not Outcome(end).valid for end in ends)
        if failed:
            yield f"{failed:,} of its {len(ends):,} {what} failed."


def _targets(runs: Sequence[Run], world: StudyWorld, columns: Sequence[str]) -> tuple[Cells, list[str]]:
    lineup = line_up(runs, world.gold, AuditSpec(answerable=False))
    (audited,) = lineup.runs
    cells, unable = dict[str, Interval](), list[str]()
    for column, target in zip(columns, TARGETS, strict=True):
        if audited.serves(target):
            rows = audited.rows(target)
            cells[column] = world.around(np.where(rows.defined & lineup.inside, rows.values, np.nan))
        else:
            unable.append(f"It stores nothing that {column} credits.")
    return cells, unable


def _quality(runs: Sequence[Run], world: StudyWorld, columns: Sequence[str]) -> tuple[Cells, list[str]]:
    measured = quality_columns(runs[0], world.gold, columns)
    values = [np.where(each.rows.defined, each.rows.values, np.nan) for each in measured]
    cells = {column: world.around(each) for column, each in zip(columns, values, strict=True)}
    unable = [f"{column} is not defined of it." for column, cell in cells.items() if not cell.n]
    if AS_OF in cells and cells[AS_OF].mean == 0:
        unable.append("It never returns what held on another day without what holds now.")
    if SILENT in cells and cells[SILENT].mean == 0:
        unable.append(f"It returns something to all {cells[SILENT].n:,} questions without an answer.")
    return cells, unable


def _context(runs: Sequence[Run], world: StudyWorld, columns: Sequence[str]) -> tuple[Cells, list[str]]:
    questions = asked(runs[0], world.dataset, world.truth, K)
    lane = measure_lane(runs[0], questions, Assembly(POLICY, BUDGET, DEFAULT))
    unable = list[str]()
    if lane.measures[STALE].mean and lane.measures[MARKED].mean == 0:
        stale = sum(bool(fate.stale) for fate in lane.fates)
        unable.append(f"It marks nothing as history in {stale:,} prompts that hold what no longer holds.")
    return {column: lane.measures[column] for column in columns}, unable


def _shift(runs: Sequence[Run], world: StudyWorld, columns: Sequence[str]) -> tuple[Cells, list[str]]:
    spec = replace(PRESETS["paper"], bursts=BURSTS)
    folders = [run.folder for run in runs]
    played = outcomes([runs[0].label], folders, scenes(world.dataset, spec), spec, world.gold)
    places = [world.gold.number[question] for question in played.questions]
    clean, interrupted = played.hits[0].astype(np.float64)
    recovering = played.post_shift & (played.order <= spec.horizon)
    everything = np.ones_like(recovering)
    of = ((clean, everything), (clean, recovering), (interrupted, recovering), (interrupted - clean, recovering))
    cells = dict[str, Interval]()
    for column, (hits, within) in zip(columns, of, strict=True):
        values = np.full(len(world.gold.questions), np.nan)
        values[places] = np.where(within, hits, np.nan)
        cells[column] = world.around(values)
    return cells, []


_STUDIES: Final[
    Mapping[str, Callable[[Sequence[Run], StudyWorld, Sequence[str]], tuple[Cells, list[str]]]]
] = {"targets": _targets, "quality": _quality, "context": _context, "shift": _shift}
"""What reads the bundles of a row, by study."""


def _attribution(path: Path, columns: Sequence[str]) -> StudiedProduct:
    """Count rates again from how questions ended, and from whom answers followed in each cell."""
    (card,) = CARDS.read(json_file(path), str(path)).cards
    counts = (
        sum(card.ends[str(end)] for end in RIGHT),
        card.ends[str(End.MEMORY)],
        _followed(card, "swap-memory", FollowedSource.MEMORY),
        _followed(card, "absent", FollowedSource.ABSTAINED),
    )
    cells = {column: wilson(hits, card.questions) for column, hits in zip(columns, counts, strict=True)}
    missing = [spoken for source, spoken in _SPOKEN.items() if str(source) not in card.carries]
    unable = [f"It cannot be given {' or '.join(missing)}: {_unasked(card)} cells are not asked."] if missing else []
    failed = sum(row.followed.get(str(FollowedSource.FAILED), 0) for row in card.matrix)
    return StudiedProduct(cells, (*unable, *([f"{failed:,} of its answers failed."] if failed else [])))


def _followed(card: Attribution, cell: str, source: FollowedSource) -> int:
    return next(row.followed.get(str(source), 0) for row in card.matrix if row.cell == cell)


def _unasked(card: Attribution) -> int:
    return sum(not row.followed for row in card.matrix)
