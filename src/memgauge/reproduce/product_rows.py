"""One product in one study: every cell, and what it could not do, from its frozen bundle."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import IdentityError
from memgauge.records import Outcome
from memgauge.reproduce.product_streams import PROTOCOL, shifted
from memgauge.reproduce.retold import RetoldRun, said_in
from memgauge.runs.record.bundle import unbundled
from memgauge.runs.record.store import load
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.quality import quality_columns
from memgauge.scoring.voiced import Truth
from memgauge.stats import Clusters, Interval, estimates
from memgauge.studies.context.assembled import asked, measure_lane
from memgauge.studies.context.policies import Assembly
from memgauge.studies.shift.protocol.scene import scenes
from memgauge.studies.targets.lineup import TARGETS, AuditSpec, line_up
from memgauge.text.counting import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from memgauge.datasets.base import Dataset
    from memgauge.reproduce.product_tables import ProductRow, ProductTable
    from memgauge.runs.record.store import Run
    from memgauge.studies.shift.protocol.scene import ShiftScene

    Cells = Mapping[str, Interval]

BUDGET: Final = 500
"""Tokens of a prompt, in which ten turns of LoCoMo do not always fit."""
POLICY: Final = "relevance-first"
K: Final = 10
SILENT: Final = "SilentRightly"
CONTAMINATED: Final = "Contaminated@5"
_BEHIND: Final[Mapping[str, str]] = {
    "Temporal(lenient)@5": "What holds is missing, or behind what does not, for {} of {} questions.",
    CONTAMINATED: "It shows what no longer holds to {} of {}.",
}
"""What a product could not do about time, by the measure that counts it."""


@dataclass(frozen=True)
class StudiedProduct:
    """What one row says: intervals by column, and sentences of what the product could not do."""

    cells: Cells
    unable: tuple[str, ...]
    played: tuple[str, str, str]
    """Version, models and what was changed, as its bundle says them."""


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
        dataset = open_dataset(self.ref)
        if dataset.identity.sha256 != self.sha256:
            raise IdentityError(f"{self.ref} here is not what products were played on.", "Use the published file.")
        return dataset

    @cached_property
    def gold(self) -> GoldTable:
        """Read what is right."""
        return GoldTable.read(self.dataset)

    @cached_property
    def said(self) -> Mapping[str, str]:
        """Read what was said, by the hash of every form in which a memory keeps it."""
        return said_in(turn for case in self.dataset.cases() for turn in case.conversation.turns())

    @cached_property
    def laid(self) -> Sequence[ShiftScene]:
        """Lay out the protocol of the shift study."""
        return scenes(self.dataset, PROTOCOL)

    @cached_property
    def truth(self) -> Truth:
        """Read which facts turns state."""
        return Truth.of(self.dataset)

    def around(self, values: NDArray[np.float64]) -> Interval:
        """Average what questions are worth, over conversations; what is not a number is not defined."""
        clusters = Clusters.of(np.array([question.conversation for question in self.gold.questions]))
        is_defined = ~np.isnan(values)
        (estimate,) = estimates(np.nan_to_num(values)[:, None], clusters, is_defined[:, None], shares=True)
        return estimate.interval


def studied(table: ProductTable, row: ProductRow, world: StudyWorld, results: Path) -> StudiedProduct:
    """Compute one row from what is frozen below *results*."""
    with ExitStack() as unpacked:
        files = (file for file in (row.file, row.interrupted) if file)
        runs = [load(unpacked.enter_context(unbundled(results / file))) for file in files]
        for run in runs:
            world.gold.require(run)
        first_run = runs[0]
        if table.key == "shift":
            cells, unable = shifted(runs, world.laid, world.gold, table.columns)
        else:
            cells, unable = _STUDIES[table.key](first_run, world, table.columns)
        losses = [sentence for run in runs for sentence in _lost(run)]
        return StudiedProduct(cells, (*unable, *losses), _played(first_run))


def _played(run: Run) -> tuple[str, str, str]:
    """Say which version was played, with which vectors, and what was changed to play it."""
    system = run.manifest.system
    models, interventions = (system.capabilities.get(name) or () for name in ("models", "interventions"))
    return system.version, ", ".join(models) or "none: words only", "; ".join(interventions)


def _lost(run: Run) -> Iterator[str]:
    """Say how much of its writing and of its searches failed."""
    for noun, ends in (("writes", run.counted_writes["outcome"]), ("searches", run.questions["outcome"])):
        failures = sum(not Outcome(end).valid for end in ends.tolist())
        if failures:
            yield f"{failures:,} of its {len(ends):,} {noun} failed."


def _targets(run: Run, world: StudyWorld, columns: Sequence[str]) -> tuple[Cells, list[str]]:
    lineup = line_up([run], world.gold, AuditSpec(answerable=False))
    (audited,) = lineup.runs
    cells, unable = dict[str, Interval](), list[str]()
    for column, target in zip(columns, TARGETS, strict=True):
        if audited.serves(target):
            rows = audited.rows(target)
            cells[column] = world.around(np.where(rows.defined & lineup.inside, rows.values, np.nan))
        else:
            unable.append(f"It stores nothing that {column} credits.")
    return cells, unable


def _quality(run: Run, world: StudyWorld, columns: Sequence[str]) -> tuple[Cells, list[str]]:
    columns_of_run = quality_columns(run, world.gold, columns)
    values = [
        np.where(column_rows.rows.defined, column_rows.rows.values, np.nan) for column_rows in columns_of_run
    ]
    cells = {column: world.around(column_values) for column, column_values in zip(columns, values, strict=True)}
    unable = list[str]()
    if SILENT in cells and cells[SILENT].mean == 0:
        unable.append(f"It returns something to all {cells[SILENT].n:,} questions without an answer.")
    return cells, unable


def _temporal(run: Run, world: StudyWorld, columns: Sequence[str]) -> tuple[Cells, list[str]]:
    """Value what a product shows of facts that changed: it is asked when all has been said."""
    measured_columns = dict(zip(columns, quality_columns(run, world.gold, columns), strict=True))
    values = {
        name: np.where(column_rows.rows.defined, column_rows.rows.values, np.nan)
        for name, column_rows in measured_columns.items()
    }
    unable = list[str]()
    for name, sentence in _BEHIND.items():
        if name in values and (n := int((~np.isnan(values[name])).sum())):
            n_good = int(np.nansum(values[name]))
            unable += [sentence.format(n_good if name == CONTAMINATED else n - n_good, n)]
    return {name: world.around(column_values) for name, column_values in values.items()}, unable


def _context(run: Run, world: StudyWorld, columns: Sequence[str]) -> tuple[Cells, list[str]]:
    retold = RetoldRun(run.folder, run.manifest, run.seal, run.disclosed, world.said)
    questions = asked(retold, world.dataset, world.truth, K)
    lane = measure_lane(retold, questions, Assembly(POLICY, BUDGET, DEFAULT))
    n_cut = sum(fate.loss > 0 for fate in lane.fates)
    unable = [f"It finds more than fits: {n_cut:,} of {len(lane.fates):,} prompts lose evidence."] if n_cut else []
    return {column: lane.measures[column] for column in columns}, unable


_STUDIES: Final[Mapping[str, Callable[[Run, StudyWorld, Sequence[str]], tuple[Cells, list[str]]]]] = {
    "targets": _targets,
    "quality": _quality,
    "temporal": _temporal,
    "context": _context,
}
"""What reads the bundle of a row, by study."""
