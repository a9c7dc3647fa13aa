"""The runner: a scenario played against a memory, and how it ended."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memgauge.errors import SystemFault
from memgauge.records import Verdict
from memgauge.results import result
from memgauge.show.numbers import listed
from memgauge.studies.golden.anomalies import roots
from memgauge.studies.golden.checking import AnomalyFinding
from memgauge.studies.golden.driver import Driver
from memgauge.studies.golden.play import Play
from memgauge.studies.golden.scenario import LAYERS
from memgauge.studies.golden.scene import Unsupported
from memgauge.studies.golden.zones import machine_in

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memgauge.studies.golden.anomalies import Anomaly
    from memgauge.studies.golden.scenario import Scenario
    from memgauge.systems.protocol import MemorySystem

    Factory = Callable[[], MemorySystem]

XFAIL = "xfail"
"""A failure that is known: it is reported and gates nothing."""
BEYOND = "its days lie beyond the calendar, which has the years 1 to 9999"


@result
@dataclass(frozen=True)
class ScenarioResult:
    """How one scenario ended."""

    scenario: str
    family: str
    severity: str
    gate: str
    verdict: str
    """A :class:`memgauge.records.Verdict`, or ``xfail``."""
    findings: tuple[AnomalyFinding, ...] = ()
    """What was wrong, of the first run that failed; what follows from another anomaly is left out."""
    layer: str = ""
    """The first layer that broke: store, recall, context, answer."""
    detail: str = ""
    positive: int = 0
    """Checks that something comes back, and did."""
    negative: int = 0
    """Checks that something does not."""
    runs: int = 1
    failed_runs: int = 0

    @classmethod
    def of(cls, scenario: Scenario, verdict: str, detail: str = "") -> ScenarioResult:
        """Say how *scenario* ended, before anything was found."""
        return cls(scenario.id, scenario.family, scenario.severity, scenario.gate, str(verdict), detail=detail)

    @property
    def anomalies(self) -> tuple[Anomaly, ...]:
        """The anomalies by name, roots only."""
        return roots(finding.anomaly for finding in self.findings)

    @property
    def blocks(self) -> bool:
        """Whether it keeps a change from being let through: a hard gate takes nothing but a pass."""
        bad = {Verdict.FAIL, Verdict.VACUOUS, Verdict.ERROR, Verdict.FLAKY}
        return self.gate == "hard" and self.verdict in set(map(str, bad))


@dataclass(frozen=True)
class Options:
    """How scenarios are played."""

    seed: str = "0"
    timeout_s: float = 30
    layers: Sequence[str] = field(default=LAYERS)
    times: dict[str, list[float]] | None = None
    """Is told the milliseconds of every call, by method."""


def run_scenario(scenario: Scenario, factory: Factory, options: Options | None = None) -> ScenarioResult:
    """Play *scenario* on a fresh memory, as often as it says; hard cases must pass every time."""
    options = options or Options()
    results = [
        _once(scenario, factory, replace(options, seed=f"{options.seed}/{turn}"))
        for turn in range(scenario.repeats)
    ]
    verdicts = Counter(result.verdict for result in results)
    failed = [result for result in results if result.verdict != Verdict.PASS]
    result = failed[0] if failed else results[0]
    if failed and len(verdicts) > 1:
        detail = f"{len(failed)} of {len(results)} runs did not pass; {result.detail}".rstrip("; ")
        result = replace(result, verdict=str(Verdict.FLAKY), detail=detail)
    if scenario.expected_failure and result.verdict == Verdict.FAIL:
        result = replace(result, verdict=XFAIL, detail=f"known: {scenario.expected_failure.issue}")
    return replace(result, runs=len(results), failed_runs=len(failed))


def _once(scenario: Scenario, factory: Factory, options: Options) -> ScenarioResult:
    with machine_in(scenario.zone):
        return _played(scenario, factory, options)


def _played(scenario: Scenario, factory: Factory, options: Options) -> ScenarioResult:
    try:
        driver = Driver.opening(factory, timeout_s=options.timeout_s)
    except SystemFault as error:
        return ScenarioResult.of(scenario, Verdict.ERROR, str(error))
    driver.times = driver.times if options.times is None else options.times
    play: Play | None = None
    try:
        driver.reset()
        play = Play(scenario, driver, options.seed, options.layers)
        play.run()
    except (SystemFault, Unsupported, OverflowError) as ended:
        if play is not None and play.shown():
            return _judge(scenario, play)  # what went wrong before went wrong, as did what an error shows
        return _unplayed(scenario, ended)
    finally:
        driver.close()
    return _judge(scenario, play)


def _unplayed(scenario: Scenario, ended: Exception) -> ScenarioResult:
    if isinstance(ended, Unsupported):
        return ScenarioResult.of(scenario, Verdict.UNSUPPORTED, str(ended))
    detail = BEYOND if isinstance(ended, OverflowError) else str(ended)
    return ScenarioResult.of(scenario, Verdict.ERROR, detail)


def _judge(scenario: Scenario, play: Play) -> ScenarioResult:
    anomalies = set(roots(finding.anomaly for finding in play.findings))
    findings = tuple(finding for finding in play.findings if finding.anomaly in anomalies)
    ended = ScenarioResult.of(scenario, Verdict.PASS)
    ended = replace(ended, findings=findings, positive=play.positive, negative=play.negative)
    if findings:
        first = min(findings, key=lambda finding: LAYERS.index(finding.layer))
        return replace(ended, verdict=str(Verdict.FAIL), layer=first.layer, detail=findings[0].witness)
    if play.negative and not play.positive:
        detail = "nothing that should have come back did, so that what stayed away proves nothing"
        return replace(ended, verdict=str(Verdict.VACUOUS), detail=detail)
    if not play.checks:
        return _unchecked(ended, play)
    return ended


def _unchecked(ended: ScenarioResult, play: Play) -> ScenarioResult:
    """Say that nothing was checked, which is no pass: nobody looked where the scenario looks, or it never does."""
    if play.unheard:
        layers = listed(list(play.unheard))
        detail = f"nothing of it was looked at: it asks at {layers}, where the memory says nothing or is not asked"
        return replace(ended, verdict=str(Verdict.UNSUPPORTED), detail=detail)
    return replace(ended, verdict=str(Verdict.VACUOUS), detail="nothing of it was checked")
