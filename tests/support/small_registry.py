"""A small registry for tests of rows, boards and pages: invented products over two lanes."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

from bench.registry import LANES, make_registry
from memgauge.submissions.layout import SHEET
from memgauge.submissions.repository import Repository
from memgauge.submissions.sheets.registry import BoardSheet, DatasetSheet, JudgeSheet, LaneSheet, ProductSheet
from memgauge.submissions.sheets.submission import SubmissionSheet
from memgauge.submissions.sheets.verdicts import ObjectionSheet, WithdrawalSheet
from memgauge.submissions.sheets.writing import sheet_text
from memgauge.systems.conformance.shipped import shipped_cards

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memgauge.submissions.sheets.base import Sheet
    from memgauge.submissions.site.registry_view import RegistryView

    ViewOf = Callable[[Path], RegistryView]
    """Computes everything that the site of a registry shows."""

SUBMISSIONS = 6
RUNS = 2
BOARD = f"tiny-{LANES[0]}-tokens.1"
"""A board on which four settings of one product stand, and bm25."""


def make_small_registry(folder: Path) -> None:
    """Write six submissions of a product with two runs each, boards of cards, and a card that fails."""
    make_registry(folder, SUBMISSIONS, runs=RUNS)
    judge = {"schema": JudgeSheet.SCHEMA, "name": "somebody", "model": "somebody", "prompt_sha256": "0" * 64}
    write(folder, "registry/judges", JudgeSheet.model_validate(judge))
    answers = {"contract": "tiny", "dataset": "tiny", "judge": "somebody"}
    for kind, more in (("golden", {}), ("isolation", {}), ("lag", {}), ("answers", answers)):
        about = {"schema": BoardSheet.SCHEMA, "name": f"{kind}.1", "title": f"Checks: {kind}", "kind": kind}
        write(folder, "boards", BoardSheet.model_validate(about | {"division": "open", "lane": LANES[0]} | more))
    card = next(card for card in shipped_cards() if card.ref == "chroma")
    write_card(folder_of(folder, 0), card)


def write(root: Path, place: str, sheet: Sheet) -> None:
    """Write a sheet under its name."""
    (root / place).mkdir(parents=True, exist_ok=True)
    (root / place / f"{sheet.name}.toml").write_text(sheet_text(sheet), "utf-8")  # type: ignore[attr-defined]


def write_card(folder: Path, card: Any) -> None:
    """Put a card beside a submission, of a system that has no stand-ins."""
    from dataclasses import replace

    from memgauge.results import plain
    from memgauge.show.exports import data_text
    from memgauge.systems.conformance.kinds import MATRIX
    from memgauge.systems.conformance.matrix import matrix_of

    bare = replace(card, capabilities={**card.capabilities, "interventions": [], "stand_ins": []})
    (folder / "card.json").write_text(data_text(plain(MATRIX.of(matrix_of([bare])))), "utf-8")


def copied(source: Path, target: Path) -> Path:
    """Copy a registry, so that a test can change it."""
    return shutil.copytree(source, target)


def folder_of(root: Path, number: int) -> Path:
    """Return the folder of a submission by its number."""
    (folder,) = (root / "submissions").glob(f"product-*/*/*-n{number:04d}")
    return folder


def id_of(root: Path, number: int) -> str:
    """Return the id of a submission by its number."""
    folder = folder_of(root, number)
    return next(each.id for each in Repository.at(root).submissions() if each.folder == folder)


def change(root: Path, number: int, **fields: Any) -> str:
    """Write a submission's sheet with other fields, and return its id."""
    path = folder_of(root, number) / SHEET
    folder = next(each for each in Repository.at(root).submissions() if each.folder == path.parent)
    data = folder.sheet.model_dump(by_alias=True) | fields
    path.write_text(sheet_text(SubmissionSheet.model_validate(data)), "utf-8")
    return folder.id


def withdraw(root: Path, number: int) -> str:
    """Put a tombstone on a submission, and return its id."""
    name = id_of(root, number)
    about = {"schema": WithdrawalSheet.SCHEMA, "submission": name, "reason": "It was a mistake.", "by": "ann"}
    path = root / "withdrawn" / folder_of(root, number).relative_to(root / "submissions")
    path = path.with_suffix(".toml") if not path.suffix else path.with_name(f"{path.name}.toml")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(sheet_text(WithdrawalSheet.model_validate(about | {"on": "2027-02-01"})), "utf-8")
    return name


def object_to(root: Path, number: int, decision: str, **fields: Any) -> str:
    """Raise an objection that is decided, and return the id of whose rows it is about."""
    name = id_of(root, number)
    about = {"schema": ObjectionSheet.SCHEMA, "number": 1, "submission": name, "rule": "Tuning", "by": "bob"}
    decided = {"decision": decision, "decided_on": "2027-02-03", "decided_by": ["cleo", "dan"]}
    said = {"claim": "It saw the test split.", "raised_on": "2027-02-01"}
    (root / "objections").mkdir(exist_ok=True)
    sheet = ObjectionSheet.model_validate(about | said | decided | fields)
    (root / "objections" / "1.toml").write_text(sheet_text(sheet), "utf-8")
    return name


def rewrite(
    root: Path, place: str, model: type[DatasetSheet | JudgeSheet | LaneSheet | ProductSheet], **fields: Any
) -> None:
    """Write a sheet of the registry with other fields."""
    from memgauge.submissions.sheets.base import read_sheet

    sheet = read_sheet(model, root / place)
    (root / place).write_text(sheet_text(model.model_validate(sheet.model_dump(by_alias=True) | fields)), "utf-8")
