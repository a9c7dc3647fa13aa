"""Scoring contracts: what counts as found, for whom, and how failures count."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from memgauge.errors import ConfigError
from memgauge.ranges import RANGES
from memgauge.records.memories import Form
from memgauge.records.questions import EvidencePolicy
from memgauge.registry import unknown_name

if TYPE_CHECKING:
    from pydantic_core import CoreSchema


class Target(StrEnum):
    """Which form of a memory earns credit; a contract may name forms of its own, or an installed rule, instead."""

    RAW = "raw"
    """The turn itself, word for word."""
    SOURCE = "source"
    """Anything that descends from the turn, the turn itself included."""
    CANONICAL = "canonical"
    """A derived form that descends from the turn and is meant to be served."""


class Credit(StrEnum):
    """How often one evidence turn can earn credit."""

    ANCHOR = "anchor"
    """Once, at the first memory that descends from it (the TIAP paper's behaviour)."""
    ID = "id"
    """Once for every memory that descends from it."""
    ANCHOR_CN = "anchor-cn"
    """Once, and divided by what could be earned if every form counted: one norm for all targets."""
    SIZE_MATCHED = "size-matched"
    """A share for each memory that descends from it: as if one of them, nobody knows which, were the target."""


class Coverage(StrEnum):
    """How much of a question's evidence must have a memory of the credited form, so that it is scored."""

    ANY = "any"
    """At least one evidence turn (the TIAP paper's reading)."""
    ALL = "all"
    """Every one."""


class Ties(StrEnum):
    """What is made of hits with equal scores."""

    RETURNED = "returned"
    """They stay as the system returned them."""
    HASH = "hash"
    """They are ordered by a hash of their ids: the order in which memories were stored cannot show."""


class Items(StrEnum):
    """Which questions are scored."""

    ALL = "all"
    CLEAN = "clean"
    """Without the questions that an errata overlay doubts."""


class Failures(StrEnum):
    """How questions count that the system failed on (error, timeout, unsupported)."""

    EXCLUDE = "exclude"
    ZERO = "zero"


class Witness(StrEnum):
    """What has to bear out that a memory descends from a turn, before the turn is credited."""

    NONE = "none"
    """Nothing: what a system claims of its sources is believed."""
    WORDS = "words"
    """The words of the returned text."""
    MODEL = "model"
    """A model's verdict, kept in a layer of the run."""


class Unlabelled(StrEnum):
    """What becomes of questions that name no evidence."""

    EXCLUDE = "exclude"
    MISS = "miss"
    """They count as misses, as published rows of some harnesses count them."""


@dataclass(frozen=True, slots=True)
class Contract:
    """Everything that turns a frozen ranking and gold into numbers, besides the measure.

    Its text form (``target=source,credit=anchor,…``) names it in files and reports.
    """

    target: Target | str = Target.SOURCE
    """A target, forms of memories joined by ``+`` (``edge+node``), or an installed rule (``rule:NAME``)."""
    credit: Credit = Credit.ANCHOR
    coverage: Coverage = Coverage.ANY
    ties: Ties = Ties.RETURNED
    evidence: EvidencePolicy = EvidencePolicy.STRICT
    items: Items = Items.ALL
    failures: Failures = Failures.EXCLUDE
    witness: Witness = Witness.NONE
    unlabelled: Unlabelled = Unlabelled.EXCLUDE

    @property
    def why_no_ranks(self) -> str:
        """Say why values under this contract rank nobody; empty where they may."""
        if self.failures is not Failures.ZERO:
            return "failed searches are left out, so every system chooses its own questions"
        if self.witness is Witness.NONE:
            return "what systems claim of their sources is believed"
        return ""

    def __str__(self) -> str:
        return ",".join(f"{f.name}={getattr(self, f.name)}" for f in fields(self))

    @classmethod
    def __get_pydantic_core_schema__(cls, *_: object) -> CoreSchema:
        """Let results that hold a contract be written as its text form, and read from it."""
        from pydantic_core import core_schema

        validator = core_schema.no_info_plain_validator_function(lambda text: cls.parse(str(text)))
        serialiser = core_schema.to_string_ser_schema()
        return core_schema.union_schema([core_schema.is_instance_schema(cls), validator], serialization=serialiser)

    @classmethod
    def parse(cls, text: str, base: Contract | None = None) -> Contract:
        """Read a contract from its text form; what is not named is as in *base*, or keeps its default.

        Raises:
            UnknownNameError: A key or a value that does not exist.
            ConfigError: An item that is not ``key=value``.
        """
        kinds: dict[str, type[StrEnum]] = {f.name: type(f.default) for f in fields(cls)}  # type: ignore[misc]
        values: dict[str, str] = {}
        for item in filter(None, (part.strip() for part in text.split(","))):
            key, equals, value = item.partition("=")
            if not equals:
                raise ConfigError(f"{item!r} in contract {text!r} is not key=value.")
            if key not in kinds:
                raise unknown_name("contract key", key, kinds)
            if value in list(kinds[key]):
                values[key] = kinds[key](value)
            elif key == "target" and _is_own(value):
                values[key] = value
            else:
                raise unknown_name(f"contract {key}", value, [str(v) for v in kinds[key]])
        return replace(base or cls(), **values)  # type: ignore[arg-type] # each value has just been made by its field's own type


BOARD = Contract(failures=Failures.ZERO, witness=Witness.WORDS)
"""What boards rank by: failures are misses, and a source counts only as far as the returned text bears it."""

MOST_HITS: Final = RANGES["Hits"].most
"""Hits of a question that a run may keep, and that a measure may look at."""
RULE = "rule:"
"""What a target of an installed rule begins with."""


def _is_own(target: str) -> bool:
    """Whether *target* names forms, or a rule, which whoever scores has to know."""
    return target.startswith(RULE) or all(form in list(Form) for form in target.split("+"))


def credits_form(target: Target | str, form: str) -> bool:
    """Whether a memory of *form* is credited under *target*; of an installed rule nothing is known beforehand."""
    if target == Target.CANONICAL:
        return form not in {Form.RAW, Form.DERIVED}
    return target == Target.SOURCE or target.startswith(RULE) or form in target.split("+")
