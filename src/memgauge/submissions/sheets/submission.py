"""The sheet of a submission: what was run, by whom, under which rules, and which bundles hold the rows."""

from __future__ import annotations

import re
from datetime import date
from typing import ClassVar, Final, Literal, Self

from pydantic import Field, model_validator

from memgauge.submissions.sheets.base import Commit, Digest, Handle, Line, Sheet, SheetPart, Slug

_FOLDER: Final = re.compile(r"^(?P<day>\d{8})-(?P<who>[A-Za-z0-9-]+?)-(?P<slug>[a-z0-9][a-z0-9.-]*)$")
_COMMAND: Final = re.compile(r"^memgauge( [\w./:=,@+-]+)+$", re.ASCII)

Division = Literal["closed", "open"]
Relation = Literal["none", "vendor", "competitor", "memgauge-author"]


class Submitter(SheetPart):
    """Who submits, and what they have to do with the product."""

    github: Handle
    relation: Relation


class AdapterSource(SheetPart):
    """Where the code lies that let the product be asked."""

    repo: str = Field(pattern=r"^[\w.-]+/[\w.-]+$")
    commit: Commit
    licence: Line


class CallsPerQuestion(SheetPart):
    """What one question costs in calls; more than one answer drawn inside is said here."""

    search: int = Field(ge=1)
    model: int = Field(ge=0)


class SubmittedRun(SheetPart):
    """One sealed run, without its texts."""

    dataset: str = Field(pattern=r"^[^@\s]+@[0-9a-f]{12}$")
    """Reference and the first twelve digits of its digest: ``locomo@79fa87e90f04``."""
    first: int | None = Field(default=None, ge=1)
    """Only the first so many conversations; all where nothing is said."""
    seed: int = 0
    bundle: str = Field(pattern=r"^bundles/[A-Za-z0-9][A-Za-z0-9._-]*(\.zip|\.pointer\.toml)$")
    sha256: Digest
    """Of the bundle."""
    questions: int = Field(ge=0)
    """Asked, the failed ones too."""
    errors: int = Field(ge=0)
    """Of them, those without a valid result."""

    @property
    def dataset_ref(self) -> str:
        """Return the reference alone."""
        return self.dataset.rpartition("@")[0]

    @property
    def dataset_digest(self) -> str:
        """Return the digits of the dataset's digest."""
        return self.dataset.rpartition("@")[2]


class FailedCell(SheetPart):
    """A cell of the plan of which there is no sealed run."""

    dataset: str
    seed: int = 0
    why: Line


class SubmissionSheet(Sheet):
    """What was run, by whom, and under which rules."""

    SCHEMA: ClassVar[str] = "memgauge.submission/1"

    id: str
    """``<product>-<version>/<YYYYMMDD>-<who>-<slug>``."""
    product: Slug
    version: str = Field(min_length=1, max_length=80, pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$")
    label: Line
    """What a row is called: the product with the options that differ from its defaults."""
    rules: str = Field(pattern=r"^\d{4}\.\d+$")
    division: Division
    category: Literal["open-source", "self-hosted", "hosted"]
    preview: bool = False
    """Whether it cannot be had yet."""
    lane: Slug
    contract: Slug
    submitter: Submitter
    adapter: AdapterSource
    reproduce: Line
    """One command that plays it again."""
    plan: str = Field(pattern=r"^([0-9a-f]{64})?$")
    """Digest of the plan that was written before the first run; empty where none was, which Closed refuses."""
    tuned_on: tuple[str, ...]
    """Datasets and splits that were looked at while settings were chosen; an empty list is none."""
    calls_per_question: CallsPerQuestion
    supersedes: str = ""
    """The submission that this one corrects."""
    licence: Literal["CC0-1.0", "CC-BY-4.0"]
    """Of the rows."""
    sign_off: Handle
    """Who states that they may give these rows away under this licence."""
    runs: tuple[SubmittedRun, ...] = Field(min_length=1)
    failed: tuple[FailedCell, ...] = ()
    grades: Digest | Literal[""] = ""
    """Of ``grades.json``; empty where no answers were judged."""

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        head, _, tail = self.id.partition("/")
        if head != f"{self.product}-{self.version}":
            raise ValueError(f"id begins with {head!r}, and not with {self.product}-{self.version}")
        place = _FOLDER.match(tail)
        if place is None:
            raise ValueError("id does not end in <YYYYMMDD>-<who>-<slug>")
        try:
            date.fromisoformat(self.day)
        except ValueError as error:
            raise ValueError(f"id begins with {place['day']}, which is no day") from error
        if place["who"] != self.submitter.github and not tail[9:].startswith(f"{self.submitter.github}-"):
            raise ValueError(f"id names {place['who']!r}, and the submitter is {self.submitter.github!r}")
        if not _COMMAND.match(self.reproduce):
            raise ValueError("reproduce is not one command of memgauge, and readers may paste it into a shell")
        if len({run.bundle for run in self.runs}) < len(self.runs):
            raise ValueError("runs name a bundle twice")
        return self

    @property
    def day(self) -> str:
        """Return the day of the submission, as ``YYYY-MM-DD``."""
        digits = self.id.partition("/")[2][:8]
        return f"{digits[:4]}-{digits[4:6]}-{digits[6:]}"

    @property
    def place(self) -> str:
        """Return where it lies below ``submissions``."""
        return f"{self.product}/{self.version}/{self.id.partition('/')[2]}"
