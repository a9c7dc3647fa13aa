"""The table, computed from recorded lanes and from nothing else."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from memgauge.records import Outcome
from memgauge.results import ResultKind, result
from memgauge.runs.record.machine import Machine
from memgauge.studies.weak.record import USER
from memgauge.studies.weak.shapes import asked_for
from memgauge.studies.weak.verdicts import ReplyVerdict, WriteFate, explained, fates, retries, verdict, why_lost

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memgauge.studies.weak.record import Exchange, RecordedLane

FILE: Final = "results.json"
"""The numbers of the page, beside the records."""


@result
@dataclass(frozen=True)
class LostWrite:
    """A turn of which nothing is stored, and why."""

    turn: str
    counted: str
    """What the harness counted the write as."""
    why: str


@result
@dataclass(frozen=True)
class ModelSpending:
    """Requests, and what they took."""

    requests: int
    verdicts: dict[str, int]
    retries: int
    quoting: int
    """Replies that quote their prompt; whether they fit is as was seen at the time."""
    input_tokens: int
    output_tokens: int
    model_s: float

    @property
    def tokens(self) -> int:
        """Add up what was read and written."""
        return self.input_tokens + self.output_tokens


@result
@dataclass(frozen=True)
class PurposeRow:
    """Requests of one purpose, and the commonest thing that was wrong with their replies."""

    purpose: str
    shape: str
    spent: ModelSpending
    commonest: str


@result
@dataclass(frozen=True)
class StepRow:
    """A command of ours, what it asked, and what it said of itself."""

    name: str
    command: str
    code: int
    seconds: float
    spent: ModelSpending
    counted: dict[str, Any]
    problem: str


@result
@dataclass(frozen=True)
class WeakRow:
    """Everything that the page says of a lane."""

    key: str
    kind: str
    ref: str
    version: str
    changed: tuple[str, ...]
    played: str
    seconds: float
    load: float
    machine: Machine
    problem: str
    note: str
    """What a reader should know of the lane."""
    asked: int
    """Turns that it was handed."""
    fates: dict[str, int]
    lost: tuple[LostWrite, ...]
    timeouts: int
    """Calls that the harness gave up."""
    memories: dict[str, int]
    """By channel."""
    writing_s: float
    """Of all writes and settlings."""
    spent: ModelSpending
    purposes: tuple[PurposeRow, ...]
    steps: tuple[StepRow, ...]


@result
@dataclass(frozen=True)
class WeakStudy:
    """What happened with a weak model, lane by lane, in the order of its description and not of any merit."""

    title: str
    dataset: str
    turns: int
    model: str
    cap: int
    limit_s: float
    timeout_s: float
    rows: tuple[WeakRow, ...]
    unplayed: tuple[str, ...]


WEAK: Final = ResultKind("weak", 1, WeakStudy, "memgauge study weak page --write")


def row_of(lane: RecordedLane, note: str = "") -> WeakRow:
    """Compute everything that is said of a lane from its record."""
    became, reasons = (fates(lane), why_lost(lane)) if not lane.problem else ({}, {})
    return WeakRow(
        key=lane.key,
        kind=lane.kind,
        ref=lane.ref,
        version=lane.version,
        changed=lane.changed,
        played=lane.played,
        seconds=lane.seconds,
        load=lane.load,
        machine=lane.machine,
        problem=lane.problem,
        note=note,
        asked=len(became),
        fates={str(fate): list(became.values()).count(fate) for fate in WriteFate},
        lost=tuple(LostWrite(turn, str(became[turn]), reason) for turn, reason in reasons.items()),
        timeouts=sum(write.outcome == Outcome.TIMEOUT for write in lane.writes),
        memories=dict(Counter(memory.channel or "memories" for memory in lane.memories)),
        writing_s=sum(write.seconds for write in lane.writes),
        spent=spent(lane.exchanges, talks=lane.kind == USER),
        purposes=tuple(_purposes(lane.exchanges)),
        steps=tuple(_steps(lane)),
    )


def spent(exchanges: Sequence[Exchange], *, talks: bool = False) -> ModelSpending:
    """Count requests by what became of them, and add up what they took; *talks* as :func:`retries` takes it."""
    verdicts = Counter(map(verdict, exchanges))
    return ModelSpending(
        requests=len(exchanges),
        verdicts={str(each): verdicts[each] for each in ReplyVerdict},
        retries=retries(exchanges, talks=talks),
        quoting=sum(exchange.quoted > 0 for exchange in exchanges),
        input_tokens=sum(exchange.input_tokens or 0 for exchange in exchanges),
        output_tokens=sum(exchange.output_tokens for exchange in exchanges),
        model_s=sum(exchange.seconds for exchange in exchanges),
    )


def _purposes(exchanges: Sequence[Exchange]) -> Iterable[PurposeRow]:
    by_purpose: dict[tuple[str, str], list[Exchange]] = {}
    for exchange in exchanges:
        by_purpose.setdefault((exchange.purpose, asked_for(exchange)), []).append(exchange)
    for (purpose, shape), purpose_exchanges in by_purpose.items():
        explanations = Counter(filter(None, map(explained, purpose_exchanges))).most_common(1)
        yield PurposeRow(
            purpose,
            shape,
            spent(purpose_exchanges),
            explanations[0][0].removeprefix(f"{purpose}: ") if explanations else "",
        )


def _steps(lane: RecordedLane) -> Iterable[StepRow]:
    for step in lane.steps:
        step_exchanges = [exchange for exchange in lane.exchanges if exchange.during == step.name]
        yield StepRow(
            step.name,
            step.command,
            step.code,
            step.seconds,
            spent(step_exchanges, talks=True),
            step.counted,
            step.problem,
        )
