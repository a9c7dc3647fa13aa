"""A submission folder, made of sealed runs: bundles without texts, the sheet, and what stands beside it."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import ValidationError

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import ConfigError, UserError
from memgauge.misfits import first_misfit
from memgauge.records import Outcome
from memgauge.runs.record.bundle import bundle, compact_bundle
from memgauge.runs.record.files import write_atomically
from memgauge.runs.record.seal import file_hash
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.score import write_scores
from memgauge.submissions.layout import (
    BUNDLES,
    COST,
    PLAN,
    SHEET,
    STATEMENT,
)
from memgauge.submissions.packing import statement
from memgauge.submissions.packing.adapter import own_adapter
from memgauge.submissions.packing.beside import write_beside
from memgauge.submissions.packing.costs import cost_text
from memgauge.submissions.packing.grades import write_grades
from memgauge.submissions.packing.planned import plan_of
from memgauge.submissions.packing.reading import (
    contract_of,
    lane_of,
    product_sheet_of,
    runs_of_one,
    version_in_sheet,
)
from memgauge.submissions.repository import SUBMISSIONS, SubmissionFolder, settings_of
from memgauge.submissions.sheets.submission import (
    CallsPerQuestion,
    FailedCell,
    SubmissionSheet,
    SubmittedRun,
    Submitter,
)
from memgauge.submissions.sheets.writing import sheet_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from memgauge.runs.record.announced import AnnouncedPlan
    from memgauge.runs.record.store import Run
    from memgauge.submissions.packing.about import Submitted
    from memgauge.submissions.repository import Repository
    from memgauge.submissions.sheets.registry import ContractSheet


BundleForm = Literal["bare", "compact", "whole"]
"""What a bundle keeps of a run."""


@dataclass(frozen=True)
class PackedSubmission:
    """What was packed, and what is left to say."""

    folder: SubmissionFolder
    unsaid: tuple[str, ...]
    """Headings of the statement under which the submitter has to say something."""
    bytes: int


def pack(
    folders: Iterable[Path], repository: Repository, about: Submitted, out: Path, *, form: BundleForm = "bare"
) -> PackedSubmission:
    """Make the folder of a submission below *out*, which becomes that of a registry.

    *folders* are sealed runs, all of one system under one setting; the folder lies below ``submissions`` in *out*.
    The *form* ``bare`` leaves texts out; ``compact`` also tables, and keeps hashes once beside the bundles: a
    third of the space, and seconds to open; ``whole`` keeps texts, where the data's licence lets them be passed
    on, so that what a memory wrote itself can be checked.

    Raises:
        ConfigError: Something does not fit, or there is a submission of that name already.
        TamperError: A run is not as it was sealed.
    """
    runs = runs_of_one(folders)
    plan = plan_of(runs)
    sheet = _sheet(runs, plan, repository, about)
    if form == "whole":
        _require_public(sheet, repository)
    place = out / SUBMISSIONS / sheet.place
    if place.exists():
        raise ConfigError(
            f"{place} is there already: submissions are add-only.",
            "Choose another --slug; to correct one, name it with --supersedes.",
        )
    place.parent.mkdir(parents=True, exist_ok=True)
    making = place.with_name(f".{place.name}.making")
    shutil.rmtree(making, ignore_errors=True)
    (making / BUNDLES).mkdir(parents=True)
    try:
        write_contract_scores(runs, repository.contracts[sheet.contract])
        packed = tuple(_packed(run, named, making, form) for run, named in zip(runs, sheet.runs, strict=True))
        grades = write_grades(runs, packed, making)
        write_atomically(making / SHEET, sheet_text(sheet.model_copy(update={"runs": packed, "grades": grades})))
        if plan is not None:
            write_atomically(making / PLAN, plan.text)
        write_atomically(making / COST, cost_text(runs, packed))
        write_beside(runs, repository.products[sheet.product], about, making)
        making.replace(place)
    finally:
        shutil.rmtree(making, ignore_errors=True)
    size = sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
    text = (place / STATEMENT).read_text("utf-8")
    return PackedSubmission(SubmissionFolder(out, place), statement.unsaid(text), size)


_UNKNOWN: Final = "0" * 64
"""Stands for the digest of a bundle until it is packed."""


def _sheet(
    runs: Sequence[Run], plan: AnnouncedPlan | None, repository: Repository, about: Submitted
) -> SubmissionSheet:
    run, missing = runs[0], list[UserError]()
    product = _known(
        missing, lambda: _registered(repository.products, about.product) or product_sheet_of(run, repository)
    )
    lane = _known(missing, lambda: _registered(repository.lanes, about.lane) or lane_of(run, repository))
    contract = _known(
        missing, lambda: _registered(repository.contracts, about.contract) or contract_of(runs, repository)
    )
    adapter = about.adapter or _known(missing, lambda: own_adapter(run))
    if missing:
        raise ConfigError(" ".join(each.what for each in missing), " ".join(each.remedy for each in missing))
    version = version_in_sheet(run.manifest.system.version)
    try:
        return SubmissionSheet(
            schema=SubmissionSheet.SCHEMA,
            id=f"{product.name}-{version}/{about.on:%Y%m%d}-{about.who}-{about.slug}",
            product=product.name,
            version=version,
            label=about.label or run.label,
            rules=about.rules or repository.newest_rules,
            division=about.division,
            category=product.category,
            lane=lane.name,
            contract=contract.name,
            submitter=Submitter(github=about.who, relation=about.relation),
            adapter=adapter,
            reproduce="memgauge results reproduce .",
            plan=plan.digest if plan else "",
            tuned_on=about.tuned_on,
            calls_per_question=CallsPerQuestion(search=1, model=about.model_calls),
            supersedes=about.supersedes,
            licence=about.licence,
            sign_off=about.who,
            runs=tuple(_named(runs)),
            failed=tuple(_failed(plan, runs, about)) if plan else (),
        )
    except ValidationError as error:
        raise ConfigError(f"{SHEET}: {first_misfit(error)}.", "Say another.") from error


def _known(missing: list[UserError], look: Callable[[], Any]) -> Any:
    """Return what is looked for; note what is missing, so that everything is named at once."""
    try:
        return look()
    except UserError as error:
        missing.append(error)
        return None


def _registered(known: Any, name: str) -> Any:
    """Return what is registered under a name that was given.

    Raises:
        ConfigError: Nothing is.
    """
    if name and name not in known:
        raise ConfigError(f"{name!r} is not registered.", f"Registered are {', '.join(known) or 'none'}.")
    return known.get(name)


def _failed(plan: AnnouncedPlan, runs: Sequence[Run], about: Submitted) -> Iterator[FailedCell]:
    """Name the cells of the plan that are of this system and have no run here."""
    ref = runs[0].manifest.system.ref
    for cell in plan.covers(run.manifest for run in runs):
        if cell.system.ref == ref:
            seeded = f"{cell.dataset.ref} seed {cell.seed}"
            why = about.failed.get(seeded) or about.failed.get(cell.dataset.ref) or "there is no sealed run of it"
            yield FailedCell(dataset=cell.dataset.ref, seed=cell.seed, why=why)


def _named(runs: Sequence[Run]) -> Iterator[SubmittedRun]:
    for run in runs:
        manifest, outcomes = run.manifest, run.questions["outcome"].tolist()
        name = re.sub(r"[^a-z0-9]+", "-", manifest.dataset.ref.rpartition("/")[2].lower()).strip("-")
        yield SubmittedRun(
            dataset=f"{manifest.dataset.ref}@{manifest.dataset.sha256[:12]}",
            first=manifest.conversations,
            seed=manifest.seed,
            bundle=f"{BUNDLES}/{name}.{manifest.seed}.zip",
            sha256=_UNKNOWN,
            questions=len(outcomes),
            errors=sum(not Outcome(outcome).valid for outcome in outcomes),
        )


def _require_public(sheet: SubmissionSheet, repository: Repository) -> None:
    """Refuse to pack texts of data that belong to others.

    Raises:
        ConfigError: A dataset's texts may not be passed on.
    """
    for run in sheet.runs:
        dataset = repository.dataset_of(run)
        if dataset is None or not dataset.texts_public:
            why = dataset.licence if dataset else "unregistered"
            raise ConfigError(
                f"The texts of {run.dataset_ref} may not be passed on ({why}).", "Pack without --with-text."
            )


def write_contract_scores(runs: Sequence[Run], contract: ContractSheet) -> None:
    """Write the scores of runs beside them, so that whoever has the data can see that they follow from the rows.

    Raises:
        DataNotFoundError: The dataset is not at hand.
    """
    settings = settings_of(contract)
    for ref in dict.fromkeys(run.manifest.dataset.ref for run in runs):
        gold = GoldTable.read(open_dataset(ref, allow_unpinned=True))
        for run in runs:
            if run.manifest.dataset.ref == ref:
                write_scores(run, gold, settings)


def _packed(run: Run, named: SubmittedRun, folder: Path, form: BundleForm) -> SubmittedRun:
    target = folder / named.bundle
    if form == "compact":
        compact_bundle(run.folder, target)
    else:
        bundle(run.folder, target, without_text=form == "bare")
    return named.model_copy(update={"sha256": file_hash(target)})
