"""Sheets of those who look at a submission: verifications, objections, withdrawals, and credit for the work."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from memgauge.submissions.sheets.base import Day, Digest, Handle, Line, Sheet, SheetPart


class Verifier(SheetPart):
    """Who looked, and what they have to do with the product or the submitter."""

    github: Handle
    relation: Literal["none", "vendor", "competitor", "memgauge-author", "submitter"]


class PairedResult(SheetPart):
    """The repetition beside the submission, question by question."""

    measure: Line
    difference: float
    interval: tuple[float, float]
    margin: float = Field(gt=0)
    questions: int = Field(ge=1)

    @property
    def equivalent(self) -> bool:
        """Whether the whole interval lies within the margin: less than that is not agreement."""
        low, high = self.interval
        return -self.margin <= low and high <= self.margin


class VerificationSheet(Sheet):
    """What somebody did to see whether a submission holds."""

    SCHEMA: ClassVar[str] = "memgauge.verification/1"

    submission: str
    level: int = Field(ge=3, le=5)
    """What was done, not what is wished; the levels below are computed."""
    by: Verifier
    on: Day
    command: Line
    same_lock: bool
    outcome: Literal["agrees", "differs", "could-not-run"]
    paired: PairedResult | None = None
    bundle: str = ""
    """Of the repetition, beside this file."""
    sha256: Digest | Literal[""] = ""
    compliance: dict[str, Literal["as-it-must-be", "differs", "could-not-run"]] = Field(default_factory=dict)
    """By test; level 5 has them all."""
    deviations: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _says_what_it_shows(self) -> Self:
        if self.outcome == "agrees" and (self.paired is None or not self.paired.equivalent):
            raise ValueError("outcome is 'agrees', and no paired interval lies within its margin")
        if self.outcome == "could-not-run" and self.paired is not None:
            raise ValueError("outcome is 'could-not-run', and a paired result is given")
        return self


class ObjectionSheet(Sheet):
    """Somebody's reason to doubt a row, in the open, with its dates."""

    SCHEMA: ClassVar[str] = "memgauge.objection/1"

    number: int = Field(ge=1)
    submission: str
    rule: Line
    """Heading of the rule that is said to be broken."""
    rows: str = ""
    """Which runs or boards it is about; all where it is empty."""
    by: Handle
    claim: str = Field(min_length=1, max_length=4000)
    raised_on: Day
    reply: str = Field(default="", max_length=4000)
    replied_on: Day | Literal[""] = ""
    decision: Literal["", "none", "footnote", "move-to-open", "level-lowered", "removed"] = ""
    """Empty while it is open."""
    footnote: str = ""
    level: int | None = Field(default=None, ge=0, le=5)
    """The level that is left, where it was lowered."""
    decided_on: Day | Literal[""] = ""
    decided_by: tuple[Handle, ...] = ()

    @model_validator(mode="after")
    def _is_decided_in_whole(self) -> Self:
        if bool(self.decision) != bool(self.decided_on):
            raise ValueError("a decision has a day, and only a decision has one")
        if self.decision and len(set(self.decided_by)) < 2:
            raise ValueError("a decision needs two maintainers in decided_by")
        if self.decision == "level-lowered" and self.level is None:
            raise ValueError("a level that was lowered is named in level")
        return self


class WithdrawalSheet(Sheet):
    """A tombstone: its rows leave the boards, and not the history."""

    SCHEMA: ClassVar[str] = "memgauge.withdrawal/1"

    submission: str
    reason: Line
    by: Handle
    on: Day


class PointsLine(SheetPart):
    """Credit for one piece of work, a line of ``points/<number>.jsonl``."""

    github: Handle
    what: Literal["reproduction", "adapter", "dataset-error", "review", "objection", "submission"]
    submission: str = ""
    points: int = Field(ge=1, le=4)
