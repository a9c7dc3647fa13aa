"""The rows of a card: each promise beside what was seen of it, and how the two go together."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from memgauge.records import Verdict
from memgauge.results import result

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.systems.conformance.card import Golden, SystemCard

LEAKS = ("CROSS_USER_LEAK", "CROSS_TENANT_LEAK", "CROSS_AGENT_LEAK", "CROSS_SESSION_LEAK")
STALE = ("STALE_READ", "MIXED_VERSIONS")
LOSSES = ("OMISSION", "LOST_ACROSS_SESSION", "NOT_DURABLE")
_BAD = {Verdict.FAIL, Verdict.ERROR}


class ClaimState(StrEnum):
    """How claim and observation go together."""

    KEPT = "kept"
    BROKEN = "broken"
    NOTED = "noted"
    """Nothing was promised of it, and it is worth knowing."""
    ABSENT = "absent"
    """Not claimed, not there."""
    UNKNOWN = "not looked at"


@result
@dataclass(frozen=True, slots=True)
class Aspect:
    """One row of a card."""

    name: str
    claimed: str
    observed: str
    state: ClaimState


def aspects(card: SystemCard) -> tuple[Aspect, ...]:
    """Return every row of a card, in a fixed order; what was not measured says so."""
    return (
        _checked(
            card, "finds what was stored", ("finds a stored turn", "dump lists what was stored", "reset empties")
        ),
        _checked(
            card, "hits are sound", ("respects k", "no duplicate hits", "finite scores", "hits are in the dump")
        ),
        _isolation(card),
        _offered(card, "persists across reopening", "durable", "reopen (durable)"),
        _offered(card, "update", "mutable", "update (mutable)"),
        _offered(card, "delete", "mutable", "delete (mutable)"),
        _offered(card, "erase a scope", "erasable", "erase (erasable)"),
        _residue(card),
        _offered(card, "expiry", "expiring", "expiry (expiring)"),
        _event_time(card),
        _offered(card, "history of a memory", "auditable", "history (auditable)"),
        _offered(card, "assembles a context", "assembling", "context (assembling)"),
        _offered(card, "answers by itself", "answering", "ask (answering)"),
        _offered(card, "learns from rewards", "learning", "reward (learning)"),
        _lineage(card),
        _found(card, "corrections replace", STALE, "former values served"),
        _found(card, "silent losses", LOSSES, "facts lost without a word"),
        _lag(card),
        _reads_only(card),
        _cap(card),
        _order(card),
        _checked(card, "takes any text", ("any text is accepted",)),
        _surroundings(card),
    )


def _checked(card: SystemCard, name: str, checks: Sequence[str]) -> Aspect:
    return Aspect(name, "required", *_judged(card, checks))


def _judged(card: SystemCard, checks: Sequence[str]) -> tuple[str, ClaimState]:
    verdicts = {check: card.verdict(check) for check in checks}
    bad = [check for check, verdict in verdicts.items() if verdict in _BAD]
    if bad:
        return "; ".join(f"{check}: {card.detail(check) or 'failed'}" for check in bad), ClaimState.BROKEN
    if any(verdict is Verdict.PASS for verdict in verdicts.values()):
        return "yes", ClaimState.KEPT
    known = [verdict for verdict in verdicts.values() if verdict is not None]
    return (str(known[0]), ClaimState.ABSENT) if known else ("", ClaimState.UNKNOWN)


def _offered(card: SystemCard, name: str, protocol: str, check: str) -> Aspect:
    if protocol not in card.offers:
        return Aspect(name, "no", "", ClaimState.ABSENT)
    return Aspect(name, "yes", *_judged(card, [check]))


def _isolation(card: SystemCard) -> Aspect:
    names = ("scopes are isolated", "unknown scope is empty", "other scopes change nothing")
    observed, state = _judged(card, names)
    if card.golden is not None and (leaks := card.golden.count(*LEAKS)):
        leaking = f"{leaks} golden scenarios leak"
        return Aspect("isolation", "required", "; ".join(filter(None, (observed, leaking))), ClaimState.BROKEN)
    return Aspect("isolation", "required", observed, state)


def _residue(card: SystemCard) -> Aspect:
    name, claimed = "nothing left after erasing", "yes" if "erasable" in card.offers else "no"
    if card.golden is None:
        return Aspect(name, claimed, "", ClaimState.UNKNOWN)
    if left := len(card.golden.left_behind):
        state = ClaimState.BROKEN if {"erasable", "mutable"}.intersection(card.offers) else ClaimState.NOTED
        return Aspect(name, claimed, f"bytes left in {left} scenarios", state)
    unnamed = card.footprint is not None and card.footprint.stored_bytes is None
    if unnamed or not {"erasable", "durable"} <= set(card.offers):
        return Aspect(name, claimed, "names no files to look into", ClaimState.UNKNOWN)
    return Aspect(name, claimed, *_none(card.golden))


def _event_time(card: SystemCard) -> Aspect:
    claimed = str(card.capabilities.get("event_time", ""))
    if card.golden is None:
        return Aspect("event time", claimed, "", ClaimState.UNKNOWN)
    wrong = card.golden.count("FUTURE_READ", "TIME_AXIS_CONFUSION", "LOST_HISTORY")
    bad = ClaimState.BROKEN if claimed == "used" else ClaimState.NOTED
    if not wrong:
        return Aspect("event time", claimed, *_none(card.golden))
    return Aspect("event time", claimed, f"{wrong} scenarios confuse times", bad)


def _lineage(card: SystemCard) -> Aspect:
    keys = {"receipts": "reports_changes", "sources": "declares_sources"}
    claims = ", ".join(way for way, key in keys.items() if card.capabilities.get(key))
    receipts = card.verdict("receipts name changes")
    verdicts = {"receipts": receipts, "sources": card.verdict("memories name sources")}
    bad = [way for way, verdict in verdicts.items() if verdict in _BAD]
    if bad:
        return Aspect("lineage", claims, f"wrong: {', '.join(bad)}", ClaimState.BROKEN)
    known = [way for way, verdict in verdicts.items() if verdict is Verdict.PASS]
    if not known:
        state = ClaimState.UNKNOWN if receipts is None else ClaimState.ABSENT
        return Aspect("lineage", claims or "no", "by comparing dumps" if receipts else "", state)
    return Aspect("lineage", claims, ", ".join(known), ClaimState.KEPT)


def _found(card: SystemCard, name: str, anomalies: Sequence[str], what: str) -> Aspect:
    if card.golden is None:
        return Aspect(name, "not claimed", "", ClaimState.UNKNOWN)
    number = card.golden.count(*anomalies)
    if not number:
        return Aspect(name, "not claimed", *_none(card.golden))
    return Aspect(name, "not claimed", f"{number} of {card.golden.played} scenarios: {what}", ClaimState.NOTED)


def _none(golden: Golden) -> tuple[str, ClaimState]:
    """Say that nothing was found, which shows something only where much was played and some of it passed."""
    if not golden.verdicts.get(Verdict.PASS, 0):
        return "no scenario passes, so that nothing is shown", ClaimState.UNKNOWN
    if 2 * golden.played < golden.of:
        return f"none in the {golden.played} of {golden.of} scenarios that were played", ClaimState.UNKNOWN
    return "none found", ClaimState.KEPT


def _lag(card: SystemCard) -> Aspect:
    claimed = str(card.capabilities.get("consistency", ""))
    if card.consistency is None:
        return Aspect("write to readable", claimed, "", ClaimState.UNKNOWN)
    lag = card.consistency.lag
    observed = "only after a flush" if lag.found_ms is None else f"after {lag.found_ms:.0f} ms"
    observed += ", and lost again" if lag.lost_again else ""
    if not lag.found_after_flush:
        return Aspect("write to readable", claimed, "not even after a flush", ClaimState.BROKEN)
    broken = claimed == "immediate" and (lag.found_ms is None or lag.lost_again)
    return Aspect("write to readable", claimed, observed, ClaimState.BROKEN if broken else ClaimState.KEPT)


def _reads_only(card: SystemCard) -> Aspect:
    claims = bool(card.capabilities.get("read_only_search", True))
    claimed = "yes" if claims else "no"
    if card.consistency is None:
        observed, state = _judged(card, ["search only reads"])
        return Aspect("searching only reads", claimed, observed, state if claims else ClaimState.UNKNOWN)
    measured = card.consistency
    if measured.changed:
        observed = f"{measured.searches} questions changed {measured.changed} memories"
        return Aspect("searching only reads", claimed, observed, ClaimState.BROKEN if claims else ClaimState.NOTED)
    if measured.files_changed:
        observed = f"the dump stays, {measured.files_changed} files are written"
        return Aspect("searching only reads", claimed, observed, ClaimState.NOTED)
    return Aspect("searching only reads", claimed, "yes", ClaimState.KEPT)


def _cap(card: SystemCard) -> Aspect:
    declared = card.capabilities.get("k_cap")
    claimed = "none" if declared is None else str(declared)
    if card.consistency is None:
        return Aspect("most hits", claimed, "", ClaimState.UNKNOWN)
    cap, stored = card.consistency.cap, card.consistency.stored
    if cap is None:
        return Aspect("most hits", claimed, f"all {stored}", ClaimState.KEPT)
    state = ClaimState.KEPT if cap == declared else ClaimState.NOTED
    return Aspect("most hits", claimed, f"{cap} of {stored}", state)


def _order(card: SystemCard) -> Aspect:
    seen = card.consistency
    if seen is None:
        return _checked(card, "order holds", ("same order twice", "top 10 begins top 60"))
    if seen.prefixed == seen.same_order == seen.searches:
        return Aspect("order holds", "required", "yes", ClaimState.KEPT)
    observed = f"top 10 begins top 60 in {seen.prefixed}, repeats agree in {seen.same_order} of {seen.searches}"
    return Aspect("order holds", "required", observed, ClaimState.BROKEN)


def _surroundings(card: SystemCard) -> Aspect:
    if card.outside is None:
        return Aspect("stays in its place", "required", "", ClaimState.UNKNOWN)
    seen = [f"reached for {address} ({times})" for address, times in sorted(card.outside.items())]
    seen += [f"wrote {path}" for path in card.strayed]
    state = ClaimState.BROKEN if seen else ClaimState.KEPT
    return Aspect("stays in its place", "required", "; ".join(seen) or "yes", state)


def costs(card: SystemCard) -> Iterator[tuple[str, str]]:
    """Say what writing costs, in what is known of it."""
    cost = card.footprint
    if cost is None:
        return
    for name, number, form in (
        ("bytes a memory", cost.bytes_per_memory, ",.0f"),
        ("ms a write", cost.write_ms, ".1f"),
        ("model calls a write", cost.calls_per_write, ".2f"),
        ("tokens a write", cost.tokens_per_write, ",.0f"),
    ):
        if number is not None:
            yield name, format(number, form)
