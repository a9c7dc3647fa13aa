"""Why a question failed: one pure function a cause, in the order in which evidence can be lost."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from memgauge.records import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


class FailureCause(StrEnum):
    """Where the evidence of a failed question was lost, in the order in which it can be."""

    SEARCH_FAILED = "search failed"
    NOT_STORED = "never stored"
    LOST = "lost again"
    ALTERED = "stored altered"
    OTHER_SCOPE = "other scope"
    OLD_VERSION = "old version"
    NOT_RETURNED = "not returned"
    TOO_DEEP = "too deep"
    CUT = "cut by budget"
    UNKNOWN = "cannot tell"


HALF = 0.5
"""Of a turn, under which what is left of it is another text."""
_WORDS = 4
"""Missing words that are named."""


@dataclass(frozen=True)
class EvidenceClaim:
    """One memory version that says it descends from the evidence."""

    memory: str
    version: int
    share: float
    """How much of the turn its text bears, as far as the target credits its form."""
    intact: bool
    """Whether it repeats the turn, or nobody can read it."""
    missing: tuple[str, ...] = ()
    """Words of the turn that the question or its answer names, and that the text has no more."""
    form: str = ""
    """Its form, where the target does not credit that."""
    damage: str = ""
    """Where a copy of the turn breaks off, or says another word; empty where the text is none, or whole."""

    @property
    def whole(self) -> bool:
        """Whether nothing says that the turn was altered."""
        return self.intact or not (self.missing or self.damage or self.share < HALF)


@dataclass(frozen=True)
class EvidenceWrite:
    """The write that handed an evidence turn over."""

    outcome: str
    reason: str
    changed: tuple[str, ...] | None
    """Memories that the system said it changed; ``None`` where it does not say."""


@dataclass(frozen=True)
class SearchReach:
    """How far a search looked, and how far its measure."""

    returned: int
    k: int
    cutoff: int | None = None
    """Ranks that the measure looks at."""
    budget: int | None = None
    """Tokens that it pays for."""
    cap: int | None = None
    """The number at which most lists of this system end, less than what was asked for; ``None`` where none is."""
    silent: bool = False
    """Whether no search of the run returned anything."""


@dataclass(frozen=True)
class EvidenceTrail:
    """What the record shows of one evidence turn on its way to one question."""

    turn: str
    outcome: str = "ok"
    reason: str = ""
    tried: bool = True
    """Whether the search was tried at all."""
    untold: str = ""
    """Why the record cannot tell what is stored; empty where it can."""
    write: EvidenceWrite | None = None
    claims: tuple[EvidenceClaim, ...] = ()
    gone: str = ""
    """What took a memory that the write had reported; empty where nothing says so."""
    elsewhere: str = ""
    """Whose store holds the words of the turn, or where a reported memory may be."""
    reach: SearchReach = field(default_factory=lambda: SearchReach(0, 60))
    rank: int | None = None
    """The first rank whose memory bears the turn."""
    tokens: int | None = None
    """Tokens of the memories above it."""
    within: bool = False
    """Whether the measure looks at the whole of it."""
    reworded: int | None = None
    """The rank of a memory that claims the turn and came back with other words than are stored."""
    strangers: str = ""
    """Which ranks memories of another scope hold that keep the evidence out."""
    outdated: str = ""
    """Which rank holds an older version of the memory that bears the evidence."""
    superseded: str = ""
    """Which rank holds, in the place of the evidence, what is true at another time."""
    stale: str = ""
    """Since when nothing that was written came back in any search."""

    @property
    def bearing(self) -> tuple[EvidenceClaim, ...]:
        """Return the claims whose texts bear the turn."""
        return tuple(claim for claim in self.claims if claim.share > 0)


@dataclass(frozen=True)
class ExplainedFailure:
    """Where evidence was lost, and what shows it."""

    cause: FailureCause
    detail: str = ""
    turn: str = ""
    """The evidence turn that was lost first."""


def search_failed(trail: EvidenceTrail) -> str | None:
    """Say how the search failed."""
    if Outcome(trail.outcome).valid:
        return None
    why = trail.reason or trail.outcome
    return why if trail.tried and trail.outcome != Outcome.TIMEOUT else f"{_kind(trail)}: {why}"


def _kind(trail: EvidenceTrail) -> str:
    return "timeout" if trail.tried else "not tried"


def cannot_tell(trail: EvidenceTrail) -> str | None:
    """Say why the record does not show whether the turn was stored."""
    return trail.untold or None if not trail.claims else None


def never_stored(trail: EvidenceTrail) -> str | None:
    """Say which write left the turn in no memory, or in none that the target credits."""
    if trail.claims and all(claim.form for claim in trail.claims):
        return f"stored as {trail.claims[0].form} alone, which the target does not credit"
    if trail.claims or trail.gone or trail.elsewhere:
        return None
    if trail.write is None:
        return f"{trail.turn} was never handed over"
    if trail.write.outcome != Outcome.OK:
        return f"the write of {trail.turn} failed: {trail.write.reason or trail.write.outcome}"
    if trail.write.changed == ():
        return f"the write of {trail.turn} changed no memory"
    return f"no memory descends from {trail.turn}"


def lost_again(trail: EvidenceTrail) -> str | None:
    """Say what took a memory of the turn."""
    return trail.gone or None if not trail.claims else None


def stored_altered(trail: EvidenceTrail) -> str | None:
    """Say which words of the turn no memory bears any more."""
    if not trail.claims:
        return None
    if not trail.bearing:
        return f"{_named(trail.claims[0])} claims {trail.turn}, and its text does not bear it"
    if any(claim.whole for claim in trail.bearing):
        return None
    best = min(trail.bearing, key=lambda claim: (len(claim.missing), -claim.share))
    if best.damage:
        return f"{_named(best)} {best.damage}"
    if best.missing:
        return f"{_named(best)} holds {trail.turn} without: {', '.join(best.missing[:_WORDS])}"
    return _borne(best, trail)


def _borne(claim: EvidenceClaim, trail: EvidenceTrail) -> str:
    return f"{_named(claim)} bears {claim.share:.0%} of {trail.turn}"


def other_scope(trail: EvidenceTrail) -> str | None:
    """Say where else the turn is stored, or which ranks another scope holds."""
    if not trail.claims:
        return trail.elsewhere or None
    return trail.strangers or None


def returned_altered(trail: EvidenceTrail) -> str | None:
    """Say at which rank the memory came back with other words than it is stored with."""
    return None if trail.reworded is None else f"rank {trail.reworded}, with other words than are stored"


def old_version(trail: EvidenceTrail) -> str | None:
    """Say at which rank an older version came back."""
    return trail.outdated or None


def not_indexed(trail: EvidenceTrail) -> str | None:
    """Say since when nothing that was written comes back."""
    return trail.stale or None if trail.rank is None else None


def capped(trail: EvidenceTrail) -> str | None:
    """Say how many memories come back at most."""
    if trail.rank is not None or trail.reach.cap is None or trail.reach.returned < trail.reach.cap:
        return None
    return f"never more than {trail.reach.cap:,} come back"


def superseded(trail: EvidenceTrail) -> str | None:
    """Say which rank holds what is true at another time, where the evidence did not come back."""
    return f"{trail.superseded}, and the evidence did not come back" if _instead(trail) else None


def _instead(trail: EvidenceTrail) -> bool:
    return bool(trail.superseded) and trail.rank is None


def not_returned(trail: EvidenceTrail) -> str | None:
    """Say that the list ended without the evidence."""
    if trail.rank is not None or trail.reach.returned >= trail.reach.k:
        return None
    if trail.reach.silent:
        return "nothing came back in any search: an empty index, or another scope that is asked"
    return f"only {trail.reach.returned:,} came back" if trail.reach.returned else "nothing came back"


def too_deep(trail: EvidenceTrail) -> str | None:
    """Say at which rank the evidence stands."""
    if trail.rank is None:
        return f"not among {trail.reach.returned:,}"
    cutoff = trail.reach.cutoff
    if cutoff is None or trail.rank <= cutoff:
        return None
    return _beside(trail, f"rank {trail.rank}, and {cutoff} count")


def cut_by_budget(trail: EvidenceTrail) -> str | None:
    """Say at which rank, and behind how many tokens, the evidence stands."""
    if trail.rank is None or trail.reach.budget is None or trail.within:
        return None
    behind = "an unknown number of" if trail.tokens is None else f"{trail.tokens:,}"
    return _beside(trail, f"rank {trail.rank}, behind {behind} tokens, and {trail.reach.budget:,} count")


def _beside(trail: EvidenceTrail, detail: str) -> str:
    return f"{detail}; {trail.superseded}" if trail.superseded else detail


def borne_in_part(trail: EvidenceTrail) -> str | None:
    """Say how much of the turn came back, where it came back in time."""
    best = max(trail.bearing, key=lambda claim: claim.share)
    return _borne(best, trail) if best.share < 1 else None


def in_reach(trail: EvidenceTrail) -> str | None:
    """Say that the evidence came back, so that something else decided."""
    return f"{trail.turn} came back at rank {trail.rank}"


CAUSES: Mapping[Callable[[EvidenceTrail], str | None], FailureCause] = {
    search_failed: FailureCause.SEARCH_FAILED,
    cannot_tell: FailureCause.UNKNOWN,
    never_stored: FailureCause.NOT_STORED,
    lost_again: FailureCause.LOST,
    stored_altered: FailureCause.ALTERED,
    other_scope: FailureCause.OTHER_SCOPE,
    returned_altered: FailureCause.ALTERED,
    old_version: FailureCause.OLD_VERSION,
    not_indexed: FailureCause.NOT_RETURNED,
    capped: FailureCause.NOT_RETURNED,
    superseded: FailureCause.OLD_VERSION,
    not_returned: FailureCause.NOT_RETURNED,
    too_deep: FailureCause.TOO_DEEP,
    cut_by_budget: FailureCause.CUT,
    borne_in_part: FailureCause.ALTERED,
    in_reach: FailureCause.UNKNOWN,
}
"""What is asked of a trail, in this order; the first that has something to say names the cause."""


def _first_loss(trail: EvidenceTrail) -> tuple[int, ExplainedFailure]:
    """Name the first loss on the way of one evidence turn, and its place among the causes."""
    answers = ((place, cause, ask(trail)) for place, (ask, cause) in enumerate(CAUSES.items()))
    place, cause, detail = next((place, cause, detail) for place, cause, detail in answers if detail is not None)
    return place, ExplainedFailure(cause, detail, trail.turn)


def explain(trails: Sequence[EvidenceTrail]) -> ExplainedFailure:
    """Name the first loss among the evidence turns of one question that did not arrive.

    Of what was stored as it was said and found too late, what came nearest is named: it would have been enough.
    """
    if not trails:
        return ExplainedFailure(FailureCause.UNKNOWN, "the data names no evidence")

    def nearness(loss: tuple[int, ExplainedFailure, int]) -> tuple[bool, int, int]:
        place, _, rank = loss
        return (True, rank, place) if place >= _LATE else (False, place, rank)

    ranks = (_NOWHERE if trail.rank is None else trail.rank for trail in trails)
    losses = [(*_first_loss(trail), rank) for trail, rank in zip(trails, ranks, strict=True)]
    return min(losses, key=nearness)[1]


_NOWHERE = 1 << 30
_LATE = list(CAUSES).index(superseded)
"""From which cause on evidence is stored as it was said, and found too late."""


def _named(claim: EvidenceClaim) -> str:
    return f"memory {claim.memory}"
