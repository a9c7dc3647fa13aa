"""What became of a request, and of a write: each in exactly one of a closed set of ways."""

from __future__ import annotations

from enum import StrEnum
from http import HTTPStatus
from typing import TYPE_CHECKING

from memgauge.records import Outcome
from memgauge.studies.weak.shapes import unfit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.studies.weak.record import Exchange, RecordedLane, RecordedWrite


class ReplyVerdict(StrEnum):
    """What became of a request."""

    FITS = "fits"
    """The reply is whole, and of the shape that was asked for, or any text would do."""
    UNFIT = "unfit"
    """The reply is whole, and no JSON, not by its schema, or no use of a tool."""
    CAPPED = "capped"
    """The reply was cut where it had as many tokens as it may have."""
    LATE = "late"
    """The reply was cut when its time was up."""
    REFUSED = "refused"
    """There was an error in the place of a reply."""
    UNANSWERED = "unanswered"
    """No reply had come when the lane ended."""


class WriteFate(StrEnum):
    """What a write was counted as, and what became of it."""

    STORED = "written, and stored"
    SILENT = "written, and nothing of it stored"
    FAILED = "failed, and nothing of it stored"
    FAILED_STORED = "failed, and stored all the same"

    @property
    def lost(self) -> bool:
        """Whether nothing of it is stored."""
        return self in {WriteFate.SILENT, WriteFate.FAILED}


def verdict(exchange: Exchange) -> ReplyVerdict:
    """Say what became of a request."""
    if not exchange.status:
        return ReplyVerdict.UNANSWERED
    if exchange.status != HTTPStatus.OK or exchange.why:
        return ReplyVerdict.REFUSED
    if exchange.finish == "length":
        return ReplyVerdict.CAPPED if exchange.output_tokens >= exchange.cap else ReplyVerdict.LATE
    return ReplyVerdict.UNFIT if unfit(exchange) else ReplyVerdict.FITS


def explained(exchange: Exchange) -> str:
    """Say in words what is wrong with a reply."""
    match verdict(exchange):
        case ReplyVerdict.UNANSWERED:
            return f"{exchange.purpose}: no reply had come when the lane ended"
        case ReplyVerdict.REFUSED:
            return f"{exchange.purpose}: refused: {exchange.why}"
        case ReplyVerdict.CAPPED:
            return f"{exchange.purpose}: the reply ran into its cap of {exchange.cap} tokens"
        case ReplyVerdict.LATE:
            return f"{exchange.purpose}: the reply was cut after {exchange.seconds:,.0f} s"
        case ReplyVerdict.UNFIT:
            return f"{exchange.purpose}: {unfit(exchange)}"
    return ""


def fates(lane: RecordedLane) -> dict[str, WriteFate]:
    """Say of every turn what became of it."""
    stored_turns = {turn for memory in lane.memories for turn in memory.sources}
    return {turn: _fate(write, turn in stored_turns) for write in lane.writes for turn in write.turns}


def _fate(write: RecordedWrite, is_stored: bool) -> WriteFate:
    if write.outcome == Outcome.OK:
        return WriteFate.STORED if is_stored else WriteFate.SILENT
    return WriteFate.FAILED_STORED if is_stored else WriteFate.FAILED


def why_lost(lane: RecordedLane) -> dict[str, str]:
    """Say of every turn that was lost why: what the harness was told, or what the model's replies were."""
    during: dict[str, list[Exchange]] = {}
    for exchange in lane.exchanges:
        during.setdefault(exchange.during, []).append(exchange)
    settling_writes = [write for write in lane.writes if not write.turns]
    became = fates(lane)
    return {
        turn: _why(write, settling_writes, during)
        for write in lane.writes
        for turn in write.turns
        if became[turn].lost
    }


def _why(
    write: RecordedWrite, settling_writes: Sequence[RecordedWrite], during: Mapping[str, list[Exchange]]
) -> str:
    if write.outcome != Outcome.OK:
        return write.reason
    if failure := next((entry.reason for entry in settling_writes if entry.reason), ""):
        return failure
    exchanges = [
        *during.get(write.name, ()),
        *(entry for settling in settling_writes for entry in during.get(settling.name, ())),
    ]
    if not exchanges:
        return "the model was not asked"
    explanations = list(dict.fromkeys(filter(None, map(explained, exchanges))))
    return (
        "; ".join(explanations)
        or f"{exchanges[-1].purpose}: nothing was made of the reply {exchanges[-1].shown!r}"
    )


def retries(exchanges: Sequence[Exchange], *, talks: bool = False) -> int:
    """Count requests that were made again in the same write.

    A request that goes on where another ended is a conversation where *talks*, else a retry that says what was
    wrong.
    """
    requests = [(exchange.during, exchange.key if talks else exchange.opening) for exchange in exchanges]
    return len(requests) - len(set(requests))
