"""What is checked: one submission in a registry as it would be, with what changed, and its bundles opened once."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import MemgaugeError, UserError
from memgauge.runs.record.bundle import unbundled
from memgauge.runs.record.store import load
from memgauge.submissions.layout import SHEET
from memgauge.submissions.sheets.base import inspect_sheet
from memgauge.submissions.sheets.submission import SubmissionSheet

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date
    from pathlib import Path

    from memgauge.datasets.base import Dataset
    from memgauge.runs.record.store import Run
    from memgauge.submissions.repository import Repository, SubmissionFolder
    from memgauge.submissions.sheets.base import SheetProblem
    from memgauge.submissions.sheets.registry import DatasetSheet, ProductSheet
    from memgauge.submissions.sheets.submission import SubmittedRun


@dataclass(frozen=True)
class PathChange:
    """One path that differs from the base."""

    path: str
    """Below the root of the registry; ``../`` before what lies outside of it."""
    kind: Literal["added", "changed", "removed"]


@dataclass(frozen=True, eq=False)
class OpenedBundle:
    """One bundle of a submission, opened."""

    named: SubmittedRun
    file: str
    """How findings call it."""
    folder: Path | None
    run: Run | None
    problem: str = ""
    """Why it could not be opened."""


@dataclass(frozen=True, eq=False)
class Subject:
    """One submission, and everything that checks read of it, read once."""

    repository: Repository
    submission: SubmissionFolder
    changes: tuple[PathChange, ...] | None = None
    """Against the base; ``None`` where none was named."""
    against: Path | None = None
    """Folder of a site that was built before; ``None`` where none was named."""
    today: date | None = None
    """By which a day is yet to come; ``None`` where nobody looks at a clock."""
    _open: ExitStack = field(default_factory=ExitStack)
    _datasets: dict[str, Dataset | UserError] = field(default_factory=dict)

    @cached_property
    def read(self) -> SubmissionSheet | tuple[SheetProblem, ...]:
        """The sheet, or everything that is wrong with it."""
        return inspect_sheet(SubmissionSheet, self.submission.folder / SHEET, SHEET, self.submission.root)

    @property
    def sheet(self) -> SubmissionSheet:
        """The sheet, for checks that are only made where there is one."""
        assert isinstance(self.read, SubmissionSheet)  # noqa: S101 - what a check reads is looked at before
        return self.read

    @property
    def product(self) -> ProductSheet | None:
        """The product in the registry; ``None`` where it is not registered."""
        return self.repository.products.get(self.sheet.product)

    @cached_property
    def bundles(self) -> tuple[OpenedBundle, ...]:
        """Every bundle that the sheet names, opened as far as it can be."""
        return tuple(map(self._opened, self.sheet.runs))

    @property
    def runs(self) -> Iterator[tuple[OpenedBundle, Run]]:
        """Yield the bundles that could be opened, each with its run."""
        for bundle in self.bundles:
            if bundle.run is not None:
                yield bundle, bundle.run

    @property
    def others(self) -> Iterator[SubmissionFolder]:
        """Yield every other submission of the registry."""
        return (each for each in self.repository.submissions() if each.folder != self.submission.folder)

    def registered(self, run: SubmittedRun) -> DatasetSheet | None:
        """Find the registered dataset of a run."""
        return self.repository.dataset_of(run)

    def dataset(self, run: SubmittedRun) -> Dataset | UserError:
        """Open the dataset that a run names, or say why it is not at hand."""
        ref = run.dataset_ref
        if ref not in self._datasets:
            try:
                self._datasets[ref] = open_dataset(ref, allow_unpinned=True)
            except UserError as error:
                self._datasets[ref] = error
        return self._datasets[ref]

    def _opened(self, run: SubmittedRun) -> OpenedBundle:
        try:
            folder = self._open.enter_context(unbundled(self.submission.bundle_of(run)))
            return OpenedBundle(run, run.bundle, folder, load(folder, altered=True))
        except MemgaugeError as error:
            return OpenedBundle(run, run.bundle, None, None, str(error))


@contextmanager
def subject_of(
    repository: Repository,
    submission: SubmissionFolder,
    changes: tuple[PathChange, ...] | None = None,
    against: Path | None = None,
    today: date | None = None,
) -> Iterator[Subject]:
    """Give a submission to be checked; what is unpacked for it is removed afterwards."""
    with ExitStack() as stack:
        yield Subject(repository, submission, changes, against, today, stack)
