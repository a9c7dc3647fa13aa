"""What a run cost: one small file, ``cost.json``, that follows from the journal and is sealed with it.

``CostRecord.read(folder)`` gives the record of a run, ``None`` where an earlier version made it. Its shape::

    schema             "memgauge.cost/1"
    sittings           how often the run was begun; what was under way when one broke off is nowhere
    attempts, unseen   attempts at conversations, and those of which nobody knows what they took
    lost               tries whose process died, with what it had spent
    conversations, weighed   conversations, and those whose store was weighed
    ingest, query, rest      wall_s, cpu_s, model_calls, tokens_in, tokens_out, embedding_tokens
    bytes_stored, search_p50_ms, search_p95_ms
    models             the same counts by phase, model and source, which is what prices are computed from

Every amount is ``{value, source}``. *Counted* is what the harness saw itself: clocks, embedders of ours, model
servers that it stood in front of. *Reported* is what the system or its server says of itself. *Unavailable* has no
value: nobody saw, which is not 0. Money is no part of it; :mod:`memgauge.runs.record.pricing` computes it.
"""

from __future__ import annotations

from collections import defaultdict
from math import fsum, inf
from typing import TYPE_CHECKING, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from memgauge.errors import RunError
from memgauge.metering import COUNTS, CostSource, ModelTally
from memgauge.misfits import first_misfit
from memgauge.runs.record.files import opened, small
from memgauge.runs.record.journal import FILE as JOURNAL
from memgauge.runs.record.manifest import Manifest
from memgauge.runs.record.phases import PHASES
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

FILE: Final = "cost.json"
SCHEMA: Final = "memgauge.cost/1"
_READ: Final = tuple(b'{"t":"%s"' % name for name in (b"case", b"question", b"spent", b"lost", b"end"))
_CHAT: Final = frozenset({"calls", "tokens_in", "tokens_out"})
_NAMES: Final = ("model_calls", *COUNTS[1:])


class _CostPart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Amount(_CostPart):
    """A number, and who says so."""

    value: int | float | None = Field(default=None, ge=0)
    source: CostSource = CostSource.UNAVAILABLE

    @model_validator(mode="after")
    def _known_or_not(self) -> Self:
        if (self.value is None) != (self.source is CostSource.UNAVAILABLE):
            raise ValueError("an amount has a value, or is unavailable")
        return self


UNAVAILABLE: Final = Amount()


class PhaseCost(_CostPart):
    """What one phase took."""

    wall_s: Amount = UNAVAILABLE
    """In calls of the system."""
    cpu_s: Amount = UNAVAILABLE
    """Of the process that plays during these calls, and of all that it started; not of shared model servers."""
    model_calls: Amount = UNAVAILABLE
    """Requests for a text."""
    tokens_in: Amount = UNAVAILABLE
    tokens_out: Amount = UNAVAILABLE
    embedding_tokens: Amount = UNAVAILABLE
    """Of what was handed over to be embedded, whether or not a cache saved the work."""


class ModelUse(_CostPart):
    """What one model was asked in one phase."""

    phase: Literal["ingest", "query", "rest"]
    model: str
    source: CostSource
    calls: int = Field(default=0, ge=0)
    tokens_in: int = Field(default=0, ge=0)
    tokens_out: int = Field(default=0, ge=0)
    embedding_tokens: int = Field(default=0, ge=0)


class CostRecord(_CostPart):
    """What a run cost, by phase: ``rest`` is opening, emptying, listing what is stored, and probes."""

    schema_: Literal["memgauge.cost/1"] = Field(default=SCHEMA, alias="schema")
    sittings: int = Field(default=1, ge=1)
    attempts: int = Field(default=0, ge=0)
    unseen: int = Field(default=0, ge=0)
    lost: int = Field(default=0, ge=0)
    conversations: int = Field(default=0, ge=0)
    weighed: int = Field(default=0, ge=0)
    ingest: PhaseCost = PhaseCost()
    query: PhaseCost = PhaseCost()
    rest: PhaseCost = PhaseCost()
    bytes_stored: Amount = UNAVAILABLE
    """Of the stores of all conversations that were weighed, each at its end."""
    search_p50_ms: Amount = UNAVAILABLE
    search_p95_ms: Amount = UNAVAILABLE
    models: tuple[ModelUse, ...] = ()

    @property
    def text(self) -> str:
        """Return the record as it is written."""
        return self.model_dump_json(indent=1, by_alias=True) + "\n"

    @property
    def whole(self) -> bool:
        """Whether nothing was spent that nobody saw."""
        return self.sittings == 1 and not self.unseen and not self.lost

    def total(self, name: str) -> Amount:
        """Add up what all phases took of *name*, a field of :class:`PhaseCost`."""
        return added(getattr(phase, name) for phase in (self.ingest, self.query, self.rest))

    @classmethod
    def read(cls, folder: Path) -> CostRecord | None:
        """Read the record of the run at *folder*; ``None`` where an earlier version made the run.

        Raises:
            RunError: It cannot be read as one.
        """
        path = folder / FILE
        if not path.is_file():
            return None
        try:
            return cls.model_validate_json(small(path))
        except ValidationError as error:
            misfit = first_misfit(error, "the file itself")
            raise RunError(f"{path}: {misfit}.", "Restore it from a copy.") from error

    @classmethod
    def of(cls, folder: Path, lines: Path | None = None) -> CostRecord | None:
        """Add up what the journal of the run at *folder* says; ``None`` where it says nothing of costs.

        Where its *lines* but for memories lie apart, they are read there.

        Raises:
            RunError: A line of the journal cannot be read.
        """
        path = folder / JOURNAL
        try:
            with opened(lines or path) as file:
                summed = _Summed()
                for line in file:
                    if line.startswith(_READ):
                        summed.take(json_of(line))
            return summed.record(Manifest.read(folder).sittings) if summed.seen else None
        except (ValueError, KeyError, TypeError) as error:
            raise RunError(f"{path} says no costs: {error!r}.", "Restore it from a copy.") from error


def added(amounts: Iterable[Amount]) -> Amount:
    """Add amounts; the sum is as good as the weakest that is known, and unavailable where none is."""
    known = [amount for amount in amounts if amount.value is not None]
    if not known:
        return UNAVAILABLE
    reported = any(amount.source is CostSource.REPORTED for amount in known)
    values = [amount.value for amount in known if amount.value is not None]
    summed = sum(values) if all(isinstance(value, int) for value in values) else round(fsum(values), 6)
    return Amount(value=summed, source=CostSource.REPORTED if reported else CostSource.COUNTED)


def legible(row: Mapping[str, Any]) -> bool:
    """Whether a row says what a phase took; a player wrote it, and foreign code lives there."""
    try:
        summed = _Summed()
        summed.take(row)
        summed.record(1)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        return False
    return True


class _Summed:
    """Adds up the rows of a journal."""

    def __init__(self) -> None:
        self.seen: set[tuple[str, int]] = set()
        """Attempts that say what they spent."""
        self._transparent = True
        self._lost = 0
        self._attempts: set[tuple[str, int]] = set()
        self._stored: dict[str, int] = {}
        self._clocks: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
        self._searches: list[float] = []
        self._models: defaultdict[tuple[str, str, str], ModelTally] = defaultdict(ModelTally)

    def take(self, row: Mapping[str, Any]) -> None:
        """Add one row."""
        table, conversation, attempt = row["t"], str(row["conversation"]), int(row["attempt"])
        if table == "case":
            self._attempts.add((conversation, attempt))
        elif table == "question" and row["ms"] is not None:
            self._searches.append(float(row["ms"]))
        elif table == "end" and row.get("stored") is not None:
            self._stored[conversation] = int(row["stored"])
        elif table == "lost":
            self._lost += int(row["tries"])
        elif table == "spent":
            self.seen.add((conversation, attempt))
            self._spent(row)

    def _spent(self, row: Mapping[str, Any]) -> None:
        phase = str(row["phase"])
        if phase not in PHASES:
            raise ValueError(f"there is no phase {phase!r}")
        self._transparent &= bool(row["transparent"])
        for name in ("wall_ms", "cpu_ms"):
            self._clocks[phase, name].append(float(row[name]))
            if not 0 <= row[name] < inf:
                raise ValueError(f"{name} is {row[name]}")
        for use in row["models"]:
            counts = ModelTally(**{name: int(use[name]) for name in COUNTS if name in use})
            key = phase, str(use["model"]), str(CostSource(use["source"]))
            self._models[key] = self._models[key].plus(counts)

    def record(self, sittings: int) -> CostRecord:
        """Return the sums."""
        uses = tuple(self._uses())
        seen = {name for name in COUNTS if any(getattr(use, name) for use in uses)}
        counted = set(COUNTS) if self._transparent else seen | (_CHAT if seen & _CHAT else set())
        ingest, query, rest = (self._phase(phase, uses, counted) for phase in PHASES)
        conversations = {conversation for conversation, _ in self._attempts}
        stored = sum(self._stored.values())
        return CostRecord(
            sittings=sittings,
            attempts=len(self._attempts),
            unseen=len(self._attempts - self.seen),
            lost=self._lost,
            conversations=len(conversations),
            weighed=len(self._stored),
            bytes_stored=_counted(stored) if self._stored else UNAVAILABLE,
            search_p50_ms=_percentile(self._searches, 50),
            search_p95_ms=_percentile(self._searches, 95),
            ingest=ingest,
            query=query,
            rest=rest,
            models=uses,
        )

    def _uses(self) -> Iterator[ModelUse]:
        for (phase, model, source), tally in sorted(self._models.items(), key=_in_order):
            counts = {name: getattr(tally, name) for name in COUNTS}
            yield ModelUse.model_validate({"phase": phase, "model": model, "source": source, **counts})

    def _phase(self, phase: str, uses: Sequence[ModelUse], counted: Container[str]) -> PhaseCost:
        """Sum one phase; where nobody saw what any model was asked, that is unknown and not 0."""
        wall, cpu = (_counted(round(fsum(self._clocks[phase, name]) / 1000, 6)) for name in ("wall_ms", "cpu_ms"))
        mine = [use for use in uses if use.phase == phase]
        weakest = CostSource.REPORTED if _all_reported(uses) else CostSource.COUNTED
        asked = {
            name: added(
                [
                    Amount(value=0, source=weakest) if count in counted else UNAVAILABLE,
                    *(Amount(value=getattr(use, count), source=use.source) for use in mine if getattr(use, count)),
                ]
            )
            for name, count in zip(_NAMES, COUNTS, strict=True)
        }
        return PhaseCost(wall_s=wall, cpu_s=cpu, **asked)


def _all_reported(uses: Sequence[ModelUse]) -> bool:
    return bool(uses) and all(use.source is CostSource.REPORTED for use in uses)


def _in_order(item: tuple[tuple[str, str, str], ModelTally]) -> tuple[int, str, str]:
    (phase, model, source), _ = item
    return PHASES.index(phase), model, source


def _counted(value: float) -> Amount:
    return Amount(value=value, source=CostSource.COUNTED)


def _percentile(values: Sequence[float], q: int) -> Amount:
    """Interpolate as reports do."""
    if not values:
        return UNAVAILABLE
    import numpy as np

    return _counted(round(float(np.percentile(values, q)), 6))
