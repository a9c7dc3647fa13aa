"""Tampering: the grader believes one thing that is not so, and must find fault with a memory that is right.

A change of what is expected that goes unnoticed is an expectation that nothing checks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING

from memgauge.records import Memory
from memgauge.studies.golden.anomalies import LEAKS, Anomaly
from memgauge.studies.golden.driver import Driver, ReturnedText
from memgauge.studies.golden.ledger import ScenarioLedger
from memgauge.studies.golden.play import Play
from memgauge.studies.golden.scenario import (
    LAYERS,
    AskStep,
    Assert,
    Concurrent,
    Erase,
    Probe,
    RepeatStep,
    Say,
    SessionStep,
)
from memgauge.studies.golden.scene import end_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memgauge.records import Scope, Turn
    from memgauge.studies.golden.ledger import LedgerWrite
    from memgauge.studies.golden.scenario import Assertion, Scenario, Step
    from memgauge.studies.golden.scene import ValidityEnd
    from memgauge.systems.protocol import AuditEntry, MemorySystem

NOBODY = "nobody-else"
"""A user and a slot that no scenario has."""


@dataclass(frozen=True)
class FalseBelief:
    """One thing that a grader believes and that is not so."""

    name: str
    """Which step, and what is believed of it."""
    heard: Mapping[int, Say] = field(default_factory=dict)
    """What the ledger hears instead of a turn, by the identity of the step."""
    writer: str = ""
    """Whom the ledger takes for the user who said it."""
    outside: bool = False
    """Whether the ledger takes it for said outside of the session that keeps it to itself."""
    asked: Mapping[int, AskStep] = field(default_factory=dict)
    """What a question is taken to be about, by the identity of the step."""
    unheard: int = 0
    """Which erasure the ledger does not hear of, from 1."""
    lies_at: int = 0
    """The step at which the memory is seen to say what it does not say."""
    wants: frozenset[Anomaly] = frozenset()
    """What must be found then; anything will do for a change of what is expected."""


@dataclass(frozen=True)
class TamperingOutcome:
    """What came of a play."""

    expected: tuple[frozenset[str], ...]
    """What had to come back, reading by reading."""
    anomalies: frozenset[Anomaly]


def play_tampered(
    scenario: Scenario, memory: MemorySystem, seed: str, change: FalseBelief | None = None
) -> TamperingOutcome:
    """Play *scenario* while its grader believes *change*, without a clock."""
    change = change or FalseBelief("nothing")
    if change.asked:
        scenario = scenario.model_copy(update={"steps": tuple(_asking(scenario.steps, change.asked))})
    driver = _Lying(memory, timeout_s=math.inf)
    driver.reset()
    play = _Misled(scenario, driver, seed, change)
    play.run()
    return TamperingOutcome(tuple(play.book.expected), frozenset(finding.anomaly for finding in play.findings))


def changes(scenario: Scenario) -> Iterator[FalseBelief]:
    """List the ways to change by one step what is expected in *scenario*."""
    steps = list(_placed(scenario.steps))
    spoken = [step for _, step in steps if isinstance(step, Say)]
    slots = sorted({slot for step in spoken for slot in chain(step.sets, step.adds)})
    confined = any(isinstance(step, SessionStep) and step.confined for _, step in steps)
    yield from _one_at_a_time(spoken)
    erasures = 0
    for place, step in steps:
        if isinstance(step, Say):
            yield from _misheard(place, step)
            if confined:
                yield FalseBelief(
                    f"step {place}: it was said outside of its session", {id(step): step}, outside=True
                )
        elif isinstance(step, AskStep):
            yield from _misasked(place, step, slots)
        elif isinstance(step, Erase):
            erasures += 1
            yield FalseBelief(f"step {place}: {step.erase} was not erased", unheard=erasures)
        elif isinstance(step, Probe):
            yield FalseBelief(f"step {place}: the probe shows another's value", lies_at=place, wants=LEAKS)
        elif isinstance(step, Assert):
            yield from _misseen(place, step.assert_)


def _misheard(place: int, step: Say) -> Iterator[FalseBelief]:
    """Take what is said for something else."""
    for what, change in chain(_other_values(step), _other_ways(step), _other_times(step)):
        yield FalseBelief(f"step {place}: {what}", heard={id(step): step.model_copy(update=change)})
    if step.sets or step.adds or step.was:
        yield FalseBelief(f"step {place}: somebody else said it", heard={id(step): step}, writer=NOBODY)


def _one_at_a_time(spoken: Sequence[Say]) -> Iterator[FalseBelief]:
    """Take a list for a slot with one value at a time, in all turns, because it takes two to be rivals."""
    for slot in dict.fromkeys(chain.from_iterable(step.adds for step in spoken)):
        heard = {
            id(step): step.model_copy(update={"adds": {}, "sets": {**step.sets, **step.adds}})
            for step in spoken
            if slot in step.adds
        }
        yield FalseBelief(f"every step: {slot} has one value at a time", heard=heard)


def _other_values(step: Say) -> Iterator[tuple[str, dict[str, object]]]:
    for key in ("sets", "adds", "was"):
        values: dict[str, str] = getattr(step, key)
        for slot, name in values.items():
            yield f"{slot} has another value", {key: {**values, slot: f"{name}-other"}}


def _other_ways(step: Say) -> Iterator[tuple[str, dict[str, object]]]:
    if step.sets:
        yield f"{_names(step.sets)} may hold beside others", {"sets": {}, "adds": {**step.adds, **step.sets}}
    for key, what in (
        ("was", "holds now"),
        ("supposes", "was meant"),
        ("plants", "is to be believed"),
    ):
        values: dict[str, str] = getattr(step, key)
        if values:
            yield f"{_names(values)} {what}", {key: {}, "sets": {**step.sets, **values}}


def _other_times(step: Say) -> Iterator[tuple[str, dict[str, object]]]:
    if step.expires_in:
        yield "it never ends", {"expires_in": None}
        yield "it ended before it began", {"expires_in": "-1m"}
    if step.starts:
        yield "it holds from when it is said", {"starts": None}
        yield "it begins a month later", {"starts": f"{int(step.starts[:-1]) + 30}d"}
    if step.until:
        yield "it never ends", {"until": None}
        yield "it ended the day before", {"until": "-1d"}
    if step.at:
        yield "it happened when it was told", {"at": None}
    if step.ends:
        yield f"{_names(step.ends)} did not end", {"ends": ()}
    if step.removes:
        yield f"nothing was removed from {_names(step.removes)}", {"removes": {}}


def _misasked(place: int, step: AskStep, slots: Sequence[str]) -> Iterator[FalseBelief]:
    """Take a question for one about something else; only an answer shows which slot a memory understood."""
    if "answer" not in step.layers or (step.as_of or "").startswith("-"):
        return
    here = slots.index(step.about) if step.about in slots else -1
    others = dict.fromkeys([*slots[here + 1 :], *slots[: max(here, 0)]])
    for about in [*list(others)[:2], NOBODY]:
        asked = {id(step): step.model_copy(update={"about": about})}
        yield FalseBelief(f"step {place}: the question is about {about}", asked=asked)


def _misseen(place: int, check: Assertion) -> Iterator[FalseBelief]:
    """See what each part of an assertion rules out."""
    for ruled_out, what, anomaly in (
        (check.audit, "the audit is empty", Anomaly.UNAUDITED),
        (check.residue, "the erased is stored", Anomaly.RESIDUE),
        (check.once, "it is stored twice", Anomaly.DUPLICATE),
        (check.quarantined, "what was planted is not marked", Anomaly.POISON_ACTIVE),
    ):
        if ruled_out:
            yield FalseBelief(f"step {place}: {what}", lies_at=place, wants=frozenset({anomaly}))


def _names(slots: Iterable[str]) -> str:
    return ", ".join(slots)


def _placed(steps: Iterable[Step], place: int = 0) -> Iterator[tuple[int, Step]]:
    """Pair every step with its place; those of lanes have the place of what holds them."""
    for number, step in enumerate(steps, 1):
        if isinstance(step, Concurrent):
            yield from chain.from_iterable(_placed(lane, place or number) for lane in step.concurrent)
        elif isinstance(step, RepeatStep):
            yield from _placed(step.steps, place or number)
        else:
            yield place or number, step


def _asking(steps: Iterable[Step], asked: Mapping[int, AskStep]) -> Iterator[Step]:
    for step in steps:
        if isinstance(step, Concurrent):
            lanes = tuple(tuple(_asking(lane, asked)) for lane in step.concurrent)
            yield step.model_copy(update={"concurrent": lanes})
        elif isinstance(step, RepeatStep):
            yield step.model_copy(update={"steps": tuple(_asking(step.steps, asked))})
        else:
            yield asked.get(id(step), step)


class _Book(ScenarioLedger):
    """A ledger that remembers what it was asked, and may not hear of one erasure."""

    def __init__(self, unheard: int) -> None:
        super().__init__()
        self._unheard = unheard
        self._erasures = 0
        self.expected: list[frozenset[str]] = []

    def erase(
        self,
        step: int,
        scope: Scope,
        slot: str | None = None,
        at: datetime | None = None,
        *,
        spared: Container[str] = (),
    ) -> list[LedgerWrite]:
        """Note an erasure, unless it is the one that goes unheard."""
        before = list(self._writes)
        gone = super().erase(step, scope, slot, at, spared=spared)
        self._erasures += 1
        if self._erasures == self._unheard:
            self._writes = before
        return gone

    def holding(self, scope: Scope, slot: str, at: datetime) -> list[LedgerWrite]:
        """Return what holds, and remember it."""
        writes = super().holding(scope, slot, at)
        self.expected.append(frozenset(write.token for write in writes))
        return writes


class _Lying(Driver):
    """A driver that at times reports of a store what is not so."""

    lies = False
    left = ""
    """What it says is still stored."""

    def listed(self, scope: Scope) -> list[Memory]:
        """List what is stored; as a lie everything twice, unmarked, without ends, and with what was erased."""
        memories = super().listed(scope)
        if not self.lies:
            return memories
        return [
            *(replace(memory, channel="", valid_to=None) for memory in memories * 2),
            Memory("left", self.left),
        ]

    def history(self, memory: str, scope: Scope) -> Sequence[AuditEntry]:
        """Return what happened to a memory; as a lie nothing."""
        return [] if self.lies else super().history(memory, scope)


class _Misled(Play):
    """A play whose grader believes a change."""

    def __init__(self, scenario: Scenario, driver: _Lying, seed: str, change: FalseBelief) -> None:
        super().__init__(scenario, driver, seed, LAYERS)
        self._liar = driver
        self._change = change
        self.book = self.ledger = _Book(change.unheard)

    def run(self) -> None:
        """Play every step."""
        for place, step in enumerate(self.scenario.steps, 1):
            self.step = place
            self._liar.lies = place == self._change.lies_at
            self._liar.left = " ".join(write.token for write in self.book if write.erased is not None)
            self.play(step)

    def note(self, step: Say, copy: str, turn: Turn, end: ValidityEnd) -> None:
        """Write down what a turn means, as it is believed to."""
        heard = self._change.heard.get(id(step))
        if heard is None:
            super().note(step, copy, turn, end)
            return
        speaker = self.scope
        session = None if self._change.outside else speaker.session
        self.scope = replace(speaker, user=self._change.writer or speaker.user, session=session)
        turn = turn if heard.at == step.at else replace(turn, at=self.now)
        super().note(heard, copy, turn, end_of(heard, turn.at or self.now))
        self.scope = speaker

    def peek(self, surface: str, query: str, reader: Scope) -> list[ReturnedText]:
        """Look as somebody else; as a lie, see what is another's."""
        seen = super().peek(surface, query, reader)
        others = [ReturnedText(write.token) for write in self.book if write.scope != reader]
        return seen + others[:1] if self._liar.lies else seen
