"""A whole suite against one memory: every scenario is played, whatever the others do, and the sum is a report."""

from __future__ import annotations

from collections import Counter
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError
from memgauge.records import Verdict
from memgauge.studies.golden.contents import alone, block, content_of, is_long, layers_of, lines, needs_of
from memgauge.studies.golden.gates import Gates, MethodTimes, missed
from memgauge.studies.golden.runner import Options, ScenarioResult, run_scenario
from memgauge.studies.golden.scenario import CHECKING, STEP_NAMES, flat
from memgauge.studies.golden.summary import GoldenReport, PlayedScenario, Program, SuiteId
from memgauge.studies.golden.under_test import Tested, factory_of, look_at
from memgauge.workers import worker_pool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memgauge.studies.golden.anomalies import Anomaly
    from memgauge.studies.golden.history import RunFacts
    from memgauge.studies.golden.loading import Loaded
    from memgauge.studies.golden.runner import Factory
    from memgauge.studies.golden.scenario import Scenario

    Performed = tuple[ScenarioResult, tuple[Program, ...], dict[str, list[float]]]
    """How a scenario ended, the programs that show what was wrong, and the milliseconds of every call."""


_DIED = "the memory ended its process"


@dataclass(frozen=True)
class Job:
    """One scenario to be played; it can be sent to another process."""

    ref: str
    scenario: Scenario
    options: Options
    shrink: bool = False


def run_suites(
    loaded: Sequence[Loaded],
    ref: str,
    options: Options | None = None,
    *,
    families: Sequence[str] = (),
    quick: bool = False,
    gates: Gates | None = None,
    baseline: RunFacts | None = None,
    workers: int = 0,
    shrunk: bool = False,
    on_progress: Callable[[int, int, str], None] = lambda *_: None,
) -> GoldenReport:
    """Play every scenario of *loaded* against the memory *ref*.

    Every scenario gets a fresh one. Without *families* all are played; *quick* leaves out what is long. Of what
    the *baseline*, the run that was accepted last, offered, nothing may be lost. *workers* play side by side, with
    the same results; 0 plays here, where a memory that ends its process ends the caller's. *shrunk* looks for the
    smallest program that shows an anomaly.

    Raises:
        UserError: The memory's name or parameters are wrong, or there is no such family.
    """
    options = options or Options()
    homes = _chosen(loaded, families, quick=quick)
    tested = _looked_at(ref, options.timeout_s, apart=workers > 0)
    jobs = [Job(ref, scenario, options, shrunk) for _, scenario in homes]
    played: list[PlayedScenario] = []
    times: dict[str, list[float]] = {}
    for (home, scenario), (result, programs, timed) in zip(homes, _perform(jobs, workers), strict=True):
        for method, ms in timed.items():
            times.setdefault(method, []).extend(ms)
        played.append(_played(home, scenario, result, programs, options, tested))
        on_progress(len(played), len(jobs), scenario.id)
    gates = gates or Gates()
    summed = tuple(MethodTimes.of(method, ms) for method, ms in sorted(times.items()) if ms)
    return GoldenReport(
        tested,
        tuple(map(_edition, loaded)),
        options.seed,
        tuple(options.layers),
        tuple(played),
        tuple(problem for suite in loaded for problem in suite.broken),
        tuple(sorted(times)),
        summed if gates.timed else (),
        () if tested.problem else missed(gates, tested.offers, summed, baseline),
    )


def _chosen(loaded: Sequence[Loaded], families: Sequence[str], *, quick: bool) -> list[tuple[Loaded, Scenario]]:
    """Return the scenarios of *families*, each with its suite; all where none is named, the long ones too."""
    homes = [(suite, scenario) for suite in loaded for scenario in suite.suite.scenarios]
    known = {scenario.family for _, scenario in homes}
    if unknown := sorted(set(families) - known):
        raise ConfigError(
            f"No scenario is of the family {unknown[0]!r}.", f"There are: {', '.join(sorted(known))}."
        )
    return [
        (suite, scenario)
        for suite, scenario in homes
        if (not families or scenario.family in families) and not (quick and is_long(scenario))
    ]


def _edition(loaded: Loaded) -> SuiteId:
    suite = loaded.suite
    return SuiteId(suite.suite.id, suite.suite.version, loaded.sha256, str(loaded.path), len(suite.scenarios))


def perform(job: Job) -> Performed:
    """Play one scenario, here; what fails comes with its programs, and what was called with its milliseconds."""
    factory = factory_of(job.ref)
    times: dict[str, list[float]] = {}
    result = run_scenario(job.scenario, factory, replace(job.options, times=times))
    return result, tuple(_program(kind, result, job, factory) for kind in result.anomalies), times


def _program(kind: Anomaly, result: ScenarioResult, job: Job, factory: Factory) -> Program:
    """Write down what shows an anomaly: the steps up to it, or the fewest that still do."""
    from memgauge.studies.golden.minimise import minimise

    last = next(finding.step for finding in result.findings if finding.anomaly is kind)
    steps = job.scenario.steps
    while last < len(steps) and not any(isinstance(step, CHECKING) for step in steps[:last]):
        last += 1  # what nobody asked for was seen before anything was asked, and a scenario asks
    shown = job.scenario.model_copy(update={"steps": steps[:last]})
    if job.shrink:
        once = shown.model_copy(update={"repeats": 1, "expected_failure": None})
        shown = minimise(once, factory, kind, job.options)
    return Program(kind, job.scenario.id, len(shown.steps), block(shown))


def _looked_at(ref: str, timeout_s: float, *, apart: bool) -> Tested:
    """Know the memory, *apart* from this process where nobody knows what it does to one."""
    if not apart:
        return look_at(ref, timeout_s)
    with worker_pool(1) as pool:
        try:
            return pool.submit(look_at, ref, timeout_s).result()
        except BrokenProcessPool:
            return Tested(ref, ref, problem=f"the memory could not be opened: {_DIED}")


def _perform(jobs: Sequence[Job], workers: int) -> Iterator[Performed]:
    """Yield the outcomes in the order of *jobs*; a memory that ends its process costs its own scenario only."""
    if workers <= 0:
        yield from map(perform, jobs)
        return
    with worker_pool(workers) as pool:
        for job, future in [(job, pool.submit(perform, job)) for job in jobs]:
            try:
                outcome = future.result()
            except BrokenProcessPool:
                outcome = _alone(job)
            yield outcome


def _alone(job: Job) -> Performed:
    with worker_pool(1) as pool:
        try:
            return pool.submit(perform, job).result()
        except BrokenProcessPool:
            return ScenarioResult.of(job.scenario, Verdict.ERROR, _DIED), (), {}


def _played(
    home: Loaded,
    scenario: Scenario,
    result: ScenarioResult,
    programs: tuple[Program, ...],
    options: Options,
    tested: Tested,
) -> PlayedScenario:
    provenance = scenario.provenance
    return PlayedScenario(
        result,
        home.suite.suite.id,
        str(home.path),
        home.lines.get(scenario.id, 1),
        scenario.title,
        content_of(scenario),
        scenario.tags,
        f"{provenance.kind} {provenance.ref}".strip(),
        layers_of(scenario, options.layers, tested.offers),
        needs_of(scenario),
        alone(scenario),
        dict(Counter(STEP_NAMES[type(step)] for step in flat(scenario.steps))),
        scenario.expected_failure is not None,
        () if result.verdict == Verdict.PASS else lines(scenario),
        programs,
    )
