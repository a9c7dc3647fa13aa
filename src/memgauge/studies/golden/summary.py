"""What a run of suites says about one memory: every scenario with its witness, and what follows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from memgauge.records import Verdict
from memgauge.results import result
from memgauge.studies.golden.anomalies import LEAKS, Anomaly, Model, weakest_violated
from memgauge.studies.golden.runner import XFAIL, ScenarioResult
from memgauge.studies.golden.under_test import Tested

ABSENT = frozenset(
    {
        Anomaly.OMISSION,
        Anomaly.LOST_ACROSS_SESSION,
        Anomaly.NOT_DURABLE,
        Anomaly.COLLATERAL_ERASURE,
        Anomaly.FALSE_SUPERSESSION,
        Anomaly.LOST_HISTORY,
        Anomaly.UNAUDITED,
        Anomaly.UNSTABLE,
        Anomaly.OVER_LIMIT,
    }
)
"""What is no breach of a negative check; every other anomaly is."""


@result
@dataclass(frozen=True)
class SuiteId:
    """Which edition of which suite was run."""

    id: str
    version: str
    sha256: str
    """Of the file's bytes."""
    path: str
    scenarios: int

    def __str__(self) -> str:
        return f"{self.id} {self.version}"


@result
@dataclass(frozen=True)
class Program:
    """Steps that show an anomaly."""

    anomaly: Anomaly
    scenario: str
    steps: int
    text: str
    """As a suite file writes them."""


@result
@dataclass(frozen=True)
class PlayedScenario:
    """One scenario, how it ended, and what a reader needs to look into it."""

    result: ScenarioResult
    suite: str
    path: str
    line: int
    title: str
    content: str
    """sha256 of what the scenario says, whatever the file around it."""
    tags: tuple[str, ...]
    provenance: str
    layers: tuple[str, ...]
    """At which it was looked at."""
    needs: tuple[str, ...]
    """Optional protocols that its steps use."""
    alone: bool
    """Whether nobody but one user takes part."""
    steps: Mapping[str, int]
    """How often each kind of step occurs."""
    known: bool = False
    """Whether its failure is expected."""
    story: tuple[str, ...] = ()
    """The steps, one a line, where it did not pass."""
    programs: tuple[Program, ...] = ()

    @property
    def unexpected(self) -> bool:
        """Whether it did not pass, and nobody said that it would not."""
        return self.result.verdict not in {Verdict.PASS, XFAIL}

    @property
    def mended(self) -> bool:
        """Whether it passes although somebody said that it would not."""
        return self.known and self.result.verdict == Verdict.PASS


@result
@dataclass(frozen=True)
class Negatives:
    """Checks that something does not come back; where nothing did, their number bounds how often it may."""

    what: str
    checks: int
    violated: int
    bound: float | None
    """The upper end of the 95 % interval where nothing was violated: three in so many checks."""

    @classmethod
    def of(cls, what: str, checks: int, violated: int) -> Negatives:
        """Bound what was never seen."""
        return cls(what, checks, violated, min(1.0, 3 / checks) if checks and not violated else None)


@result
@dataclass(frozen=True)
class GoldenReport:
    """What a run of suites says about one memory."""

    system: Tested
    suites: tuple[SuiteId, ...]
    seed: str
    layers: tuple[str, ...]
    played: tuple[PlayedScenario, ...]
    broken: tuple[str, ...] = ()
    """Scenarios that could not be read, with file and line; none of them counts as a pass."""

    @property
    def counts(self) -> Counter[str]:
        """Count the verdicts."""
        return Counter(played.result.verdict for played in self.played)

    @property
    def anomalies(self) -> tuple[Anomaly, ...]:
        """Name every anomaly that was seen, of known failures too."""
        return tuple(kind for kind in Anomaly if any(kind in played.result.anomalies for played in self.played))

    @property
    def valid(self) -> bool | None:
        """Whether the memory is what it should be; ``None`` where something could not be judged."""
        if self.anomalies:
            return False
        judged = self.played and all(played.result.verdict == Verdict.PASS for played in self.played)
        return True if judged and not self.broken else None

    @property
    def let_through(self) -> bool:
        """Whether no hard gate was missed, every scenario could be read, and something passed."""
        return not self.broken and not self.blocking and self.counts[str(Verdict.PASS)] > 0

    @property
    def blocking(self) -> tuple[PlayedScenario, ...]:
        """Return what keeps a change from being let through."""
        return tuple(played for played in self.played if played.result.blocks)

    @property
    def models(self) -> tuple[Model | None, tuple[Model, ...]]:
        """Return the weakest promise that is broken, and what the memory also is not."""
        return weakest_violated(self.anomalies)

    @property
    def negatives(self) -> tuple[Negatives, ...]:
        """Count what must not have come back, to anybody, and to somebody to whom it does not belong."""
        anomalies = [finding.anomaly for played in self.played for finding in played.result.findings]
        others = sum(played.result.negative for played in self.played if not played.alone)
        everything = sum(played.result.negative for played in self.played)
        return (
            Negatives.of("were shown to somebody else", others, sum(kind in LEAKS for kind in anomalies)),
            Negatives.of("came back that must not", everything, sum(kind not in ABSENT for kind in anomalies)),
        )

    @property
    def programs(self) -> tuple[Program, ...]:
        """Return the smallest program that shows each anomaly."""
        made = [each for played in self.played for each in played.programs]
        return tuple(
            min((each for each in made if each.anomaly == kind), key=lambda each: each.steps)
            for kind in Anomaly
            if any(each.anomaly == kind for each in made)
        )

    @property
    def steps(self) -> dict[str, int]:
        """Count the steps by kind."""
        total: Counter[str] = Counter()
        for played in self.played:
            total.update(played.steps)
        return dict(sorted(total.items()))

    @property
    def exercised(self) -> tuple[str, ...]:
        """Name the optional protocols of the memory that a scenario used."""
        ran = {need for played in self.played if played.result.verdict in _JUDGED for need in played.needs}
        return tuple(sorted(ran & set(self.system.offers)))


_JUDGED = {str(Verdict.PASS), str(Verdict.FAIL), str(Verdict.VACUOUS), str(Verdict.FLAKY), XFAIL}
