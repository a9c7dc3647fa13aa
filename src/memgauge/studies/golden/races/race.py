"""Race: hammer one memory with small histories, as often as a stated chance of having seen a rare bug asks for.

A round is one history of every shape. What a memory breaks while the same operations come one by one is its way,
or another scenario's business, and no race.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError
from memgauge.records import Scope, Turn
from memgauge.records.statements import Statement
from memgauge.registry import require_known
from memgauge.results import result
from memgauge.studies.golden.anomalies import Anomaly
from memgauge.studies.golden.races.connections import connected, hang_up
from memgauge.studies.golden.races.playing import RaceStage
from memgauge.studies.golden.races.rules import breaches, judged
from memgauge.studies.golden.races.shapes import SHAPES
from memgauge.studies.golden.races.smallest import BUDGET, smallest
from memgauge.studies.golden.races.story import told_by
from memgauge.studies.golden.scene import EPOCH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memgauge.studies.golden.driver import Driver
    from memgauge.studies.golden.races.operations import RacePlan
    from memgauge.studies.golden.races.record import RaceHistory
    from memgauge.studies.golden.races.rules import Breach
    from memgauge.studies.golden.races.shapes import RaceShape

LANES = 5
"""The most threads that a shape has."""
LONGEST_S = 60
"""How long a thread is waited for where no limit is set: one that hangs would otherwise hang everything."""
CONTROLS = 6
"""Orders in which operations come one by one, to know what a memory does without a race."""


@result
@dataclass(frozen=True)
class RaceFinding:
    """Something that only happens at once, with the fewest calls that were found to show it."""

    anomaly: Anomaly
    shape: str
    round: int
    """The round in which it was first seen."""
    witness: str
    story: tuple[str, ...] = ()
    """What every thread did, a line each."""
    rule: str = ""


@result
@dataclass(frozen=True)
class RacedShape:
    """What came of one shape."""

    shape: str
    title: str
    histories: int = 0
    """Until the first that failed, that one included."""
    calls: int = 0
    raised: int = 0
    """Calls that the memory refused; what raises is not acknowledged, and no anomaly."""
    first_raised: str = ""
    not_tried: str = ""
    set_aside: tuple[str, ...] = ()
    """Rules that the memory breaks while operations come one by one."""
    findings: tuple[RaceFinding, ...] = ()


@result
@dataclass(frozen=True)
class RaceReport:
    """What races showed of one memory."""

    rounds: int
    connections: str
    """How threads reached the memory."""
    not_tried: str = ""
    """Why no thread was let loose; empty where they were."""
    shapes: tuple[RacedShape, ...] = ()
    positive: int = 0
    """Checks that something acknowledged was there, and was."""
    negative: int = 0
    """Checks that something is not shown."""
    jitter: bool = False

    @property
    def findings(self) -> tuple[RaceFinding, ...]:
        """Everything that was wrong, shape by shape."""
        return tuple(finding for shape in self.shapes for finding in shape.findings)

    def seen(self, one_in: int) -> float:
        """Return the probability that a bug which shows once in so many rounds would have been seen."""
        return 1 - (1 - 1 / one_in) ** self.rounds


def rounds_for(one_in: int, sure: float) -> int:
    """Return how many rounds show a bug of one in *one_in* rounds with the probability *sure*.

    Raises:
        ConfigError: A rate or a probability that no number of rounds fits.
    """
    if one_in < 2 or not 0 < sure < 1:
        raise ConfigError(
            f"No number of rounds shows one in {one_in} with probability {sure:g}.",
            "Take one in 2 or more, and a probability between 0 and 1.",
        )
    return math.ceil(math.log(1 - sure) / math.log(1 - 1 / one_in))


@dataclass
class _Tally:
    """What is counted while shapes are played."""

    positive: int = 0
    negative: int = 0
    calls: int = 0
    raised: list[str] = field(default_factory=list)
    methods: set[str] = field(default_factory=set)

    def add(self, history: RaceHistory) -> None:
        positive, negative = judged(history)
        self.positive += positive
        self.negative += negative
        self.calls += len(history.calls)
        self.methods |= {call.operation.method for call in history.calls}
        self.raised += [call.raised for call in history.calls if call.raised]


def race(
    driver: Driver,
    *,
    shapes: Sequence[str] = (),
    rounds: int = 5,
    seed: str = "0",
    fresh: bool = False,
    shrinks: int = BUDGET,
    pause: Callable[[], None] = lambda: None,
    on_progress: Callable[[str, int], None] = lambda *_: None,
) -> RaceReport:
    """Play *rounds* rounds of *shapes*, all of them where none is named, on the memory of *driver*.

    A shape that failed is not played again. Users are new ones in every history, and nothing is reset unless the
    memory may be *fresh* for each. A history that fails is made smaller by at most *shrinks* further ones.

    Raises:
        UnknownNameError: No such shape.
        CallFailed: The memory raises on its own thread too.
        CallTimeout: A call, or a race, did not end in time.
        ContractBreach: A call returned what the protocol forbids.
    """
    require_known("shape of races", shapes, SHAPES)
    with connected(driver.system, LANES) as access:
        stage = RaceStage(access.systems, min(driver.timeout_s, LONGEST_S), pause)
        not_tried = access.not_tried or _refusal(driver, stage, seed)
        if not_tried:
            return RaceReport(rounds, access.how, not_tried)
        tally = _Tally()
        raced = tuple(
            _raced(
                name,
                SHAPES[name],
                _Course(driver, stage, f"{seed}/{name}", rounds, shrinks, tally, fresh=fresh),
                on_progress,
            )
            for name in shapes or SHAPES
        )
    for method in tally.methods:
        driver.times.setdefault(method, [])  # it was called, and its time beside others says nothing
    return RaceReport(rounds, access.how, "", raced, tally.positive, tally.negative)


def _refusal(driver: Driver, stage: RaceStage, seed: str) -> str:
    """Say why a memory is not raced: what it does on its own thread it refuses on another."""
    scope, turn = Scope(f"home-{seed}"), Turn(f"home-{seed}", "ann", "My door is green.", "s0", EPOCH)
    driver.write(turn, scope, (Statement("door", "green"),))
    driver.flush(scope)
    driver.listed(scope)
    driver.recall("What colour is my door?", scope, 1, EPOCH)
    dice = Random(seed)  # noqa: S311 - an order that can be repeated, not a secret
    away = stage.play(SHAPES["beside"].plan(dice).one_by_one(dice), f"{seed}-away")
    raised = next((call.raised for call in away.calls if call.raised), "")
    return f"the memory refuses a second thread: {raised}" if raised else ""


@dataclass(frozen=True)
class _Course:
    """What every shape is played on."""

    driver: Driver
    stage: RaceStage
    seed: str
    rounds: int
    shrinks: int
    tally: _Tally
    fresh: bool

    def play(self, plan: RacePlan) -> RaceHistory:
        """Play a plan, on an empty memory where that may be."""
        if self.fresh:
            for other in self.stage.connections[1:]:
                hang_up(other)
            self.driver.reset()
        return self.stage.play(plan, self.seed)


def _raced(name: str, shape: RaceShape, course: _Course, on_progress: Callable[[str, int], None]) -> RacedShape:
    """Play one shape until it fails, or to the end."""
    raced = RacedShape(name, shape.title)
    if shape.need and shape.need not in course.driver.offers:
        return replace(raced, not_tried=f"the memory is not {shape.need}")
    tally = _Tally()
    dice = Random(course.seed)  # noqa: S311 - an order that can be repeated, not a secret
    excused: set[str] = set()
    findings: tuple[RaceFinding, ...] = ()
    number = 0
    while number < course.rounds and not findings:
        number += 1
        on_progress(name, number)
        history = course.play(shape.plan(dice))
        tally.add(history)
        findings = tuple(_findings(name, number, history, excused, course, dice))
    course.tally.positive += tally.positive
    course.tally.negative += tally.negative
    course.tally.methods |= tally.methods
    return replace(
        raced,
        histories=number,
        calls=tally.calls,
        raised=len(tally.raised),
        first_raised=next(iter(tally.raised), ""),
        set_aside=tuple(sorted(excused)),
        findings=findings,
    )


def _own_ways(plan: RacePlan, course: _Course, dice: Random) -> set[str]:
    """Return the rules that a memory breaks while the operations of *plan* come one by one."""
    orders = (course.play(plan.one_by_one(dice)) for _ in range(CONTROLS))
    return {breach.rule for history in orders for breach in breaches(history)}


def _findings(
    shape: str, number: int, history: RaceHistory, excused: set[str], course: _Course, dice: Random
) -> Iterator[RaceFinding]:
    """Yield one finding an anomaly, each with the smallest history; what is no race joins what is excused."""
    if all(breach.rule in excused for breach in breaches(history)):
        return
    excused |= _own_ways(history.plan, course, dice)
    by_anomaly: dict[Anomaly, Breach] = {}
    for breach in breaches(history):
        if breach.rule not in excused:
            by_anomaly.setdefault(breach.anomaly, breach)
    if len(by_anomaly) > 1:
        by_anomaly.pop(Anomaly.WRITE_CYCLE, None)  # what explains more is said instead
    for anomaly, breach in by_anomaly.items():
        less, shown = smallest(history, breach, course.play, course.shrinks)
        yield RaceFinding(anomaly, shape, number, shown.witness, tuple(told_by(less, shown)), breach.rule)
