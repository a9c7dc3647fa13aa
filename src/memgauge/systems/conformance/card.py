"""The conformance card of a system: what it claims, what was observed, and what it was installed and run as."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from memgauge.results import result
from memgauge.systems.conformance.check import Check
from memgauge.systems.conformance.consistency import MeasuredConsistency
from memgauge.systems.conformance.footprint import Footprint

if TYPE_CHECKING:
    from memgauge.records import Verdict


_IN_WORDS: Final = "erasure.told."
"""How scenarios begin in which nobody calls: a user asks in words to be forgotten."""


@result
@dataclass(frozen=True, slots=True)
class Golden:
    """What scenarios of the golden suite found, without the texts in which they found it."""

    played: int
    of: int
    """Scenarios that there are; fewer were played where time was short."""
    verdicts: Mapping[str, int]
    found: Mapping[str, tuple[str, ...]]
    """By anomaly, the scenarios that show it."""

    def count(self, *anomalies: str, family: str = "") -> int:
        """Count the scenarios of *family* (all when empty) that show one of *anomalies*."""
        return len({which for name in anomalies for which in self.found.get(name, ()) if which.startswith(family)})

    @property
    def left_behind(self) -> list[str]:
        """Return the scenarios of erasure after which text was left.

        What was told again, and what a user asked in words to be gone and is read as before, is left out: its text
        is there, not left. What a call erased and is still read is left, too.
        """
        told_again, still_read = (self.found.get(name, ()) for name in ("RESURRECTION", "ERASED_READ"))
        not_understood = {scenario for scenario in still_read if scenario.startswith(_IN_WORDS)}
        there = not_understood.union(told_again)
        residue = self.found.get("RESIDUE", ())
        return [scenario for scenario in residue if scenario.startswith("erasure") and scenario not in there]


@result
@dataclass(frozen=True, slots=True)
class Installed:
    """How its environment was made."""

    version: str
    python: str
    seconds: float
    megabytes: float


@result
@dataclass(frozen=True, slots=True)
class Ran:
    """One run of it."""

    dataset: str
    conversations: int
    seconds: float
    outcomes: Mapping[str, int]
    scores: Mapping[str, float]


@result
@dataclass(frozen=True, slots=True)
class SystemCard:
    """Everything that is known of one system; each part is absent where it was not measured."""

    ref: str
    name: str
    version: str
    capabilities: Mapping[str, Any]
    offers: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    consistency: MeasuredConsistency | None = None
    footprint: Footprint | None = None
    golden: Golden | None = None
    installed: Installed | None = None
    ran: tuple[Ran, ...] = ()
    outside: Mapping[str, int] | None = None
    """Addresses outside this machine that it reached for; ``None`` where nobody watched."""
    strayed: tuple[str, ...] = ()
    """Files that it wrote outside its own folder."""
    problems: tuple[str, ...] = ()
    """Parts that could not be measured, and why."""

    @property
    def interventions(self) -> tuple[str, ...]:
        """Everything that the adapter patched or overrode."""
        return tuple(self.capabilities.get("interventions", ()))

    def verdict(self, name: str) -> Verdict | None:
        """How the check of this name ended; ``None`` where it was not run."""
        return next((check.verdict for check in self.checks if check.name == name), None)

    def detail(self, name: str) -> str:
        """What the check of this name said."""
        return next((check.detail for check in self.checks if check.name == name), "")


def golden_of(data: Mapping[str, Any], of: int | None = None) -> Golden:
    """Sum up what `memgauge study golden run --json` printed.

    Raises:
        KeyError: It is something else.
    """
    shown_by: dict[str, list[str]] = {}
    played = [scenario["result"] for scenario in data["scenarios"]]
    for scenario, ended in zip(data["scenarios"], played, strict=True):
        for anomaly in scenario["anomalies"]:
            shown_by.setdefault(anomaly, []).append(ended["scenario"])
    verdicts = Counter(ended["verdict"] for ended in played)
    return Golden(
        len(played), of or len(played), dict(verdicts), {name: tuple(ids) for name, ids in shown_by.items()}
    )
