"""Every kind of sheet: its model, and where such files lie in a registry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.submissions.sheets.claim import ClaimSheet
from memgauge.submissions.sheets.grades import GradesSheet
from memgauge.submissions.sheets.pointer import PointerSheet
from memgauge.submissions.sheets.registry import (
    BoardSheet,
    ContractSheet,
    DatasetSheet,
    JudgeSheet,
    LaneSheet,
    ProductSheet,
)
from memgauge.submissions.sheets.submission import SubmissionSheet
from memgauge.submissions.sheets.verdicts import ObjectionSheet, VerificationSheet, WithdrawalSheet

if TYPE_CHECKING:
    from memgauge.submissions.sheets.base import Sheet


@dataclass(frozen=True)
class SheetKind:
    """One kind of sheet."""

    name: str
    model: type[Sheet]
    pattern: str
    """Where such files lie, below the root of a registry."""


KINDS: tuple[SheetKind, ...] = (
    SheetKind("product", ProductSheet, "registry/products/*.toml"),
    SheetKind("lane", LaneSheet, "registry/lanes/*.toml"),
    SheetKind("contract", ContractSheet, "registry/contracts/*.toml"),
    SheetKind("dataset", DatasetSheet, "registry/datasets/*.toml"),
    SheetKind("judge", JudgeSheet, "registry/judges/*.toml"),
    SheetKind("board", BoardSheet, "boards/*.toml"),
    SheetKind("submission", SubmissionSheet, "submissions/*/*/*/submission.toml"),
    SheetKind("pointer", PointerSheet, "submissions/*/*/*/bundles/*.pointer.toml"),
    SheetKind("grades", GradesSheet, "submissions/*/*/*/grades.json"),
    SheetKind("verification", VerificationSheet, "verifications/*/*/*/*.toml"),
    SheetKind("objection", ObjectionSheet, "objections/*.toml"),
    SheetKind("withdrawal", WithdrawalSheet, "withdrawn/*/*/*.toml"),
    SheetKind("claim", ClaimSheet, "claims/*/*.toml"),
)
"""A new kind of sheet is one module and one line here."""
