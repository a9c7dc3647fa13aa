"""Gates beside the scenarios: what a memory must offer, may not lose, and how slow it may be.

A scenario that a memory does not support says nothing, so that whoever offers nothing fails nothing. What a
product needs is therefore named, or taken from the run that was accepted last.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median, quantiles
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError
from memgauge.registry import require_known, unknown_name
from memgauge.results import result
from memgauge.show.numbers import spelled
from memgauge.systems.protocol import OPTIONAL

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memgauge.studies.golden.history import RunFacts

METHODS: Mapping[str, tuple[str, ...]] = {
    "mutable": ("update", "delete"),
    "erasable": ("erase",),
    "expiring": ("ingest_expiring", "sweep"),
    "auditable": ("history",),
    "durable": ("reopen",),
    "assembling": ("context",),
    "answering": ("ask",),
}
"""The optional methods that scenarios call, by the protocol that they belong to."""
LEAST_CALLS = 20
"""Calls of a method below which its speed is not compared with a baseline's."""


@dataclass(frozen=True)
class ProductClass:
    """What products of one kind need of a memory, each with the reason."""

    title: str
    needs: Mapping[str, str]


CLASSES: Mapping[str, ProductClass] = {
    "session": ProductClass("a memory of one conversation, thrown away with it", {}),
    "assistant": ProductClass(
        "an assistant that remembers one person",
        {
            "durable": "what was said yesterday is there after an update of the program",
            "mutable": "a person corrects one thing and keeps the rest",
            "erasable": "a person leaves, and takes everything along",
        },
    ),
    "support": ProductClass(
        "a memory of many customers, for those who serve them",
        {
            "durable": "a customer's story outlives a deployment",
            "mutable": "one wrong note of a customer is corrected",
            "erasable": "a customer has a right to be forgotten",
            "expiring": "what is kept for a time ends with it",
        },
    ),
    "regulated": ProductClass(
        "a memory in health, finance or law",
        {
            "durable": "records may not be lost",
            "mutable": "a wrong record must be corrected",
            "erasable": "erasure is a duty with a deadline",
            "expiring": "retention is limited by law",
            "auditable": "who changed what is asked for afterwards",
        },
    ),
}
"""Few classes, each more than the one before."""


@dataclass(frozen=True)
class Gates:
    """What is asked of a memory beside its scenarios."""

    required: tuple[str, ...] = ()
    product: str = ""
    """One of :data:`CLASSES`, whose needs are required too."""
    slowest_ms: float | None = None
    """What 95 of 100 calls of any method may take."""
    slower: float | None = None
    """How many times as long as in the baseline 95 of 100 calls of a method may take."""

    def __post_init__(self) -> None:
        """Refuse names and limits that there are not.

        Raises:
            UnknownNameError: No such capability, or no such class.
            ConfigError: A limit that nothing keeps.
        """
        require_known("capability", self.required, OPTIONAL)
        if self.product and self.product not in CLASSES:
            raise unknown_name("class of products", self.product, CLASSES)
        for limit, least in ((self.slowest_ms, 0), (self.slower, 1)):
            if limit is not None and not limit > least:
                raise ConfigError(f"No memory is within a limit of {limit:g}.", f"Take more than {least}.")

    @property
    def timed(self) -> bool:
        """Whether calls have to be timed."""
        return self.slowest_ms is not None or self.slower is not None

    def needs(self) -> dict[str, str]:
        """Return every capability that is required, with the reason."""
        needs = CLASSES[self.product].needs if self.product else {}
        of_class = {name: f"{self.product}: {why}" for name, why in needs.items()}
        return {**dict.fromkeys(self.required, "it is required"), **of_class}


@result
@dataclass(frozen=True)
class MethodTimes:
    """How long the calls of one method took."""

    method: str
    n: int
    median_ms: float
    p95_ms: float
    slowest_ms: float

    @classmethod
    def of(cls, method: str, ms: Sequence[float]) -> MethodTimes:
        """Sum up the calls of *method*."""
        p95 = quantiles(ms, n=20, method="inclusive")[-1] if len(ms) > 1 else ms[0]
        return cls(method, len(ms), median(ms), p95, max(ms))


@result
@dataclass(frozen=True)
class MissedGate:
    """A gate that keeps a memory from being let through, whatever its scenarios say."""

    gate: str
    """``required``, ``dropped``, ``slow`` or ``slower``."""
    what: str
    """The capability, or the method."""
    why: str


def missed(
    gates: Gates, offers: Iterable[str], times: Sequence[MethodTimes] = (), baseline: RunFacts | None = None
) -> tuple[MissedGate, ...]:
    """Return every gate that is missed; *baseline* is the run that was accepted last."""
    return tuple(_missed(gates, frozenset(offers), times, baseline))


def _missed(
    gates: Gates, offers: frozenset[str], times: Sequence[MethodTimes], baseline: RunFacts | None
) -> Iterator[MissedGate]:
    for name, why in gates.needs().items():
        if name not in offers:
            yield MissedGate("required", name, f"the memory is not {name} ({why})")
    for name in baseline.offers if baseline else ():
        if name not in offers:
            yield MissedGate("dropped", name, f"the memory was {name} in the accepted run, and is no longer")
    for each in times:
        if gates.slowest_ms is not None and each.p95_ms > gates.slowest_ms:
            took = spelled(each.p95_ms, gates.slowest_ms)
            why = f"95 % of {each.n:,} calls of {each.method} took up to {took} ms, more than "
            yield MissedGate("slow", each.method, f"{why}{gates.slowest_ms:g} ms")
    if gates.slower is not None and baseline is not None:
        yield from _slower(gates.slower, times, {each.method: each for each in baseline.times})


def _slower(ratio: float, times: Sequence[MethodTimes], before: Mapping[str, MethodTimes]) -> Iterator[MissedGate]:
    for now in times:
        then = before.get(now.method)
        if then is None or min(then.n, now.n) < LEAST_CALLS or now.p95_ms <= ratio * then.p95_ms:
            continue
        times_as_long = f"{spelled(now.p95_ms / then.p95_ms, ratio)} times" if then.p95_ms else "longer"
        why = f"95 % of the calls of {now.method} took up to {now.p95_ms:.3g} ms, and {then.p95_ms:.3g} ms in the "
        yield MissedGate("slower", now.method, f"{why}accepted run: {times_as_long}, more than {ratio:g} times")


def untried(offers: Iterable[str], called: Iterable[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the optional methods that were never called: with what is not offered, and those that are offered."""
    offered, used = frozenset(offers), frozenset(called)
    absent = {each: name for name, methods in METHODS.items() if name not in offered for each in methods}
    idle = [each for name, methods in METHODS.items() if name in offered for each in methods if each not in used]
    return absent, tuple(idle)
