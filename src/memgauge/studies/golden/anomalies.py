"""What can be wrong with a read, by name; which name stands for which, and which memory it breaks.

Names are inferred from who wrote what was returned, never declared by a scenario.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Anomaly(StrEnum):
    """One kind of wrong read or wrong state."""

    GARBAGE_READ = "GARBAGE_READ"
    """A token that no write of this scenario holds."""
    CROSS_USER_LEAK = "CROSS_USER_LEAK"
    CROSS_TENANT_LEAK = "CROSS_TENANT_LEAK"
    CROSS_AGENT_LEAK = "CROSS_AGENT_LEAK"
    CROSS_SESSION_LEAK = "CROSS_SESSION_LEAK"
    """What a session keeps to itself is shown outside of it, or the other way round."""
    POISON_ACTIVE = "POISON_ACTIVE"
    """What an untrusted channel said is returned as memory."""
    STALE_READ = "STALE_READ"
    MIXED_VERSIONS = "MIXED_VERSIONS"
    """The present value and a former one, both as if they held."""
    EXPIRED_READ = "EXPIRED_READ"
    FUTURE_READ = "FUTURE_READ"
    TIME_AXIS_CONFUSION = "TIME_AXIS_CONFUSION"
    """The order of telling beats the order of time: what was told late of the past is returned as the present."""
    LOST_HISTORY = "LOST_HISTORY"
    """What was true then is not returned for then."""
    OMISSION = "OMISSION"
    LOST_ACROSS_SESSION = "LOST_ACROSS_SESSION"
    """It was there in the session in which it was said, or was said in another one, and is gone."""
    NOT_DURABLE = "NOT_DURABLE"
    """It is gone since a restart."""
    FALSE_SUPERSESSION = "FALSE_SUPERSESSION"
    """A value is gone although another one may hold beside it."""
    FALSE_APPLY = "FALSE_APPLY"
    """What was supposed, quoted or denied is returned as a fact."""
    ERASED_READ = "ERASED_READ"
    RESURRECTION = "RESURRECTION"
    """Erased, gone, and back after maintenance, a restart or a replay."""
    RESIDUE = "RESIDUE"
    """Erased, not returned, and still in the store or in its files."""
    COLLATERAL_ERASURE = "COLLATERAL_ERASURE"
    """Gone since an erasure of something else."""
    UNAUDITED = "UNAUDITED"
    AUDIT_LEAK = "AUDIT_LEAK"
    DUPLICATE = "DUPLICATE"
    CONFABULATION = "CONFABULATION"
    """An answer where nothing holds."""
    UNSTABLE = "UNSTABLE"
    """Two equal reads without a write between them differ."""
    OVER_LIMIT = "OVER_LIMIT"
    """More was returned than was asked for."""
    MISATTRIBUTED = "MISATTRIBUTED"
    """The value of one thing is told of another, or of nothing."""
    NEGATED = "NEGATED"
    """What was said to be so is returned as if it were not so."""
    FALSE_SOURCE = "FALSE_SOURCE"
    """A memory names a turn that nobody said, that is another's, or that does not bear its text."""
    FALSE_TIME = "FALSE_TIME"
    """A memory says of itself that it held, or happened, when it did not."""
    MISCOUNT = "MISCOUNT"
    """A deletion, or a receipt, says that more, fewer or other memories changed than did."""
    LOST_UPDATE = "LOST_UPDATE"
    """Of two writes at once that were both acknowledged, one is gone."""
    DIRTY_READ = "DIRTY_READ"
    """What was returned belongs to a write that failed, or to half of one."""
    WRITE_CYCLE = "WRITE_CYCLE"
    """No order of the writes at once explains what was read."""


LEAKS = frozenset(
    {Anomaly.CROSS_USER_LEAK, Anomaly.CROSS_TENANT_LEAK, Anomaly.CROSS_AGENT_LEAK, Anomaly.CROSS_SESSION_LEAK}
)
"""What is shown to whom it does not belong."""
IMPLIED: Mapping[Anomaly, frozenset[Anomaly]] = {
    Anomaly.RESURRECTION: frozenset({Anomaly.ERASED_READ}),
    Anomaly.NOT_DURABLE: frozenset({Anomaly.OMISSION, Anomaly.LOST_ACROSS_SESSION}),
    Anomaly.LOST_ACROSS_SESSION: frozenset({Anomaly.OMISSION}),
    Anomaly.COLLATERAL_ERASURE: frozenset({Anomaly.OMISSION, Anomaly.LOST_ACROSS_SESSION}),
    Anomaly.FALSE_SUPERSESSION: frozenset({Anomaly.OMISSION, Anomaly.LOST_ACROSS_SESSION}),
    Anomaly.TIME_AXIS_CONFUSION: frozenset({Anomaly.STALE_READ, Anomaly.MIXED_VERSIONS}),
}
"""What follows from an anomaly and is not reported beside it."""


class Model(StrEnum):
    """What a memory can promise, weakest first; the last five stand beside the others."""

    SESSION = "session-consistent"
    """What was written in a session can be read in it."""
    DURABLE = "durable"
    CURRENT = "current"
    COEXISTING = "coexisting"
    BITEMPORAL = "bitemporal"
    ISOLATED = "isolated"
    ERASABLE = "erasable"
    INTEGRITY = "untrusted-safe"
    ATTRIBUTABLE = "attributable"
    CONCURRENT = "concurrent"
    """Writes that happen at once end as if one had happened after the other."""


LADDER = (Model.SESSION, Model.DURABLE, Model.CURRENT, Model.COEXISTING, Model.BITEMPORAL)
_BROKEN_BY: Mapping[Model, frozenset[Anomaly]] = {
    Model.SESSION: frozenset({Anomaly.GARBAGE_READ, Anomaly.OMISSION, Anomaly.UNSTABLE, Anomaly.OVER_LIMIT}),
    Model.DURABLE: frozenset({Anomaly.LOST_ACROSS_SESSION, Anomaly.NOT_DURABLE}),
    Model.CURRENT: frozenset(
        {
            *(Anomaly.STALE_READ, Anomaly.MIXED_VERSIONS, Anomaly.EXPIRED_READ),
            *(Anomaly.FALSE_APPLY, Anomaly.CONFABULATION, Anomaly.MISATTRIBUTED, Anomaly.NEGATED),
        }
    ),
    Model.COEXISTING: frozenset({Anomaly.FALSE_SUPERSESSION, Anomaly.DUPLICATE}),
    Model.BITEMPORAL: frozenset(
        {Anomaly.FUTURE_READ, Anomaly.TIME_AXIS_CONFUSION, Anomaly.LOST_HISTORY, Anomaly.FALSE_TIME}
    ),
    Model.ISOLATED: LEAKS,
    Model.ERASABLE: frozenset(
        {Anomaly.ERASED_READ, Anomaly.RESURRECTION, Anomaly.RESIDUE, Anomaly.COLLATERAL_ERASURE}
        | {Anomaly.MISCOUNT}
    ),
    Model.INTEGRITY: frozenset({Anomaly.POISON_ACTIVE}),
    Model.ATTRIBUTABLE: frozenset({Anomaly.UNAUDITED, Anomaly.AUDIT_LEAK, Anomaly.FALSE_SOURCE}),
    Model.CONCURRENT: frozenset({Anomaly.LOST_UPDATE, Anomaly.DIRTY_READ, Anomaly.WRITE_CYCLE}),
}
BREAKS: Mapping[Anomaly, Model] = {kind: model for model, kinds in _BROKEN_BY.items() for kind in kinds}
"""The promise that an anomaly breaks."""


def roots(anomalies: Iterable[Anomaly]) -> tuple[Anomaly, ...]:
    """Leave out what follows from another anomaly that was found; the rest comes in the order of the names."""
    kinds = set(anomalies)
    implied = {effect for kind in kinds for effect in IMPLIED.get(kind, ())}
    return tuple(kind for kind in Anomaly if kind in kinds - implied)


def weakest_violated(anomalies: Iterable[Anomaly]) -> tuple[Model | None, tuple[Model, ...]]:
    """Return the weakest promise of the ladder that is broken, and every other broken or unreachable one."""
    broken = {BREAKS[kind] for kind in anomalies}
    ladder = [model for model in LADDER if model in broken]
    weakest = ladder[0] if ladder else None
    above = LADDER[LADDER.index(weakest) + 1 :] if weakest else ()
    beside = tuple(model for model in Model if model in broken and model not in LADDER)
    return weakest, (*above, *beside)
