"""Measure everything that a card tells; a part that cannot be measured is named, and costs no other."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, TypeVar

from memgauge.foreign import Raised, call_foreign
from memgauge.systems.conformance.card import Golden, Installed, SystemCard
from memgauge.systems.conformance.check import check
from memgauge.systems.conformance.consistency import measure_consistency
from memgauge.systems.conformance.footprint import measure_footprint
from memgauge.systems.looked_at import MemoryLookedAt
from memgauge.systems.protocol import Closing, implements, supported
from memgauge.systems.wire.usage import SystemUsage, total

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.systems.conformance.footprint import Spent
    from memgauge.systems.protocol import MemorySystem

    Factory = Callable[[], MemorySystem]

T = TypeVar("T")


def measure_card(
    ref: str,
    factory: Factory,
    *,
    timeout_s: float = 120,
    patience_s: float = 3.0,
    settle_s: float = 1.5,
    spent: Callable[[], Spent] | None = None,
    golden: Callable[[], Golden] | None = None,
    installed: Installed | None = None,
) -> SystemCard:
    """Measure what *factory* opens.

    *factory* is called once for each part; *ref* is its name, and *timeout_s* for one probe of the check. *spent*
    says what the model behind it was asked so far, where somebody counts; *golden* plays the golden suite, or
    reads what it said; *installed* is how its environment was made.
    """
    opened = MeasuredSystems(factory)
    report = check(opened, timeout_s=timeout_s)
    problems: list[str] = []
    facts = _attempt("its capabilities", problems, lambda: opened.use(_facts))
    consistency = _attempt(
        "consistency",
        problems,
        lambda: opened.use(lambda s: measure_consistency(s, patience_s=patience_s, settle_s=settle_s)),
    )
    footprint = _attempt("footprint", problems, lambda: opened.use(lambda s: measure_footprint(s, spent=spent)))
    name, version, capabilities, offers = facts or (ref, "", {}, ())
    used = opened.used()
    return SystemCard(
        ref=ref,
        name=name,
        version=version,
        capabilities=capabilities,
        offers=offers,
        checks=report.checks,
        consistency=consistency,
        footprint=footprint,
        golden=_attempt("golden suite", problems, golden) if golden else None,
        installed=installed,
        outside=dict(used.outside) if used else None,
        strayed=tuple(dict.fromkeys(used.strayed)) if used else (),
        problems=tuple(problems),
    )


def _facts(system: MemorySystem) -> tuple[str, str, dict[str, object], tuple[str, ...]]:
    memory = MemoryLookedAt(system)
    return memory.name, memory.version, asdict(memory.capabilities()), supported(memory.itself)


def _attempt(what: str, problems: list[str], part: Callable[[], T]) -> T | None:
    measured = call_foreign(part)
    if not isinstance(measured, Raised):
        return measured
    problems.append(f"{what}: {measured}")
    return None


class MeasuredSystems:
    """Opens a system for every probe and every part, and keeps the accounts of those that keep any."""

    def __init__(self, factory: Factory) -> None:
        self._factory = factory
        self._accounts: list[SystemUsage] = []

    def __call__(self) -> MemorySystem:
        """Open a fresh one."""
        system = self._factory()
        account = getattr(system, "usage", None)
        if isinstance(account, SystemUsage):
            self._accounts.append(account)
        return system

    def use(self, part: Callable[[MemorySystem], T]) -> T:
        """Open one, measure a part, and close it."""
        system = self()
        try:
            return part(system)
        finally:
            if implements(system, Closing):
                system.close()

    def used(self) -> SystemUsage | None:
        """Add up what all of them used; ``None`` where none says."""
        return total(self._accounts) if self._accounts else None
