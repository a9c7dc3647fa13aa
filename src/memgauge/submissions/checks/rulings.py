"""What a check says of a submission: a ruling, with the file and the field that it is about, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from memgauge.submissions.sheets.base import SheetProblem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memgauge.submissions.checks.subject import Subject


class Ruling(StrEnum):
    """How one thing was found."""

    PASS = "pass"  # noqa: S105 - no secret
    ASK = "ask"
    """A question to the submitter; it keeps nothing out."""
    CANNOT = "cannot"
    """It could not be looked at here; nothing is said of it."""
    REFUSE = "refuse"


@dataclass(frozen=True)
class CheckFinding(SheetProblem):
    """One thing that a check found; files are below the root of the registry, or below the submission."""

    ruling: Ruling = Ruling.REFUSE

    @classmethod
    def of(cls, problem: SheetProblem) -> CheckFinding:
        """Refuse for what is wrong with a sheet."""
        return cls(**vars(problem))


def refuse(file: str, what: str, remedy: str, field: str = "") -> CheckFinding:
    """Keep a submission out, and say what mends it."""
    return CheckFinding(file, field, what, remedy)


def ask(file: str, what: str, remedy: str, field: str = "") -> CheckFinding:
    """Put a question to the submitter."""
    return CheckFinding(file, field, what, remedy, Ruling.ASK)


def cannot(file: str, what: str, remedy: str = "", field: str = "") -> CheckFinding:
    """Say that something was not looked at."""
    return CheckFinding(file, field, what, remedy, Ruling.CANNOT)


@dataclass(frozen=True)
class SubmissionCheck:
    """One check of the rules."""

    id: str
    title: str
    look: Callable[[Subject], Iterator[CheckFinding]]
    """Yields nothing where all is well."""
    reads: str = "sheet"
    """What has to be readable first: nothing (empty), the ``sheet``, or the ``bundles``."""
