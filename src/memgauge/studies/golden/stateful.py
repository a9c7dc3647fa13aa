"""A Hypothesis state machine over the memory protocol, for the tests of a memory's own project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.studies.golden.anomalies import roots
from memgauge.studies.golden.cases import as_text
from memgauge.studies.golden.driver import Driver
from memgauge.studies.golden.live import Live
from memgauge.studies.golden.machine import DrawnChoices, MinimalFailure, load_hypothesis, shrunk
from memgauge.studies.golden.moves import MOVES
from memgauge.studies.golden.programs import GENERATOR, VERSION, draw_people, draw_rules, draw_slots, scenario_of
from memgauge.studies.golden.runner import Options
from memgauge.studies.golden.scene import Unsupported
from memgauge.studies.golden.writer import ProgramWriter

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.studies.golden.anomalies import Anomaly
    from memgauge.studies.golden.runner import Factory


class StatefulSession:
    """One memory that is being written to and read, step by step, beside the ledger."""

    def __init__(self, factory: Factory, timeout_s: float) -> None:
        self._factory = factory
        self._options = Options(timeout_s=timeout_s)
        self._driver = Driver.opening(factory, timeout_s=timeout_s)
        self._driver.reset()
        self._live = Live(self._driver)
        self._writer: ProgramWriter | None = None
        self._over = False
        """Whether the memory said that it does not keep a session to itself, so that nothing more can be told."""
        self.rules: frozenset[str] = frozenset()
        """What this run may do."""

    def begin(self, source: DrawnChoices) -> None:
        """Draw who speaks, of what, and by which rules."""
        self._writer = ProgramWriter(source.choose, draw_people(source), draw_slots(source))
        self.rules = frozenset(draw_rules(source, self._driver.offers))

    def move(self, name: str, source: DrawnChoices) -> None:
        """Make one move, and fail on the first anomaly."""
        if self._over:
            return
        assert self._writer is not None  # noqa: S101 - Hypothesis begins before it moves
        self._writer.choose = source.choose
        MOVES[name](self._writer)
        self._live.kinds = self._writer.kinds
        try:
            for step in self._writer.steps[len(self._live.done) :]:
                self._live.do(step)
        except Unsupported:
            self._over = True
        anomalies = roots(finding.anomaly for finding in self._live.findings)
        if anomalies:
            failure = self._shrunk(anomalies[0])
            raise AssertionError(f"{', '.join(anomalies)}: {failure.witness}\n{as_text(failure.scenario)}")

    def _shrunk(self, anomaly: Anomaly) -> MinimalFailure:
        """Shrink what was done so far, ending with a read that has something to find."""
        assert self._writer is not None  # noqa: S101 - as above
        self._writer.control()
        scenario = scenario_of(self._writer, f"hypothesis/{GENERATOR}/{VERSION}")
        return shrunk(scenario, self._factory, anomaly, self._options)

    def end(self) -> None:
        """Let go of the memory."""
        self._driver.close()


def state_machine(
    factory: Factory, *, programs: int = 200, derandomize: bool = True, timeout_s: float = 30
) -> Any:
    """Return a state machine over the memories of *factory*; its ``TestCase`` is a test.

    Every run draws its own rules (swarm). The memory is compared with the ledger after every move. A failure
    holds the smallest case: it was shrunk by its steps, which Hypothesis takes ten to a hundred times as long for.

    Raises:
        MissingExtraError: Hypothesis is not installed.
    """
    hypothesis = load_hypothesis()
    stateful, strategies = hypothesis.stateful, hypothesis.strategies

    def source(data: Any) -> DrawnChoices:
        return DrawnChoices(lambda last: data.draw(strategies.integers(0, last)))

    def begin(machine: Any, data: Any) -> None:
        machine.session.begin(source(data))

    body: dict[str, Any] = {
        "__init__": _opening(stateful.RuleBasedStateMachine, factory, timeout_s),
        "begin": stateful.initialize(data=strategies.data())(begin),
        "teardown": lambda machine: machine.session.end(),
    }
    for name in MOVES:
        rule = stateful.rule(data=strategies.data())(_rule(name, source))
        body[name.replace("-", "_")] = stateful.precondition(_allowed(name))(rule)
    machine = type("MemoryMachine", (stateful.RuleBasedStateMachine,), body)
    machine.TestCase.settings = hypothesis.settings(  # type: ignore[attr-defined] # Hypothesis adds it
        phases=(hypothesis.Phase.generate,),
        max_examples=programs,
        stateful_step_count=20,
        derandomize=derandomize,
        database=None,
        deadline=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    return machine


def _opening(base: Any, factory: Factory, timeout_s: float) -> Callable[[Any], None]:
    def opening(machine: Any) -> None:
        base.__init__(machine)
        machine.session = StatefulSession(factory, timeout_s)

    return opening


def _rule(name: str, source: Callable[[Any], DrawnChoices]) -> Callable[[Any, Any], None]:
    def move(machine: Any, data: Any) -> None:
        machine.session.move(name, source(data))

    move.__name__ = name.replace("-", "_")
    return move


def _allowed(name: str) -> Callable[[Any], bool]:
    return lambda machine: name in machine.session.rules
