"""The scenario language: what a suite file may hold, read strictly.

A step is a mapping whose first key says what it does; keys beside it say what it means. ``{name}`` in a text is a
variable: a token of its own in every run; ``{@3d}`` is the day three days later, spelled out. Schema version 1;
the policy is in ``docs/golden-language.md``.
"""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from memgauge.misfits import first_misfit
from memgauge.studies.golden.tokens import Kind  # noqa: TC001 - pydantic reads it

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SCHEMA = 1
Near = Annotated[str, Field(pattern=r"^(?:longer|shorter|digit|accent) \w+$")]
"""How a value differs from that of another variable."""
_SPAN = r"^-?\d{1,6}(?:d|h|m|s)$"


def _distance(value: Any) -> Any:
    if isinstance(value, str) and not re.search(_SPAN, value):
        raise ValueError(f"{value!r} is no distance in time; write 3d, -12h, 30m or 10s")
    return value


Span = Annotated[str, Field(pattern=_SPAN), BeforeValidator(_distance)]
"""``3d``, ``-12h``: a distance in time."""


def _is_ahead(distance: str) -> bool:
    return distance.endswith("d") and not distance.startswith(("-", "0"))


Pad = Annotated[int, Field(ge=0, le=200_000)]
DayText = Annotated[str, BeforeValidator(lambda value: value.isoformat() if isinstance(value, date) else value)]
"""A day as YYYY-MM-DD, which YAML reads as a date."""
OneLine = Annotated[str, AfterValidator(lambda value: " ".join(value.split()))]
"""What is printed in a line: one that begins with colons would be a command to a runner of CI."""
Values = dict[str, str]
"""Slot to variable."""
Channel = Literal["user", "assistant", "tool", "web", "email"]
Surface = Literal["search", "list", "context", "answer", "history"]
LAYERS = ("store", "recall", "context", "answer")


class _ScenarioModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, use_attribute_docstrings=True)


class User(_ScenarioModel):
    """From here on somebody else speaks and asks."""

    user: str
    tenant: str = "default"
    agent: str | None = None


class SessionStep(_ScenarioModel):
    """A new conversation begins."""

    session: str
    confined: bool = False
    """Whether it keeps to itself: what is said in it is known in it alone, and nothing else is known there."""


class Say(_ScenarioModel):
    """Something is said; the keys say what it means, and without them it means nothing."""

    say: str
    channel: Channel = "user"
    id: str | None = None
    at: Span | None = None
    """When, as seen from now: an import of something older has a distance into the past."""
    times: int = Field(1, ge=1, le=20_000)
    sets: Values = {}
    """Slots with one value at a time."""
    adds: Values = {}
    """Slots with many."""
    removes: Values = {}
    ends: tuple[str, ...] = ()
    """Slots that have no value any more."""
    forgets: tuple[str, ...] = ()
    """Slots that are to be forgotten, with what they were."""
    was: Values = {}
    """What held until *until* and no longer, told only now."""
    supposes: Values = {}
    """Said and not true: imagined, quoted, denied, a joke."""
    plants: Values = {}
    """Said by a channel that must not be believed."""
    starts: Span | None = None
    """How many days after it is said it begins to hold: the first day of what is announced."""
    until: Span | None = None
    """How long it holds, from when it is said."""
    expires: bool = False
    """Whether the end is also handed to the memory as a fact of its interface."""
    expires_in: Span | None = None
    """How long it holds, to the minute, handed to the memory as a fact of its interface."""
    together: bool = False
    """Whether all of *times* are handed over in one call, as a session is that was read from a file."""
    imported: Literal["", "again", "with blanks"] = ""
    """Handed over in one call: after all that was said in the session before, as a file that has grown is read
    ``again``, or ``with blanks``, turns without a word, around it."""
    flush: bool = True
    """Whether the memory is then asked to settle; one that says it settles at once must not need it."""
    same_minute: bool = False
    """Whether it is said in the minute of what came before."""
    pad: tuple[Pad, Pad] = (0, 0)
    """Characters of small talk before and after it, in the same turn."""

    @model_validator(mode="after")
    def _says_what_it_means(self) -> Say:
        for key in ("sets", "adds", "was", "supposes", "plants"):
            for slot, name in getattr(self, key).items():
                if f"{{{name}}}" not in self.say:
                    raise ValueError(f"{key}: {slot}: {{{name}}} stands nowhere in what is said")
        if self.expires_in and (self.until or self.expires):
            raise ValueError("expires_in: it ends at a moment or after a day; leave out until and expires")
        if self.starts and (self.was or not _is_ahead(self.starts)):
            raise ValueError("starts: what is announced begins on a later day, and is no past; write 3d")
        if self.imported and (self.expires or self.expires_in):
            raise ValueError(
                "imported: what is handed over in one call has no end of its own; leave out one of them"
            )
        if self.plants and self.channel == "user":
            raise ValueError("plants: what users say is believed; name a channel: assistant, tool, web or email")
        return self


class AskStep(_ScenarioModel):
    """A question; what must come back follows from the ledger, by the slot that it is about."""

    ask: str
    about: str
    as_of: Span | None = None
    """The past day that it asks about, as seen from now."""
    layers: tuple[Literal["recall", "context", "answer"], ...] = ("recall", "context", "answer")
    k: int = Field(20, ge=1, le=1000)
    same_minute: bool = False
    """Whether it is asked in the minute in which something else was asked."""
    budgets: tuple[Annotated[int, Field(ge=1)], ...] = ()
    """Characters into which a context must fit, one after the other."""


class Probe(_ScenarioModel):
    """Many questions as somebody who must see nothing that belongs to others."""

    probe: tuple[str, ...]
    """Queries."""
    as_users: tuple[str | None, ...] = ()
    """User ids to ask as; the present one without any."""
    surfaces: tuple[Surface, ...] = ()
    """Where to look; without any, wherever the memory shows something."""


class Erase(_ScenarioModel):
    """A request to forget: ``user`` (everything of the present user) or a slot."""

    erase: str
    present: bool = False
    """Whether only what holds now goes, and what it once replaced stays history."""
    flush: bool = True
    again: bool = False
    """Whether it was asked before, so that nothing may happen."""
    counted: bool = False
    """Whether it must say how many memories it removed, though each is named twice, and then that none is left."""


class Update(_ScenarioModel):
    """Through the memory's own method, another value is put in the place of the one that a slot has."""

    update: str
    to: str
    """The variable of the new value."""
    flush: bool = True


class Meddle(_ScenarioModel):
    """Others try to change and to remove, by id, what the present user has stored; nothing may come of it."""

    meddle: tuple[str, ...] = Field(min_length=1)
    """User ids."""


class Advance(_ScenarioModel):
    """Time passes."""

    advance: Span


class Maintenance(_ScenarioModel):
    """The memory tidies up, so many times."""

    maintenance: int = Field(1, ge=1, le=10_000)


class Reingest(_ScenarioModel):
    """A session is handed over once more, as a retried import does; what was erased must stay erased."""

    reingest: str


class Restart(_ScenarioModel):
    """The memory is closed and opened again: ``process`` after an orderly write, ``crash`` without a flush."""

    restart: Literal["process", "crash"]


class Fault(_ScenarioModel):
    """The next write fails in transit: it is delivered twice (``retry``) or half of it is lost and sent again."""

    fault: Literal["retry"]


class Concurrent(_ScenarioModel):
    """Lanes of steps that run at once, interleaved by the seed."""

    concurrent: tuple[tuple[Step, ...], ...] = Field(min_length=2)


class Race(_ScenarioModel):
    """Threads write, change, erase and read at once, as often as it says, and what no order explains is found."""

    race: tuple[str, ...] = Field(min_length=1)
    """Shapes of races; users are new ones, and nothing of the scenario is touched."""
    rounds: int = Field(5, ge=1, le=100_000)


class RepeatStep(_ScenarioModel):
    """Steps again and again, each time with new values; ``{n}`` in the name of a user or session is the number."""

    repeat: int = Field(ge=1, le=10_000)
    steps: tuple[Step, ...] = Field(min_length=1)


class Assertion(_ScenarioModel):
    """What is looked up rather than asked."""

    audit: Literal["erasure", "history", "update"] | None = None
    """A trace of what was erased, without its value; a history of the value of *about*, or of its change."""
    residue: bool = False
    """Nothing that was erased stands in the dump or in any file of the store."""
    once: str | None = None
    """The present value of a slot is stored once."""
    listed: str | None = None
    """Every present value of a slot stands in the list of what is stored."""
    dated: str | None = None
    """What a search of its own time says has ended, the list says has ended too."""
    quarantined: bool = False
    """Nothing that was planted is stored as if it were believed."""
    about: str | None = None


class Assert(_ScenarioModel):
    """A check without a question."""

    assert_: Assertion = Field(alias="assert")


Step = (
    User
    | SessionStep
    | Say
    | AskStep
    | Probe
    | Erase
    | Update
    | Meddle
    | Advance
    | Maintenance
    | Reingest
    | Restart
    | Fault
    | Concurrent
    | Race
    | RepeatStep
    | Assert
)
STEPS: dict[str, type[_ScenarioModel]] = {
    next(iter(kind.model_fields)).rstrip("_"): kind for kind in get_args(Step)
}
"""Kinds of steps by their first key."""
STEP_NAMES: dict[type[_ScenarioModel], str] = {kind: name for name, kind in STEPS.items()}
"""The first key of every kind of steps."""


class Provenance(_ScenarioModel):
    """Where a case comes from."""

    kind: Literal["production", "public-issue", "paper", "synthetic", "fuzz"] = "synthetic"
    ref: str = ""
    seen: DayText = ""
    trace: str = ""
    """sha256 of the trace that it was captured from."""
    generator: str = ""


class Expected(_ScenarioModel):
    """A failure that is known and not yet mended."""

    issue: str = Field(min_length=1)
    until: DayText = ""


CHECKING = (AskStep, Probe, Assert, Concurrent, Race, RepeatStep)
"""Steps that look for something, of which a scenario needs one; others show only what stands where it must not."""


class Scenario(_ScenarioModel):
    """One case."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9]+(?:[.-][a-z0-9]+)*$")]
    """Never used again, whatever becomes of the case."""
    title: Annotated[OneLine, Field(min_length=3)]
    family: OneLine
    tags: tuple[Literal["normal", "rare", "ambiguous", "adversarial", "abstention"], ...] = ("normal",)
    severity: Literal["low", "normal", "high", "critical"] = "normal"
    gate: Literal["hard", "soft"] = "hard"
    requires: tuple[str, ...] = ()
    """Optional protocols without which it cannot be run."""
    provenance: Provenance = Provenance()
    kills: tuple[str, ...] = ()
    """Mutants that it must fail on."""
    vars: dict[str, Kind] = {}
    """Types of variables that are no plain words."""
    near: dict[str, Near] = {}
    """Variables whose values are nearly that of another: ``longer old``, ``shorter``, ``digit``, ``accent``."""
    repeats: int = Field(1, ge=1, le=100)
    epoch: Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d$")] | None = None
    """When it begins, in the local time in which all of it is told; 2026-01-05T09:00 without it."""
    zone: Annotated[str, Field(pattern=r"^[A-Z]{3,5}[-+:\dA-Z]*(?:,[JM.\d/:-]+)*$")] | None = None
    """The time zone of the machine meanwhile, as POSIX writes it: ``CET-1CEST,M3.5.0,M10.5.0/3``."""
    expected_failure: Expected | None = None
    receipts: bool = False
    """Whether every receipt is held against what is stored before and after."""
    steps: tuple[Step, ...] = Field(min_length=2)

    @field_validator("steps", mode="before")
    @classmethod
    def _steps(cls, value: Any) -> Any:
        return read_steps(value)

    @model_validator(mode="after")
    def _resembles_another(self) -> Scenario:
        for name, near in self.near.items():
            if near.split()[1] in self.near:
                raise ValueError(f"near: {name}: name a variable that resembles no other itself")
        return self

    @model_validator(mode="after")
    def _speaks(self) -> Scenario:
        if not any(isinstance(step, CHECKING) for step in self.steps):
            raise ValueError("nothing is ever checked: add an ask, a probe or an assert")
        return self

    @property
    def looks_for_residue(self) -> bool:
        """Whether any step looks through the files of the store."""
        return any(isinstance(step, Assert) and step.assert_.residue for step in flat(self.steps))


class Identity(_ScenarioModel):
    """What a suite is called and which edition it is."""

    id: str
    version: Annotated[str, Field(pattern=r"^\d+\.\d+\.\d+$")]
    """A new first number may turn a verdict on an unchanged system."""
    released: DayText = ""


class Retired(_ScenarioModel):
    """A case that is no longer run; its id is never used again."""

    id: str
    reason: str = Field(min_length=3)
    by: str = Field(min_length=1)
    superseded_by: str = ""


class Suite(_ScenarioModel):
    """One suite file."""

    schema_: Literal[1] = Field(alias="schema")
    suite: Identity
    scenarios: tuple[Scenario, ...] = ()
    retired: tuple[Retired, ...] = ()


def flat(steps: Iterable[Step]) -> Iterator[Step]:
    """Yield every step, those of lanes too."""
    for step in steps:
        yield step
        if isinstance(step, Concurrent):
            for lane in step.concurrent:
                yield from flat(lane)
        elif isinstance(step, RepeatStep):
            yield from flat(step.steps)


def read_steps(value: Any) -> Any:
    """Choose the kind of every step by its first key; an unknown one is a mistake that names what there is."""
    if not isinstance(value, list | tuple):
        return value
    return tuple(_step(step, place) for place, step in enumerate(value, 1))


def explain(error: ValidationError, kind: type[BaseModel]) -> str:
    """Say what is wrong first, where, and what could stand there."""
    misfit = first_misfit(error)
    if error.errors()[0]["type"] == "extra_forbidden":
        known = ", ".join(field.alias or name for name, field in kind.model_fields.items())
        return f"there is no key {misfit.place!r}; there are {known}"
    return str(misfit)


def _step(value: Any, place: int) -> Any:
    if isinstance(value, _ScenarioModel):
        return value
    if not isinstance(value, dict) or not value:
        raise ValueError(f"step {place} is no mapping")
    for key, kind in STEPS.items():
        if key in value:
            if kind is Concurrent and isinstance(value[key], list | tuple):
                value = {**value, key: tuple(read_steps(lane) for lane in value[key])}
            elif kind is RepeatStep:
                value = {**value, "steps": read_steps(value.get("steps"))}
            try:
                return kind.model_validate(value)
            except ValidationError as error:
                raise ValueError(f"step {place}: {explain(error, kind)}") from error
    raise ValueError(f"step {place}: there is no step {next(iter(value))!r}; there are {', '.join(STEPS)}")


Concurrent.model_rebuild()
RepeatStep.model_rebuild()
Scenario.model_rebuild()
