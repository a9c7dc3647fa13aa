"""Checking: what came back, beside what the ledger says should and must not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.results import result
from memgauge.studies.golden.abstaining import alternative, invented
from memgauge.studies.golden.announcing import announced
from memgauge.studies.golden.anomalies import BREAKS, Anomaly
from memgauge.studies.golden.binding import RELATIVES, Bond, Thing, bond, split_words, words_of
from memgauge.studies.golden.exposure import Wrong
from memgauge.studies.golden.ledger import Mood
from memgauge.studies.golden.lines import stands_as_line
from memgauge.studies.golden.masking import OTHER, VALUE, masked
from memgauge.studies.golden.stance import Stance, stances
from memgauge.studies.golden.tokens import found_in, in_full

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from memgauge.records import Scope
    from memgauge.studies.golden.driver import Returned, ReturnedText
    from memgauge.studies.golden.exposure import Exposed
    from memgauge.studies.golden.ledger import LedgerWrite, ScenarioLedger

UNJUDGED = "?"
"""The slot of a question of which nobody said what it is about."""
_SHOWN = 120
"""Characters of a text that a witness repeats."""
_LOOKS_LIKE_ONE = re.compile(r"\bzq[a-z]{8}\b", re.IGNORECASE)


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
    question: str = ""
    asked_at: datetime | None = None
    """When it is asked, where that is known."""


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


def check_read(
    read: Read, texts: Sequence[ReturnedText], ledger: ScenarioLedger, events: Events
) -> CheckedReading:
    """Compare one reading with the ledger.

    Tokens in a text that the memory marks as no longer valid are history and no anomaly. What has to come back
    must be affirmed, and told of the thing that it belongs to.
    """
    held_texts = [each.text for each in texts if not each.marked]
    bearing: dict[str, list[str]] = {}
    for text in held_texts:
        for token in ledger.tokens.found(text):
            bearing.setdefault(token, []).append(text)
    surfaced = frozenset(bearing)
    undecided = {write.token for write in ledger.undecided(read.scope, read.slot, read.at, read.asked_at)}
    expected = [w for w in ledger.holding(read.scope, read.slot, read.at) if w.token not in undecided]
    outcomes = {write.token: misreading(read, write, bearing.get(write.token, ()), ledger) for write in expected}
    present = {token for token, missed in outcomes.items() if missed is None}
    findings = []
    for write in expected:
        missed = outcomes[write.token]
        if missed is Anomaly.OMISSION:
            findings.append(_lost(read, write, expected, set(surfaced), events))
        elif missed is not None:
            findings.append(_misread(missed, read, write, bearing[write.token][0]))
    for token in sorted(surfaced - outcomes.keys() - undecided):
        nearest = min(ledger.writes_of(token), key=lambda w: (w.scope != read.scope, w.erased is not None))
        findings += _returned(read, nearest, bearing[token], present, ledger, events)
    elsewhere: list[AnomalyFinding] = []  # of what nobody said
    if read.layer == "answer":
        made_up = (
            _beside(read, held_texts, ledger)
            if expected or undecided
            else _invented(read, held_texts, surfaced, ledger)
        )
        elsewhere += made_up
    elsewhere += _garbage(read, texts, ledger)
    findings += elsewhere
    negative = len(ledger.tokens) - len(outcomes) + len(elsewhere)
    return CheckedReading(tuple(findings), len(expected), len(present), negative, surfaced)


def _garbage(read: Read, texts: Sequence[ReturnedText], ledger: ScenarioLedger) -> Iterator[AnomalyFinding]:
    """Name values that nobody wrote."""
    for word in sorted({match[0] for each in texts for match in _LOOKS_LIKE_ONE.finditer(each.text)}):
        if not ledger.tokens.found(word):
            what = f"R{read.step} returned {word}, which nobody wrote."
            yield AnomalyFinding(Anomaly.GARBAGE_READ, read.step, read.layer, what)


def misreading(read: Read, write: LedgerWrite, texts: Sequence[str], ledger: ScenarioLedger) -> Anomaly | None:
    """Return what keeps a value that holds from having come back: it is missing, denied, or told of another."""
    seen = {text: _stances_now(text, write, read.at, ledger) for text in texts}
    meant = stances(write.text, write.token, ledger.tokens.found(write.text), write.said_at)
    right = {Stance.AFFIRMED, Stance.TOLD, *(meant if Stance.AFFIRMED not in meant else ())}
    right |= {Stance.PAST} if read.past else set()
    affirming = [text for text, stance in seen.items() if stance & right]
    if not affirming:
        return Anomaly.NEGATED if any(Stance.DENIED in stance for stance in seen.values()) else Anomaly.OMISSION
    if read.layer != "answer" and not any(in_full(text, write.token) for text in affirming):
        return Anomaly.OMISSION
    if write.text and not any(_bound(text, read, write, ledger) for text in affirming):
        return Anomaly.MISATTRIBUTED
    return None


def _stances_now(text: str, write: LedgerWrite, at: datetime, ledger: ScenarioLedger) -> frozenset[Stance]:
    if text == write.text:
        return frozenset({Stance.AFFIRMED})
    seen = stances(text, write.token, ledger.tokens.found(text), at)
    # "My city was X" says what was told, and beside other lines reads as if it were over.
    return frozenset({Stance.AFFIRMED}) if seen == {Stance.PAST} and _is_a_line(text, write, ledger) else seen


def _is_a_line(text: str, write: LedgerWrite, ledger: ScenarioLedger) -> bool:
    """Whether a text of several lines has the turn that says a value as one, bare or behind who said it."""
    turn = ledger.turns.get((write.scope, write.turn))
    return turn is not None and bool(write.text) and stands_as_line(turn, text)


def _bound(text: str, read: Read, write: LedgerWrite, ledger: ScenarioLedger) -> bool:
    """Whether *text* tells a value of the slot that it belongs to; what answers a question may leave that out."""
    if text == write.text:
        return True
    thing = Thing(write.slot, write.text, write.token, read.question)
    rivals = [
        Thing(slot, rival.text, rival.token)
        for slot, rival in ledger.slots(read.scope).items()
        if slot != write.slot and rival.token != write.token
    ]
    others = ledger.tokens.found(text)
    mentioned = split_words(" ".join((write.text, read.question, *ledger.slots(read.scope))))
    whose = set(split_words(read.scope.user))
    others_names = {user for user in ledger.users - _NO_NAMES if not whose.issuperset(split_words(user))}
    people = others_names | RELATIVES.difference(mentioned)
    bound = bond(text, write.token, thing, rivals, others=others, people=people, owner=read.scope.user)
    if read.layer != "answer" or bound is Bond.SWAPPED:
        return bound is Bond.BOUND
    return bound is not Bond.LOOSE or len(words_of(masked(text, write.token, others)) - {VALUE, OTHER}) < 2


def _misread(kind: Anomaly, read: Read, write: LedgerWrite, text: str) -> AnomalyFinding:
    why = "denied it" if kind is Anomaly.NEGATED else f"did not tell it of {write.slot}"
    shown = " ".join(text.split())[:_SHOWN]
    what = (
        f"W{write.number} (step {write.step}) said {write.slot} = {write.token}; "
        f"R{read.step} ({read.layer}) {why}: {shown!r}. {_cannot(kind, 'twist')} W{write.number}."
    )
    return AnomalyFinding(kind, read.step, read.layer, what)


def foreign(
    step: int, layer: str, reader: Scope, texts: Iterable[ReturnedText], ledger: ScenarioLedger
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
        return _finding(
            Anomaly.POISON_ACTIVE,
            step,
            layer,
            seen.write,
            f"it, which was planted, stood {where}",
        )
    if seen.why is Wrong.EXPIRED:
        return _finding(Anomaly.EXPIRED_READ, step, layer, seen.write, f"it ended {seen.write.valid_to}: {where}")
    erased = seen.write.erased or 0
    revived = any(erased < event <= step for event in events.revivals)
    kind = Anomaly.RESURRECTION if revived else Anomaly.ERASED_READ
    kind = {"history": Anomaly.AUDIT_LEAK, "dump": Anomaly.RESIDUE}.get(returned.call, kind)
    return _finding(kind, step, layer, seen.write, f"step {erased} erased it, and it stood {where}")


_NO_NAMES = frozenset({"user", "default", "null", "none", "true", "false", "undefined", "nan", "me"})
"""Ids of users that are words of any text."""
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
    read: Read, write: LedgerWrite, texts: Sequence[str], present: set[str], ledger: ScenarioLedger, events: Events
) -> list[AnomalyFinding]:
    """Name what it means that a value came back which does not hold for this reading."""
    if write.scope != read.scope:
        return [_leak(read.step, read.layer, read.scope, write)]
    named = _forbidden(read, write, events) or _untimely(read, write, present, ledger)
    if named is None or (
        named[0] in _OUTLIVED and not any(_asserted(text, read, write, ledger) for text in texts)
    ):
        return []
    if named[0] is Anomaly.FUTURE_READ and write.announced and _all_announced(texts, read, write, ledger):
        return []
    return [_finding(named[0], read.step, read.layer, write, named[1])]


def _all_announced(texts: Sequence[str], read: Read, write: LedgerWrite, ledger: ScenarioLedger) -> bool:
    """Whether each of *texts* says itself that what it tells is yet to come."""
    return all(announced(text, write.token, ledger.tokens.found(text), read.at) for text in texts)


_OUTLIVED = frozenset(
    {Anomaly.STALE_READ, Anomaly.MIXED_VERSIONS, Anomaly.TIME_AXIS_CONFUSION, Anomaly.EXPIRED_READ}
)
"""What a text may say of the past, as long as it says so."""


def _asserted(text: str, read: Read, write: LedgerWrite, ledger: ScenarioLedger) -> bool:
    """Whether *text* says of what is over that it holds; the words that said so before it was over still do."""
    seen = _stances_now(text, write, read.at, ledger)
    if Stance.AFFIRMED in seen:
        return text != write.text or not write.backfilled or Stance.PAST not in stances(text, write.token)
    others = ledger.tokens.found(write.text)
    meant = stances(write.text, write.token, others, write.said_at)
    if write.backfilled or not write.text:
        return False
    if Stance.AFFIRMED not in meant:
        return bool(seen & meant)
    # "Until Friday it is X" told on Monday: on Saturday the same words recall it, and are as stale as any.
    return Stance.AFFIRMED not in stances(write.text, write.token, others, read.at) and bool(
        Stance.AFFIRMED in stances(text, write.token, ledger.tokens.found(text), write.said_at)
    )


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


def _untimely(
    read: Read, write: LedgerWrite, present: set[str], ledger: ScenarioLedger
) -> tuple[Anomaly, str] | None:
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


def _beside(read: Read, texts: Sequence[str], ledger: ScenarioLedger) -> Iterator[AnomalyFinding]:
    """Name what an answer holds possible beside what is known, and nobody said."""
    turns = [turn.text for (scope, _), turn in ledger.turns.items() if scope == read.scope]
    known = [*turns, *(write.token for write in ledger if write.scope == read.scope)]
    for text in texts:
        if made_up := alternative(text, read.question, known):
            what = f"R{read.step} ({read.layer}) held {made_up[:_SHOWN]!r} possible too, which nobody said."
            yield AnomalyFinding(Anomaly.CONFABULATION, read.step, read.layer, what)


def _invented(
    read: Read, texts: Sequence[str], surfaced: frozenset[str], ledger: ScenarioLedger
) -> Iterator[AnomalyFinding]:
    """Name what an answer makes up where nothing holds; one that declines may say more that is true."""
    own = [write for write in ledger if write.scope == read.scope and write.erased is None]
    others = {w.token: w for w in own if w.slot != read.slot and w.holds(read.at)}
    why = f"nothing was known of {read.slot}"
    turns = [turn.text for (scope, _), turn in ledger.turns.items() if scope == read.scope]
    known = [*turns, *(f"{write.slot} {write.token}" for write in own)]
    made_up = next(filter(None, (invented(text, read.question, known) for text in texts)), "")
    if not made_up:
        return
    named = sorted(token for token in surfaced & others.keys())
    for token in named:
        yield _finding(Anomaly.CONFABULATION, read.step, read.layer, others[token], why)
    if not named and read.slot != UNJUDGED and not surfaced:
        what = f"R{read.step} ({read.layer}) said {made_up[:_SHOWN]!r}; {why}, and nobody said it."
        yield AnomalyFinding(Anomaly.CONFABULATION, read.step, read.layer, what)


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
