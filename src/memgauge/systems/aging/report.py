"""What was found of products that grew older: how each fares in its newest version, and what changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from memgauge.results import ResultKind, result


class AgingTopic(StrEnum):
    """What is compared."""

    PACKAGES = "packages"
    PYTHON = "python"
    API = "api"
    DEFAULTS = "defaults"
    CLAIMS = "claims"
    LINEAGE = "lineage"
    CONFORMANCE = "conformance"
    GOLDEN = "golden"


class AgingOutcome(StrEnum):
    """How a product fares in its newest version."""

    CURRENT = "current"
    """Nothing is newer."""
    HOLDS = "holds"
    """Packages are newer, and nothing else that was looked at changed."""
    CHANGED = "changed"
    """Something changed, and no promise broke."""
    BROKEN = "broken"
    UNOPENED = "does not open"
    UNIMPORTED = "does not import"
    UNINSTALLED = "cannot be installed"
    UNCOMPARED = "not compared"
    """The newest was looked at, and there is nothing to put it beside."""
    UNPACKAGED = "no packages"
    """There is nothing that an index could have in a newer version."""


OUTCOMES_BROKEN = frozenset({AgingOutcome.BROKEN, AgingOutcome.UNOPENED, AgingOutcome.UNIMPORTED})
OUTCOMES_OPEN = frozenset({AgingOutcome.UNINSTALLED, AgingOutcome.UNCOMPARED})
"""Nothing was found broken, and what was asked for could not be looked at."""


@result
@dataclass(frozen=True, slots=True)
class AgingChange:
    """One thing that is otherwise in the newest version."""

    topic: AgingTopic
    name: str
    pinned: str
    """Empty where it was not there."""
    newest: str
    """Empty where it is gone."""
    broken: bool = False
    """Whether something was promised and is not kept any more."""


@result
@dataclass(frozen=True, slots=True)
class AgedProduct:
    """A product in its newest version beside the pinned one."""

    product: str
    outcome: AgingOutcome
    looked_on: str
    """The day, as 2026-11-26."""
    pinned: str
    """The version."""
    locked_on: str
    """The day of its lock; empty where its name holds none."""
    pinned_from: str
    """Where what is known of the pinned version comes from: ``environment``, ``card``, or nowhere."""
    newest: str = ""
    """The version; empty where none was seen."""
    problem: str = ""
    """Why the newest one could not be looked at."""
    changes: tuple[AgingChange, ...] = ()
    uncompared: Mapping[AgingTopic, str] | None = None
    """What was not compared, or not in all, and why."""
    remarks: tuple[str, ...] = ()

    @property
    def broken(self) -> bool:
        """Whether something that was promised is not kept any more."""
        return self.outcome in OUTCOMES_BROKEN


@result
@dataclass(frozen=True, slots=True)
class AgingReport:
    """Several products."""

    products: tuple[AgedProduct, ...]


AGING: ResultKind[AgingReport] = ResultKind(
    "systems aged", 1, AgingReport, "memgauge systems aged NAME --out FILE.json"
)
