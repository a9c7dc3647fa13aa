"""Checking: what came back, beside what the ledger says should and must not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.results import result
from memgauge.studies.golden.anomalies import BREAKS, Anomaly
from memgauge.studies.golden.exposure import Wrong
from memgauge.studies.golden.ledger import Mood
from memgauge.studies.golden.tokens import found_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from memgauge.records import Scope
    from memgauge.studies.golden.driver import Returned, ReturnedText
    from memgauge.studies.golden.exposure import Exposed
    from memgauge.studies.golden.ledger import Ledger, LedgerWrite

_LOOKS_LIKE_ONE = re.compile(r"\bzq[a-z]{8}\b", re.IGNORECASE)
_DECLINES = re.compile(r"\b(?:not|no|never|none|nothing|nobody|unknown|cannot)\b|n['\u2019]t\b", re.IGNORECASE)


@result
@dataclass(frozen=True)
class AnomalyFinding:
    """One anomaly with its witness."""

    anomaly: Anomaly
    step: int
    layer: str
    witness: str
    """Which write, what happened to it, and which read returned it or did not."""


@dataclass(frozen=True)
class Read:
    """One reading."""

    step: int
    layer: str
    scope: Scope
    session: str
    slot: str
    at: datetime
    past: bool
    """Whether it asks about another time than now."""


@dataclass(frozen=True)
class Events:
    """Steps at which something happened that can lose or bring back what was written."""

    restarts: tuple[int, ...] = ()
    erasures: tuple[int, ...] = ()
    revivals: tuple[int, ...] = ()
    """Maintenance, restarts and replays."""
    seen: frozenset[str] = frozenset()
    """Tokens that came back before: what never did cannot have been lost on the way."""


@dataclass(frozen=True)
class CheckedReading:
    """What one reading showed."""

    findings: tuple[AnomalyFinding, ...]
    positive: int
    """Values that had to come back."""
    returned: int
    """Of these, how many did."""
    negative: int
    """Values that must not have come back."""
    surfaced: frozenset[str]


def check_read(read: Read, texts: Sequence[ReturnedText], ledger: Ledger, events: Events) -> CheckedReading:
    """Compare one reading with the ledger.

    Tokens in a text that the memory marks as no longer valid are history and no anomaly.
    """
    tokens = {write.token for write in ledger}
    surfaced = {token for each in texts if not each.marked for token in found_in(each.text, tokens)}
    expected = ledger.holding(read.scope, read.slot, read.at)
    missing = [write for write in expected if write.token not in surfaced]
    findings = [_lost(read, write, expected, surfaced, events) for write in missing]
    held = {write.token for write in expected}
    for token in sorted(surfaced - held):
        write = ledger.by_token(token)
        if write is not None:
            findings += _returned(read, write, held & surfaced, ledger, events)
    if read.layer == "answer" and not expected and not any(_DECLINES.search(each.text) for each in texts):
        findings += _invented(read, surfaced, ledger)
    unknown = {match[0] for each in texts for match in _LOOKS_LIKE_ONE.finditer(each.text)}
    known = {token.casefold() for token in tokens}
    findings += [
        AnomalyFinding(
            Anomaly.GARBAGE_READ, read.step, read.layer, f"R{read.step} returned {word}, which nobody wrote."
        )
        for word in sorted(unknown)
        if word.casefold() not in known
    ]
    return CheckedReading(
        tuple(findings), len(expected), len(expected) - len(missing), len(tokens - held), frozenset(surfaced)
    )


def foreign(
    step: int, layer: str, reader: Scope, texts: Iterable[ReturnedText], ledger: Ledger
) -> tuple[tuple[AnomalyFinding, ...], int]:
    """Find what belongs to others in a reading; return also how many values must not have come back."""
    theirs = {write.token: write for write in ledger if write.scope != reader}
    own = {write.token for write in ledger if write.scope == reader}
    hit = sorted({token for each in texts for token in found_in(each.text, theirs)} - own)
    return tuple(_leak(step, layer, reader, theirs[token]) for token in hit), len(theirs)


def named_exposure(step: int, returned: Returned, seen: Exposed, events: Events) -> AnomalyFinding:
    """Name what it means that a value stood somewhere in what a call gave back."""
    layer = _LAYERS.get(returned.call, "store")
    where = f"in the {seen.field} of what {returned.call} returned" + (", in another form" if seen.covered else "")
    if seen.why is Wrong.FOREIGN and returned.scope is not None:
        kind = _kind_of_leak(returned.scope, seen.write)
        return _finding(kind, step, layer, seen.write, f"{_whose(returned.scope)} was shown it {where}")
    if seen.why is Wrong.PLANTED:
        return _finding(Anomaly.POISON_ACTIVE, step, layer, seen.write, f"its channel must not be believed: {where}")
    if seen.why is Wrong.EXPIRED:
        return _finding(Anomaly.EXPIRED_READ, step, layer, seen.write, f"it ended on {seen.write.valid_to}: {where}")
    erased = seen.write.erased or 0
    revived = any(erased < event <= step for event in events.revivals)
    kind = Anomaly.RESURRECTION if revived else Anomaly.ERASED_READ
    kind = {"history": Anomaly.AUDIT_LEAK, "dump": Anomaly.RESIDUE}.get(returned.call, kind)
    return _finding(kind, step, layer, seen.write, f"step {erased} erased it, and it stood {where}")


_LAYERS = {"search": "recall", "context": "context", "ask": "answer"}


def _kind_of_leak(reader: Scope, write: LedgerWrite) -> Anomaly:
    if write.scope.tenant != reader.tenant:
        return Anomaly.CROSS_TENANT_LEAK
    if write.scope.user != reader.user:
        return Anomaly.CROSS_USER_LEAK
    return Anomaly.CROSS_AGENT_LEAK if write.scope.agent != reader.agent else Anomaly.CROSS_SESSION_LEAK


def _leak(step: int, layer: str, reader: Scope, write: LedgerWrite) -> AnomalyFinding:
    kind = _kind_of_leak(reader, write)
    where = " outside of that session" if kind is Anomaly.CROSS_SESSION_LEAK and reader.session is None else ""
    return _finding(kind, step, layer, write, f"{_whose(reader)} was shown it{where}")


def _returned(
    read: Read, write: LedgerWrite, present: set[str], ledger: Ledger, events: Events
) -> list[AnomalyFinding]:
    """Name what it means that a value came back which does not hold for this reading."""
    if write.scope != read.scope:
        return [_leak(read.step, read.layer, read.scope, write)]
    named = _forbidden(read, write, events) or _untimely(read, write, present, ledger)
    return [_finding(named[0], read.step, read.layer, write, named[1])] if named else []


def _forbidden(read: Read, write: LedgerWrite, events: Events) -> tuple[Anomaly, str] | None:
    """Name a value that must never come back, whatever is asked."""
    if write.erased is not None:
        revived = any(write.erased < event <= read.step for event in events.revivals)
        kind = Anomaly.RESURRECTION if revived else Anomaly.ERASED_READ
        return kind, f"step {write.erased} erased it"
    if write.mood is Mood.PLANTED:
        return Anomaly.POISON_ACTIVE, "its channel must not be believed"
    if write.mood is Mood.SUPPOSED:
        return Anomaly.FALSE_APPLY, "it was said and not meant"
    return None


def _untimely(read: Read, write: LedgerWrite, present: set[str], ledger: Ledger) -> tuple[Anomaly, str] | None:
    """Name a value of the slot that is asked for which holds at another time."""
    if write.slot != read.slot:
        return None
    if write.valid_from is not None and write.valid_from > read.at:
        return Anomaly.FUTURE_READ, f"on {read.at:%Y-%m-%d} it was not yet true"
    by = next((rival for rival in ledger if rival.number == write.ended_by), None)
    if write.backfilled or (by is not None and by.number < write.number):
        return Anomaly.TIME_AXIS_CONFUSION, "it was told late of an earlier time"
    if by is not None:
        kind = Anomaly.MIXED_VERSIONS if present else Anomaly.STALE_READ
        return kind, f"W{by.number} (step {by.step}) replaced it by {by.token}"
    return Anomaly.EXPIRED_READ, f"it ended on {write.valid_to:%Y-%m-%d}"


def _invented(read: Read, surfaced: set[str], ledger: Ledger) -> list[AnomalyFinding]:
    """Name an answer that gives a value of another slot where nothing holds; one that declines may say more."""
    others = {w.token: w for w in ledger if w.scope == read.scope and w.slot != read.slot and w.holds(read.at)}
    why = f"nothing was known of {read.slot}"
    return [
        _finding(Anomaly.CONFABULATION, read.step, read.layer, others[token], why)
        for token in sorted(surfaced & others.keys())
    ]


def _lost(
    read: Read, write: LedgerWrite, expected: Sequence[LedgerWrite], surfaced: set[str], events: Events
) -> AnomalyFinding:
    """Name what it means that a value did not come back which holds for this reading."""
    was_there = write.token in events.seen
    siblings = any(rival.token in surfaced for rival in expected)
    later = [rival for rival in expected if rival.number > write.number]
    if read.past:
        kind, why = Anomaly.LOST_HISTORY, f"it was true on {read.at:%Y-%m-%d}"
    elif was_there and any(write.step < event <= read.step for event in events.restarts):
        kind, why = Anomaly.NOT_DURABLE, "the memory was restarted"
    elif was_there and any(write.step < event <= read.step for event in events.erasures):
        kind, why = Anomaly.COLLATERAL_ERASURE, "something else was erased"
    elif not write.functional and siblings and later:
        kind, why = Anomaly.FALSE_SUPERSESSION, "another value came and may hold beside it"
    elif write.session != read.session:
        kind, why = Anomaly.LOST_ACROSS_SESSION, "another session began"
    else:
        kind, why = Anomaly.OMISSION, "nothing ended it"
    what = (
        f"W{write.number} (step {write.step}) said {write.slot} = {write.token}; {why}; "
        f"R{read.step} ({read.layer}) did not return it. {_cannot(kind, 'lose')} W{write.number}."
    )
    return AnomalyFinding(kind, read.step, read.layer, what)


def _finding(kind: Anomaly, step: int, layer: str, write: LedgerWrite, why: str) -> AnomalyFinding:
    what = (
        f"W{write.number} (step {write.step}) said {write.slot} = {write.token} as {_whose(write.scope)}; {why}; "
        f"R{step} ({layer}) returned it. {_cannot(kind, 'return')} W{write.number} here."
    )
    return AnomalyFinding(kind, step, layer, what)


def _cannot(kind: Anomaly, verb: str) -> str:
    return f"A memory that is {BREAKS[kind]} cannot {verb}"


def _whose(scope: Scope) -> str:
    parts = [scope.user or "(nobody)"]
    if scope.tenant != "default":
        parts.append(f"of {scope.tenant}")
    if scope.agent:
        parts.append(f"with {scope.agent}")
    if scope.session is not None:
        parts.append(f"in session {scope.session}")
    return " ".join(parts)
