"""The ledger: every run of a registry with its row, which was kept or is derived anew, in several processes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Final

from memgauge.collecting import uncollected
from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import DataNotFoundError, UserError
from memgauge.missing import MissingParts
from memgauge.runs.record.seal import file_hash
from memgauge.scoring.gold import GoldTable
from memgauge.submissions.rows.keeping import RowKey, contract_key, keep_row, kept_row
from memgauge.submissions.rows.reading import read_bundle
from memgauge.submissions.rows.repeated import judged_verifications
from memgauge.workers import worker_pool

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from memgauge.submissions.repository import Repository, SubmissionFolder
    from memgauge.submissions.rows.repeated import JudgedVerification
    from memgauge.submissions.rows.run_row import ValuedRow
    from memgauge.submissions.sheets.registry import ContractSheet, DatasetSheet
    from memgauge.submissions.sheets.submission import SubmittedRun

FEW: Final = 8
"""Bundles that are read before a second process is worth its start."""


@dataclass(frozen=True, eq=False)
class LedgerRun:
    """One run of one submission, with its row or the reason why it has none."""

    run: SubmittedRun
    dataset: DatasetSheet | None
    valued: ValuedRow | None
    problem: str = ""


@dataclass(frozen=True, eq=False)
class Ledger:
    """Every run of a registry."""

    runs: Mapping[str, tuple[LedgerRun, ...]]
    """By submission, in the order of its sheet."""
    datasets: Mapping[str, DatasetSheet]
    verifications: Mapping[str, tuple[JudgedVerification, ...]]
    """By submission, those that count and those that do not."""

    @cached_property
    def golds(self) -> Mapping[str, GoldTable]:
        """The gold of every dataset that has a row, by name."""
        named = {run.dataset.name: run.dataset.ref for runs in self.runs.values() for run in runs if run.dataset}
        return {name: gold_of(ref) for name, ref in sorted(named.items())}


@dataclass(frozen=True)
class _BundleTask:
    """One bundle to be read, in terms that another process understands."""

    path: Path
    key: RowKey
    ref: str
    contract: ContractSheet


def read_ledger(repository: Repository, folders: Sequence[SubmissionFolder], cache: Path, jobs: int = 1) -> Ledger:
    """Give every run of *folders* its row.

    Rows are kept in *cache*, where they are found again by what they follow from, and by nothing else. How many
    *jobs* there are changes no row.

    Raises:
        DataNotFoundError: A dataset is not at hand, or not as it is registered.
    """
    _require(repository, folders)
    planned = {
        (folder.id, place): _task(repository, folder, run)
        for folder in folders
        for place, run in enumerate(folder.sheet.runs)
    }
    tasks = {task.key.digest: task for task in planned.values() if isinstance(task, _BundleTask)}
    rows = _rows(list(tasks.values()), cache, jobs)
    return Ledger(
        {
            folder.id: tuple(
                _ledger_run(repository, run, planned[folder.id, place], rows)
                for place, run in enumerate(folder.sheet.runs)
            )
            for folder in folders
        },
        repository.datasets,
        {folder.id: judged_verifications(repository, folder, gold_of, cache) for folder in folders},
    )


def _ledger_run(
    repository: Repository, run: SubmittedRun, task: _BundleTask | str, rows: Mapping[str, ValuedRow | str]
) -> LedgerRun:
    row = task if isinstance(task, str) else rows[task.key.digest]
    dataset = repository.dataset_of(run)
    return LedgerRun(run, dataset, None, row) if isinstance(row, str) else LedgerRun(run, dataset, row)


def _require(repository: Repository, folders: Iterable[SubmissionFolder]) -> None:
    """Make sure that every dataset is at hand as it is registered: without it rows would silently be absent."""
    named = {
        sheet.name: sheet
        for folder in folders
        for run in folder.sheet.runs
        if (sheet := repository.dataset_of(run))
    }
    missing = MissingParts()
    golds = missing.opened({sheet.ref: None for sheet in named.values()}, gold_of)
    missing.require()
    for sheet in named.values():
        at_hand = golds[sheet.ref].identity.sha256
        if at_hand != sheet.sha256 and sheet.status != "retired":
            raise DataNotFoundError(
                f"{sheet.ref} at hand is {at_hand[:12]}, and {sheet.name} of the registry is {sheet.sha256[:12]}.",
                "Fetch the file that is registered, or register the new one under a name of its own.",
            )


@lru_cache(maxsize=8)
def gold_of(ref: str) -> GoldTable:
    """Open a dataset once in a process."""
    return GoldTable.read(open_dataset(ref, allow_unpinned=True))


def _task(repository: Repository, folder: SubmissionFolder, run: SubmittedRun) -> _BundleTask | str:
    """Say which bundle is to be read, or why none can be."""
    dataset, contract = repository.dataset_of(run), repository.contracts.get(folder.sheet.contract)
    if dataset is None:
        return f"its dataset {run.dataset} is not registered"
    if contract is None:
        return f"its contract {folder.sheet.contract} is not registered"
    try:
        path = folder.bundle_of(run)
        digest = file_hash(path)
    except UserError as error:
        return error.what
    except OSError as error:
        return f"{run.bundle} cannot be read: {error.strerror}"
    if digest != run.sha256:
        return f"{run.bundle} is not the file that its sheet names: it is {digest[:12]}, not {run.sha256[:12]}"
    key = RowKey(digest, dataset.sha256, dataset.first, contract_key(contract))
    return _BundleTask(path, key, dataset.ref, contract)


def _rows(tasks: Sequence[_BundleTask], cache: Path, jobs: int) -> dict[str, ValuedRow | str]:
    rows: dict[str, ValuedRow | str] = {}
    for task in tasks:
        if (cached_row := kept_row(cache, task.key)) is not None:
            rows[task.key.digest] = cached_row
    left = [task for task in tasks if task.key.digest not in rows]
    read = partial(_read, cache)
    if jobs < 2 or len(left) < FEW:
        made = list(map(read, left))
    else:
        with worker_pool(min(jobs, len(left))) as pool:
            made = list(pool.map(read, left, chunksize=4))
    return rows | {task.key.digest: row for task, row in zip(left, made, strict=True)}


@uncollected()
def _read(cache: Path, task: _BundleTask) -> ValuedRow | str:
    try:
        made = read_bundle(task.path, gold_of(task.ref), task.contract, task.key.first)
    except UserError as error:
        return error.what
    return keep_row(cache, task.key, made)
