"""What a run of suites says about one memory: every scenario with its witness, and what follows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from memgauge.records import Verdict
from memgauge.results import result
from memgauge.studies.golden.anomalies import LEAKS, Anomaly, weakest_violated
from memgauge.studies.golden.gates import MethodTimes, MissedGate, untried
from memgauge.studies.golden.past import ORDER
from memgauge.studies.golden.runner import XFAIL, ScenarioResult
from memgauge.studies.golden.under_test import Tested

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

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
        Anomaly.NEGATED,
        Anomaly.MISATTRIBUTED,
        Anomaly.MISCOUNT,
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
class SuiteVerdict:
    """What follows from all scenarios, for programs that gate on it."""

    valid: bool | None
    """Whether the memory is what it should be; ``None`` where something could not be judged."""
    let_through: bool
    """Whether no gate was missed, every scenario could be read, and something passed."""
    counts: Mapping[str, int]
    """Scenarios by verdict."""
    ids: Mapping[str, tuple[str, ...]]
    """By verdict other than a pass: the scenarios."""
    anomalies: tuple[str, ...]
    weakest: str | None
    """The weakest promise that is broken."""
    also: tuple[str, ...]
    """What the memory also is not."""
    negatives: tuple[Negatives, ...]
    families: Mapping[str, int]
    protocols: tuple[str, ...]
    """Optional protocols of the memory that a scenario used."""
    steps: Mapping[str, int]
    programs: tuple[Program, ...]
    """The smallest that shows each anomaly."""
    missed: tuple[MissedGate, ...] = ()
    """What the memory lacks or lost, and where it is too slow, whatever its scenarios say."""
    idle: tuple[str, ...] = ()
    """Families of which nothing was tried, because the memory does not offer what they need."""
    not_offered: tuple[str, ...] = ()
    """Optional methods that the memory does not have."""
    not_called: tuple[str, ...] = ()
    """Optional methods that it has, and that no scenario called."""


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
    methods: tuple[str, ...] = ()
    """Methods that were called."""
    times: tuple[MethodTimes, ...] = ()
    """How long calls took, where a gate is about that."""
    missed: tuple[MissedGate, ...] = ()
    """Gates beside the scenarios that are missed."""

    @property
    def counts(self) -> Counter[str]:
        """Count the verdicts."""
        return Counter(played.result.verdict for played in self.played)

    @property
    def let_through(self) -> bool:
        """Whether no gate was missed, every scenario could be read, and something passed."""
        return self.verdict.let_through

    @cached_property
    def verdict(self) -> SuiteVerdict:
        """Say what follows from all scenarios."""
        results = [played.result for played in self.played]
        anomalies = tuple(kind for kind in Anomaly if any(kind in ended.anomalies for ended in results))
        weakest, also = weakest_violated(anomalies)
        perfect = bool(results) and not self.broken and all(ended.verdict == Verdict.PASS for ended in results)
        blocked = self.broken or self.missed or any(ended.blocks for ended in results)
        used = {need for played in self.played if played.result.verdict in _JUDGED for need in played.needs}
        absent, idle = untried(self.system.offers, self.methods)
        return SuiteVerdict(
            valid=False if anomalies else perfect or None,
            let_through=not blocked and self.counts[str(Verdict.PASS)] > 0,
            counts={verdict: self.counts[verdict] for verdict in ORDER},
            ids={name: tuple(r.scenario for r in results if r.verdict == name) for name in ORDER[1:]},
            anomalies=tuple(map(str, anomalies)),
            weakest=None if weakest is None else str(weakest),
            also=tuple(map(str, also)),
            negatives=tuple(_negatives(self.played)),
            families=dict(Counter(ended.family for ended in results)),
            protocols=tuple(sorted(used & set(self.system.offers))),
            steps=dict(sorted(sum((Counter(played.steps) for played in self.played), Counter()).items())),
            programs=tuple(_smallest(self.played)),
            missed=self.missed,
            idle=tuple(_idle(results)),
            not_offered=tuple(absent),
            not_called=idle,
        )


def _idle(results: Sequence[ScenarioResult]) -> Iterator[str]:
    """Yield the families of which every scenario is unsupported."""
    for family in sorted({ended.family for ended in results}):
        if all(ended.verdict == Verdict.UNSUPPORTED for ended in results if ended.family == family):
            yield family


def _negatives(played: Sequence[PlayedScenario]) -> Iterator[Negatives]:
    """Count what must not have come back to somebody to whom it does not belong, and to anybody.

    Every value that came back was looked for, so that none comes back more often than it was.
    """
    everything = sum(each.result.negative for each in played)
    violated = sum(_violated(each.result, lambda kind: kind not in ABSENT) for each in played)
    leaks = {each.result.scenario: _violated(each.result, LEAKS.__contains__) for each in played}
    others = sum(leaks[each.result.scenario] if each.alone else each.result.negative for each in played)
    yield Negatives.of("were shown to somebody else", others, sum(leaks.values()))
    yield Negatives.of("came back that must not", everything, violated)


def _violated(ended: ScenarioResult, counts: Callable[[Anomaly], bool]) -> int:
    return sum(counts(finding.anomaly) for finding in ended.findings)


def _smallest(played: Sequence[PlayedScenario]) -> Iterator[Program]:
    """Yield the smallest program that shows each anomaly."""
    for kind in Anomaly:
        programs = [program for each in played for program in each.programs if program.anomaly == kind]
        if programs:
            yield min(programs, key=lambda program: program.steps)


_JUDGED = {str(Verdict.PASS), str(Verdict.FAIL), str(Verdict.VACUOUS), str(Verdict.FLAKY), XFAIL}
