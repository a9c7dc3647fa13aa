"""The machine: random programs against any memory, judged by the ledger; what fails shrinks to a case.

Programs come from dice and shrink by :mod:`memgauge.studies.golden.minimise`, not by Hypothesis: on nine broken
memories its own shrinker needed four to thirty times as many runs and left two to five times as many steps, and
drawing takes it ten times as long. Hypothesis is offered for the tests of a memory's own project: :func:`strategy`
for ``@given``, and a state machine in :mod:`memgauge.studies.golden.stateful`.
"""

from __future__ import annotations

import math
import secrets
import time
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from memgauge.extras import lacking
from memgauge.records import Verdict
from memgauge.studies.golden.driver import Driver
from memgauge.studies.golden.minimise import INLINE, minimise
from memgauge.studies.golden.programs import EVERYTHING, draw, programs
from memgauge.studies.golden.runner import Options, run_scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from memgauge.studies.golden.anomalies import Anomaly
    from memgauge.studies.golden.runner import Factory, ScenarioResult
    from memgauge.studies.golden.scenario import Scenario

T = TypeVar("T")

_ROUND = 50
"""Programs that every mutant is put through before any is put through more."""


@dataclass(frozen=True)
class MinimalFailure:
    """One anomaly with the smallest program found that shows it."""

    anomalies: tuple[Anomaly, ...]
    """Empty where the memory raised or hung."""
    scenario: Scenario
    witness: str


@dataclass(frozen=True)
class Explored:
    """What random programs showed of one memory."""

    programs: int
    failing: int
    """Programs that did not pass; one with a session that the memory does not keep to itself is none."""
    seed: int
    """With it, the same programs come again."""
    failures: tuple[MinimalFailure, ...]
    """One for every anomaly, in the order in which they were met."""
    seconds: float = field(compare=False, default=0)


@dataclass(frozen=True)
class Kill:
    """What it took to tell a mutant from the ideal memory."""

    programs: int
    anomalies: tuple[Anomaly, ...]


@dataclass(frozen=True)
class KillRate:
    """How many mutants random programs told from the ideal memory."""

    killed: Mapping[str, Kill]
    survivors: tuple[str, ...]
    programs: int
    """Programs that each survivor was put through, at least."""
    seconds: float = field(compare=False, default=0)

    @property
    def rate(self) -> float | None:
        """The share that was killed; ``None`` of none."""
        count = len(self.killed) + len(self.survivors)
        return len(self.killed) / count if count else None


def explore(
    factory: Factory,
    *,
    count: int = 400,
    seed: int = 0,
    derandomize: bool = True,
    options: Options | None = None,
    budget_s: float = math.inf,
    clock: Callable[[], float] = time.perf_counter,
) -> Explored:
    """Put a memory through random programs; every anomaly is shown once, by the smallest program found.

    With *derandomize* the programs follow from *seed*; without, from a new seed, which is returned.
    """
    seed = seed if derandomize else secrets.randbelow(2**32)
    options, begun = options or Options(), clock()
    failures: dict[Anomaly | str, MinimalFailure] = {}
    played = failing = 0
    looked_at = Driver.opening(factory, timeout_s=options.timeout_s)
    offered = looked_at.offers
    looked_at.close()
    for scenario in islice(programs(seed, offered), count):
        if clock() - begun > budget_s:
            break
        played += 1
        result = run_scenario(scenario, factory, options)
        failing += result.verdict not in {Verdict.PASS, Verdict.UNSUPPORTED}
        for anomaly in result.anomalies:
            if anomaly not in failures:
                failures[anomaly] = shrunk(scenario, factory, anomaly, options)
        if result.verdict == Verdict.ERROR:
            failures.setdefault("error", MinimalFailure((), scenario, result.detail))
    return Explored(played, failing, seed, tuple(failures.values()), clock() - begun)


def shrunk(scenario: Scenario, factory: Factory, anomaly: Anomaly, options: Options) -> MinimalFailure:
    """Shrink a program and name it by what it shows and does."""
    small = minimise(scenario, factory, anomaly, options)
    digest = sha256(repr(small.steps).encode()).hexdigest()[:8]
    name = anomaly.lower().replace("_", "-")
    title = f"found by a random program: {name.replace('-', ' ')}"
    case = small.model_copy(update={"id": f"fuzz.{name}.{digest}", "title": title})
    ended: ScenarioResult = run_scenario(case, factory, options)
    if anomaly not in ended.anomalies:  # it hung on the very letters of a token
        case, ended = small, run_scenario(small, factory, options)
    return MinimalFailure(ended.anomalies, case, ended.detail)


def kill_rate(
    mutants: Mapping[str, Factory],
    budget_s: float = 300,
    *,
    count: int = 3_000,
    seed: int = 0,
    clock: Callable[[], float] = time.perf_counter,
) -> KillRate:
    """Count the mutants that random programs tell from the ideal memory, within a time and a number of programs.

    All are put through the same programs, a round at a time, so that a stubborn one takes no other's time.
    """
    begun = clock()
    source, killed, alive, played = programs(seed), dict[str, Kill](), list(mutants), 0
    while alive and played < count:
        batch = list(islice(source, min(_ROUND, count - played)))
        for name in list(alive):
            if clock() - begun > budget_s:
                return KillRate(killed, tuple(alive), played, clock() - begun)
            kill = _kill(mutants[name], batch, played)
            if kill:
                killed[name] = kill
                alive.remove(name)
        played += len(batch)
    return KillRate(killed, tuple(alive), played, clock() - begun)


def _kill(mutant: Factory, batch: Sequence[Scenario], before: int) -> Kill | None:
    for number, scenario in enumerate(batch, before + 1):
        result = run_scenario(scenario, mutant, INLINE)
        if result.verdict in {Verdict.FAIL, Verdict.ERROR}:
            return Kill(number, result.anomalies)
    return None


@dataclass(frozen=True)
class DrawnChoices:
    """Choices that Hypothesis makes."""

    place: Callable[[int], int]
    """Draws a number from zero to the one given."""

    def choose(self, options: Sequence[T]) -> T:
        """Choose one of *options*; the first is the simplest."""
        return options[self.place(len(options) - 1)]


def strategy(offers: Collection[str] = EVERYTHING) -> Any:
    """Return a Hypothesis strategy over programs, for ``@given`` in the tests of a memory.

    Raises:
        MissingExtraError: Hypothesis is not installed.
    """
    hypothesis = load_hypothesis()
    integers = hypothesis.strategies.integers

    def program(drawn: Callable[[Any], int]) -> Scenario:
        return draw(DrawnChoices(lambda last: drawn(integers(0, last))), offers)

    return hypothesis.strategies.composite(program)()


def load_hypothesis() -> Any:
    """Import Hypothesis, which is optional.

    Raises:
        MissingExtraError: It is not installed.
    """
    try:
        import hypothesis
        import hypothesis.stateful
    except ImportError as error:
        raise lacking("golden", "Hypothesis is not installed, which draws programs for a test.") from error
    return hypothesis
