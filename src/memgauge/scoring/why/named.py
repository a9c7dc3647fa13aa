"""Why one named memory was not returned, without gold: in the order in which it can be lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.records import Outcome
from memgauge.runs.record.searches import StoredState
from memgauge.scoring.causes import ExplainedFailure, FailureCause

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memgauge.runs.record.searches import SearchMoment, StoredMemory
    from memgauge.scoring.why.cuts import ContextCut


def why_not(moment: SearchMoment, memory: str, cuts: tuple[ContextCut, ...] = ()) -> ExplainedFailure | None:
    """Say why *memory* did not reach a reader; ``None`` where it did, in the version that was stored."""
    if not Outcome(moment.outcome).valid and moment.captured:
        return ExplainedFailure(FailureCause.SEARCH_FAILED, moment.reason or moment.outcome, memory)
    hits = moment.hits_on([memory])
    if hits:
        for cause, detail in (_outdated(moment, memory), *(cut.keeps_out(hits[0].rank) for cut in cuts)):
            if detail:
                return ExplainedFailure(cause, detail, memory)
        return None
    cause, detail = _absent(moment, memory)
    return ExplainedFailure(cause, detail, memory)


def _outdated(moment: SearchMoment, memory: str) -> tuple[FailureCause, str]:
    """Say that an older version came back than was stored."""
    hit, stored = moment.hits_on([memory])[0], moment.state_of(memory)
    if stored is None or not hit.version or not stored.version or hit.version >= stored.version:
        return FailureCause.OLD_VERSION, ""
    detail = f"rank {hit.rank} is its version {hit.version}, and version {stored.version} was stored"
    return FailureCause.OLD_VERSION, f"{detail} by {stored.by}"


def _absent(moment: SearchMoment, memory: str) -> tuple[FailureCause, str]:
    stored = moment.state_of(memory)
    if stored is None:
        return _never_seen(moment, memory)
    if stored.live and moment.apart(stored):
        return FailureCause.OTHER_SCOPE, f"it is stored under {_place(stored)}, and {_place(moment)} was searched"
    return _BY_STATE[stored.state](moment, stored)


def _place(where: StoredMemory | SearchMoment) -> str:
    return " in ".join(filter(None, (where.scope, where.store)))


def _never_seen(moment: SearchMoment, memory: str) -> tuple[FailureCause, str]:
    if failed := [write for write in moment.failed if memory in write.memories]:
        return FailureCause.NOT_STORED, f"the write {failed[-1].by} failed: {failed[-1].reason}"
    if moment.unseen_before:
        return FailureCause.UNKNOWN, (
            f"no write of {memory} was seen; the trace began at {moment.unseen_before}, and the write would have "
            "happened before, or elsewhere"
        )
    return FailureCause.NOT_STORED, f"no write reported {memory}, and nothing returned or listed it"


def _removed(_: SearchMoment, stored: StoredMemory) -> tuple[FailureCause, str]:
    return FailureCause.LOST, f"it was removed by {stored.gone_by}"


def _later(_: SearchMoment, stored: StoredMemory) -> tuple[FailureCause, str]:
    return FailureCause.NOT_STORED, f"it was first stored by {stored.by}, after the search began"


def _unseen(_: SearchMoment, stored: StoredMemory) -> tuple[FailureCause, str]:
    return FailureCause.UNKNOWN, (
        f"{stored.by} reported it, and nothing returned or listed it: it may be gone, or in another scope"
    )


def _undated(_: SearchMoment, stored: StoredMemory) -> tuple[FailureCause, str]:
    return FailureCause.UNKNOWN, f"nobody saw when {stored.memory} was written"


def _not_among(moment: SearchMoment, _: StoredMemory) -> tuple[FailureCause, str]:
    n = len(moment.hits)
    if not moment.captured:
        shown = f"only {n:,} of what came back" if n else "nothing of what came back"
        return FailureCause.UNKNOWN, f"{shown} was captured"
    if moment.k is not None and n >= moment.k:
        return FailureCause.TOO_DEEP, f"it is not among the {n:,} that were asked for"
    return FailureCause.NOT_RETURNED, f"only {n:,} came back" if n else "nothing came back"


_BY_STATE: Mapping[StoredState, Callable[[SearchMoment, StoredMemory], tuple[FailureCause, str]]] = {
    StoredState.STORED: _not_among,
    StoredState.REMOVED: _removed,
    StoredState.LATER: _later,
    StoredState.UNSEEN: _unseen,
    StoredState.UNDATED: _undated,
}
