"""S3 and S4: every file is one that is known, of its kind and size, and every archive opens within bounds."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from memgauge.errors import MalformedDataError, MemgaugeError
from memgauge.misfits import first_misfit
from memgauge.runs.record.announced import AnnouncedPlan
from memgauge.runs.record.compact import SHARED
from memgauge.runs.record.cost import CostRecord
from memgauge.runs.record.seal import file_hash
from memgauge.show.numbers import in_bytes
from memgauge.submissions.checks.grades import grades_as_named
from memgauge.submissions.checks.members import shared_hashes, strangers_in
from memgauge.submissions.checks.rulings import CheckFinding, cannot, refuse
from memgauge.submissions.checks.tables import beside_rows
from memgauge.submissions.layout import (
    ALWAYS,
    BUNDLES,
    CARD,
    CONFIG,
    COST,
    ENVIRONMENT,
    KNOWN,
    PLAN,
    POINTER,
    PRODUCT,
    SHEET,
)
from memgauge.submissions.opening import FILE_BYTES, own
from memgauge.submissions.packing.costs import SCHEMA as COSTS
from memgauge.submissions.sheets.base import inspect_sheet
from memgauge.submissions.sheets.pointer import PointerSheet
from memgauge.systems.conformance.matrix import read_cards
from memgauge.text.jsons import json_of
from memgauge.text.untrusted import text_file, toml_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memgauge.submissions.checks.subject import Subject
    from memgauge.submissions.repository import SubmissionFolder

WHOLE_BYTES: Final = 50 << 20


def files_of_their_kind(subject: Subject) -> Iterator[CheckFinding]:
    """S3: nothing is missing, nothing is unknown, nothing is too large, and each file reads as what it is."""
    folder = subject.submission.folder
    paths = sorted(folder.rglob("*"))
    yield from _strays(subject, paths)
    sizes = {path: path.lstat().st_size for path in paths if path.is_file() and not path.is_symlink()}
    for path, size in sizes.items():
        if size > FILE_BYTES:
            yield refuse(
                _named(subject, path),
                f"has {in_bytes(size)}.",
                f"Up to {FILE_BYTES >> 20} MiB a file; leave a pointer.",
            )
    if sum(sizes.values()) > WHOLE_BYTES:
        yield refuse(
            subject.submission.place,
            f"has {sum(sizes.values()) / 1e6:.0f} MB.",
            f"Up to {WHOLE_BYTES >> 20} MiB in all.",
        )
    if isinstance(subject.read, tuple):
        yield from map(CheckFinding.of, subject.read)
    for name in ALWAYS:
        if name != SHEET and not subject.submission.has(name):
            yield refuse(name, "is missing.", "`memgauge results pack` writes it.")
    for name in (CARD, COST, PLAN, ENVIRONMENT, CONFIG, PRODUCT):
        if subject.submission.has(name):
            yield from _read(subject.submission, name)
    yield from grades_as_named(subject)
    if not isinstance(subject.read, tuple):
        yield from _digests(subject)


def archives_that_open(subject: Subject) -> Iterator[CheckFinding]:
    """S4: no bundle names what lies outside of it, or unpacks to more than a run can be."""
    for bundle in subject.bundles:
        if bundle.problem:
            yield refuse(bundle.file, f"cannot be opened: {bundle.problem}", "Pack its run again.")
        else:
            yield from strangers_in(subject.submission.bundle_of(bundle.named), bundle.file)
            if bundle.folder is not None:
                yield from beside_rows(bundle.folder, bundle.file)
    if all(bundle.run for bundle in subject.bundles):
        yield from shared_hashes(subject)


def _named(subject: Subject, path: Path) -> str:
    return path.relative_to(subject.submission.folder).as_posix()


def _strays(subject: Subject, paths: list[Path]) -> Iterator[CheckFinding]:
    """Refuse links, what nobody asked for, and bundles that the sheet does not name."""
    sheet = subject.read
    listed = None if isinstance(sheet, tuple) else {run.bundle for run in sheet.runs}
    for path in paths:
        name = _named(subject, path)
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            yield refuse(name, "is no file of its own.", "Put the file itself there, and no link.")
        elif path.is_dir():
            if name != BUNDLES:
                yield refuse(name, "is a folder that nobody asked for.", f"Only {BUNDLES} lies in a submission.")
        elif name in KNOWN or name == f"{BUNDLES}/{SHARED}":
            continue
        elif not name.startswith(f"{BUNDLES}/"):
            yield refuse(name, "is a file that nobody asked for.", f"A submission has {', '.join(KNOWN)}.")
        elif listed is not None and name not in listed:
            yield refuse(
                name, "is a bundle that the sheet does not name.", "Name it under [[runs]], or take it out."
            )


def _read(submission: SubmissionFolder, name: str) -> Iterator[CheckFinding]:
    """Refuse a file that does not read as what it is called."""
    try:
        path = submission.file(name)
        if name == CARD:
            read_cards(path)
        elif name == PLAN:
            AnnouncedPlan.read(path)
        elif name == COST:
            costs_of(path)
        elif path.suffix == ".json":
            json_of(text_file(path))
        else:
            toml_of(text_file(path))
    except ValidationError as error:
        misfit = first_misfit(error)
        yield refuse(name, f"{misfit.reason}.", "Pack it again.", misfit.place)
    except (MemgaugeError, ValueError, KeyError, TypeError, AttributeError, tomllib.TOMLDecodeError) as error:
        yield refuse(name, f"does not read as what it is: {error}", "Pack it again.")


def costs_of(path: Path) -> dict[str, CostRecord | None]:
    """Read the costs of a submission, by bundle.

    Raises:
        ValueError: It is no such file, or names a bundle twice.
    """
    data: Any = json_of(text_file(path))
    if data.get("schema") != COSTS or set(data) != {"schema", "runs"}:
        raise ValueError(f"it is no {COSTS}")
    records = {
        each["bundle"]: None if each["cost"] is None else CostRecord.model_validate(each["cost"])
        for each in data["runs"]
    }
    if len(records) != len(data["runs"]):
        raise ValueError("it names a bundle twice")
    return records


def _digests(subject: Subject) -> Iterator[CheckFinding]:
    """Refuse bundles that are not there, or that are not those of the sheet."""
    for number, run in enumerate(subject.sheet.runs):
        path = subject.submission.folder / run.bundle
        try:
            own(subject.submission.root, path, None)
        except MalformedDataError:
            yield refuse(
                run.bundle, "is missing.", "Add it, or take its run out of the sheet.", f"runs.{number}.bundle"
            )
            continue
        if path.name.endswith(POINTER):
            pointer = inspect_sheet(PointerSheet, path, run.bundle, subject.submission.root)
            if isinstance(pointer, tuple):
                yield from map(CheckFinding.of, pointer)
                continue
            if pointer.url:
                yield cannot(
                    run.bundle, f"leads to {pointer.url}, which is not fetched here.", "Whoever checks fetches it."
                )
                continue
            path = subject.repository.root / pointer.path
            try:
                own(subject.repository.root, path, None)
            except MalformedDataError:
                yield refuse(
                    run.bundle, f"leads to {pointer.path}, where no bundle lies.", "Mend the path.", "path"
                )
                continue
            if path.stat().st_size != pointer.bytes or file_hash(path) != pointer.sha256:
                yield refuse(
                    run.bundle, f"is not of what lies at {pointer.path}.", "Write its bytes and sha256.", "sha256"
                )
        if file_hash(path) != run.sha256:
            yield refuse(
                SHEET,
                f"is not the sha256 of {run.bundle}.",
                "Pack again; nobody edits a bundle.",
                f"runs.{number}.sha256",
            )
