"""Sheets of the registry: what submissions may name, each with what a reader must know of it."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from pydantic import Field, model_validator

from memgauge.submissions.sheets.base import Day, Digest, Line, Sheet, SheetPart, Slug

if TYPE_CHECKING:
    from collections.abc import Sequence


class RightOfReply(SheetPart):
    """That a vendor was told of a row on its product, and what it answered."""

    informed_on: Day | Literal[""] = ""
    """Empty where nobody was told yet, which the page says."""
    reply: str = Field(default="", max_length=4000)
    replied_on: Day | Literal[""] = ""


class ProductSheet(Sheet):
    """A product, or a baseline that stands beside products."""

    SCHEMA: ClassVar[str] = "memgauge.product/1"

    name: Slug
    title: Line
    vendor: Line
    licence: Line
    home: Line
    """Where it is developed: ``owner/repository``, or an address that its vendor publishes."""
    contact: str = ""
    """How its vendor is told: a handle or an issue tracker, never a mail address."""
    role: Literal["product", "baseline"]
    category: Literal["open-source", "self-hosted", "hosted"]
    own: bool = False
    """Whether memgauge's authors make it; marked on every board, and enters last."""
    consent: Literal["own-submission", "informed", "not-asked-yet", "not-needed"]
    reply: RightOfReply = RightOfReply()


class LaneSheet(Sheet):
    """What stands behind a memory: lanes are never mixed on a board."""

    SCHEMA: ClassVar[str] = "memgauge.lane/1"

    name: Slug
    title: Line
    kind: Literal["lexical", "scripted", "local", "paid"]
    """``lexical`` asks no model, ``scripted`` a stand-in, ``local`` weights at hand, ``paid`` a provider."""
    model: str = ""
    embedder: str = ""
    weights: dict[str, Digest] = Field(default_factory=dict)
    """sha256 of the weights, by model."""
    dated: Day | Literal[""] = ""
    """The day of a provider's model; rows older than a year are grey."""
    network: Literal["none", "loopback", "internet"]
    means: Line
    """What numbers of this lane show, and what they do not."""

    @property
    def shows_quality(self) -> bool:
        """Whether numbers of this lane may be called quality; those of a stand-in show plumbing."""
        return self.kind != "scripted"


def contract_digest(contract: str, measures: Sequence[str], k: int) -> str:
    """Hash what makes two numbers comparable: the contract written out, the measures in their order, and k."""
    return hashlib.sha256(json.dumps([contract, list(measures), k]).encode()).hexdigest()


class ContractSheet(Sheet):
    """What counts as found, and within what."""

    SCHEMA: ClassVar[str] = "memgauge.contract/1"

    name: Slug
    title: Line
    contract: Line
    """In its text form, written out in full."""
    measures: tuple[str, ...] = Field(min_length=1)
    """The first one ranks."""
    k: int = Field(ge=1)
    sha256: Digest
    """Of the text form, the measures and k."""
    superseded_by: str = ""

    @model_validator(mode="after")
    def _is_its_digest(self) -> Self:
        digest = contract_digest(self.contract, self.measures, self.k)
        if digest != self.sha256:
            raise ValueError(f"sha256 is not that of contract, measures and k, which is {digest}")
        return self


class DatasetSheet(Sheet):
    """Data that a board may stand on."""

    SCHEMA: ClassVar[str] = "memgauge.dataset/1"

    name: Slug
    ref: Line
    """How it is opened here."""
    sha256: Digest
    licence: Line
    texts_public: bool
    """Whether its licence lets its texts stand in bundles."""
    source: Line
    questions: int = Field(ge=1)
    conversations: int = Field(ge=1)
    first: int | None = Field(default=None, ge=1)
    """Only the first so many conversations of *ref*: a sample, which ranks nobody."""
    status: Literal["open", "retired", "private"]
    superseded_by: str = ""


class JudgeSheet(Sheet):
    """A model that judges answers, and what is known of how well it does."""

    SCHEMA: ClassVar[str] = "memgauge.judge/1"

    name: Slug
    model: Line
    """What its panel is called: the names of its judges, joined by ``+``."""
    prompt_sha256: Digest
    """Of the prompt that it judges facts by."""
    certificate: str = ""
    """Path of its certificate below the registry; empty where it has none, and then it ranks nobody."""


class BoardSheet(Sheet):
    """A board: a contract, a dataset, a division and a lane, and nothing else."""

    SCHEMA: ClassVar[str] = "memgauge.board/1"

    name: Slug
    title: Line
    kind: Literal["tokens", "write-cost", "p95", "golden", "lag", "isolation", "answers"]
    """What stands beside quality, or which checks are counted."""
    contract: Slug | Literal[""] = ""
    dataset: Slug | Literal[""] = ""
    division: Literal["closed", "open"]
    lane: Slug
    judge: Slug | Literal[""] = ""
    """Of answers: whose grades are counted."""
    answerer: Line | Literal[""] = ""
    """Of answers: who answers from what memories return; empty, in open, where everybody brings their own."""
    superseded_by: str = ""

    @model_validator(mode="after")
    def _has_what_its_kind_needs(self) -> Self:
        if self.kind != "answers":
            if self.judge or self.answerer:
                raise ValueError(f"judge and answerer are of boards of answers, and this one is of {self.kind}")
            return self
        needed = {"contract": self.contract, "dataset": self.dataset, "judge": self.judge}
        missing = [name for name, value in needed.items() if not value]
        if missing:
            raise ValueError(f"a board of answers needs {' and '.join(missing)}")
        if self.division == "closed" and not self.answerer:
            raise ValueError("a closed board of answers needs an answerer, which is the same for everybody")
        return self
