"""One row of the ledger: everything that one run's bundle says under one contract, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memgauge.results import ResultKind, result
from memgauge.scoring.board import Latency, Score
from memgauge.scoring.ended import ShortLists

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@result
@dataclass(frozen=True)
class SpentAmount:
    """A number of a run's record of costs, and who says so."""

    value: float | None
    """``None`` where nobody saw, which is not 0."""
    source: str
    """``counted``, ``reported`` or ``unavailable``."""


@result
@dataclass(frozen=True)
class RunRow:
    """What one run scored, took, failed at, and how far its bundle was verified."""

    version: str
    """Of the product, as the run says it."""
    role: str
    """``system``, ``floor`` or ``ceiling``."""
    scores: Mapping[str, Score]
    """By measure: those of the contract, and the recall of all that is returned. Intervals over conversations."""
    tokens: float | None
    """That a reader is handed for a question."""
    latency: Latency
    writing_s: float | None
    """Seconds of writing and settling for a thousand turns."""
    asked: int
    """Questions that the dataset asks under this contract."""
    outcomes: Mapping[str, int]
    """Questions by outcome."""
    unanswered: int
    """Questions without a valid result, those never asked too; each counts 0."""
    writes: int
    lost: int
    """Writes and settlings that failed."""
    bars: tuple[str, ...]
    """Why it has no rank, whatever else is known."""
    marks: tuple[str, ...]
    """What must be read beside its numbers."""
    isolation: str
    unsupported: str
    """Why nothing can be credited, where it names no source; its cells are then empty and never 0."""
    verified: str
    """How far its bundle was verified."""
    problems: tuple[str, ...]
    """What verification found wrong, or could not check."""
    holds: bool = False
    """Whether everything agrees with its seal and with the dataset at hand; the scores are derived here."""
    cost: Mapping[str, SpentAmount] = field(default_factory=dict)
    """What the run's own record of costs says, by phase and kind: ``ingest.tokens_in``; empty without one."""
    short: Mapping[str, ShortLists] = field(default_factory=dict)
    """The measures within budgets that its lists leave too empty because they end at k."""


@dataclass(frozen=True, eq=False)
class ValuedRow:
    """A row with the worth of every question, which paired differences between submissions need."""

    row: RunRow
    values: Mapping[str, NDArray[np.float64]] = field(repr=False)
    """(Q,) by measure, in the order of the dataset; NaN where a question is not scored."""


RUN_ROW: ResultKind[RunRow] = ResultKind("ledger row", 1, RunRow, "memgauge results board REGISTRY --out SITE")
