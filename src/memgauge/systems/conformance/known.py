"""Failures of products that were reproduced by hand before, looked for again in what checks and suites say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.records import Verdict
from memgauge.results import result
from memgauge.systems.conformance.aspects import LEAKS, LOSSES, STALE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from memgauge.systems.conformance.card import SystemCard

_BAD = {Verdict.FAIL, Verdict.ERROR}


@dataclass(frozen=True, slots=True)
class KnownFailure:
    """One failure, and how a card would show it."""

    number: int
    name: str
    products: tuple[str, ...]
    shown: Callable[[SystemCard], str]
    """Says what on the card shows it; empty where nothing does."""


@result
@dataclass(frozen=True, slots=True)
class FailureEvidence:
    """One failure, and on which cards it was found."""

    number: int
    name: str
    products: tuple[str, ...]
    found: tuple[tuple[str, str], ...]
    """Card and what shows it."""


def failures(cards: Iterable[SystemCard]) -> tuple[FailureEvidence, ...]:
    """Look for every known failure on the cards of the products that have it."""
    listed = list(cards)
    return tuple(_evidence(failure, listed) for failure in KNOWN)


def _evidence(failure: KnownFailure, cards: Sequence[SystemCard]) -> FailureEvidence:
    shown = ((card.ref, failure.shown(card)) for card in cards if card.name in failure.products)
    by_card = tuple((ref, evidence) for ref, evidence in shown if evidence)
    return FailureEvidence(failure.number, failure.name, failure.products, by_card)


def _check(*names: str) -> Callable[[SystemCard], str]:
    def shown(card: SystemCard) -> str:
        return "; ".join(f"check {name!r}" for name in names if card.verdict(name) in _BAD)

    return shown


def _golden(*anomalies: str, family: str = "") -> Callable[[SystemCard], str]:
    def shown(card: SystemCard) -> str:
        if card.golden is None:
            return ""
        counts = [(name, card.golden.count(name, family=family)) for name in anomalies]
        return "; ".join(f"{name} in {number} scenarios" for name, number in counts if number)

    return shown


def _left_behind(card: SystemCard) -> str:
    left = card.golden.left_behind if card.golden else []
    return f"RESIDUE in {len(left)} scenarios" if left else ""


def _either(*ways: Callable[[SystemCard], str]) -> Callable[[SystemCard], str]:
    def shown(card: SystemCard) -> str:
        return "; ".join(filter(None, (way(card) for way in ways)))

    return shown


def _writes_on_search(card: SystemCard) -> str:
    seen = card.consistency
    if seen is None or not (seen.changed or seen.files_changed):
        return ""
    return f"{seen.searches} questions changed {seen.changed} memories and {seen.files_changed or 0} files"


KNOWN: Sequence[KnownFailure] = (
    KnownFailure(
        1,
        "a search reads across tenants",
        ("cognee",),
        _either(_golden(*LEAKS), _check("scopes are isolated", "unknown scope is empty")),
    ),
    KnownFailure(
        2,
        "what an assistant said is read across tenants",
        ("memoryos",),
        _either(_golden(*LEAKS), _check("unknown scope is empty", "scopes are isolated")),
    ),
    KnownFailure(
        3,
        "a second instance destroys what the first one stored",
        ("a-mem",),
        _check("other scopes change nothing", "scopes are isolated"),
    ),
    KnownFailure(4, "what expired is served", ("langgraph",), _check("expiry (expiring)")),
    KnownFailure(
        5,
        "erasing leaves text behind",
        ("mem0", "mem0-1", "cognee", "langgraph", "letta"),
        _left_behind,
    ),
    KnownFailure(6, "a turn without a reply is lost silently", ("memoryos",), _golden(*LOSSES)),
    KnownFailure(
        7,
        "deleting one takes others along, and restores nothing",
        ("graphiti",),
        _either(_check("delete (mutable)"), _golden("COLLATERAL_ERASURE")),
    ),
    KnownFailure(8, "an update loses where a memory came from", ("mem0-1",), _check("memories name sources")),
    KnownFailure(9, "contradictions are never resolved", ("mem0",), _golden(*STALE, family="currency")),
    KnownFailure(
        10,
        "a search changes what is stored",
        ("memoryos",),
        _either(_check("search only reads"), _writes_on_search),
    ),
    KnownFailure(
        11, "notes are rewritten after the wrong neighbour", ("a-mem",), _golden("GARBAGE_READ", "CONFABULATION")
    ),
)
"""The eleven, each with the products that have it and what would show it."""
