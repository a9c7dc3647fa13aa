"""What a check says of a submission: a ruling, with the file and the field that it is about, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memgauge.submissions.checks.subject import Subject
    from memgauge.submissions.sheets.base import SheetProblem


class Ruling(StrEnum):
    """How one thing was found."""

    PASS = "pass"  # noqa: S105 - no secret
    ASK = "ask"
    """A question to the submitter; it keeps nothing out."""
    CANNOT = "cannot"
    """It could not be looked at here; nothing is said of it."""
    REFUSE = "refuse"


@dataclass(frozen=True)
class CheckFinding:
    """One thing that a check found."""

    ruling: Ruling
    file: str
    """Below the root of the registry, or below the submission."""
    what: str
    field: str = ""
    remedy: str = ""

    @classmethod
    def of(cls, problem: SheetProblem) -> CheckFinding:
        """Refuse for what is wrong with a sheet."""
        return cls(Ruling.REFUSE, problem.file, problem.what, problem.field, problem.remedy)

    def __str__(self) -> str:
        place = f"{self.file}: {self.field}" if self.field else self.file
        return f"{place}: {self.what}" + (f" {self.remedy}" if self.remedy else "")


def refuse(file: str, what: str, remedy: str, field: str = "") -> CheckFinding:
    """Keep a submission out, and say what mends it."""
    return CheckFinding(Ruling.REFUSE, file, what, field, remedy)


def ask(file: str, what: str, remedy: str, field: str = "") -> CheckFinding:
    """Put a question to the submitter."""
    return CheckFinding(Ruling.ASK, file, what, field, remedy)


def cannot(file: str, what: str, remedy: str = "", field: str = "") -> CheckFinding:
    """Say that something was not looked at."""
    return CheckFinding(Ruling.CANNOT, file, what, field, remedy)


@dataclass(frozen=True)
class SubmissionCheck:
    """One check of the rules."""

    id: str
    title: str
    look: Callable[[Subject], Iterator[CheckFinding]]
    """Yields nothing where all is well."""
    reads: str = "sheet"
    """What has to be readable first: nothing (empty), the ``sheet``, or the ``bundles``."""
