"""A scene: one scenario while it is played, with its clock, whoever speaks, what was said, and what was seen."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from memgauge.records import Scope
from memgauge.studies.golden.checking import AnomalyFinding, Events, named_exposure
from memgauge.studies.golden.claims import false_claims
from memgauge.studies.golden.driver import ReturnedText
from memgauge.studies.golden.exposure import exposed
from memgauge.studies.golden.ledger import LedgerWrite, Mood, ScenarioLedger
from memgauge.studies.golden.tokens import found_in, nearly, token
from memgauge.text.dates import spell_date

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memgauge.records import Memory, Turn
    from memgauge.records.statements import Statement
    from memgauge.studies.golden.anomalies import Anomaly
    from memgauge.studies.golden.driver import Driver, Returned
    from memgauge.studies.golden.scenario import Say, Scenario, Values
    from memgauge.studies.golden.tokens import Kind

EPOCH = datetime(2026, 1, 5, 9)  # noqa: DTZ001 - scenarios live in naive local time
TICK = timedelta(minutes=1)
"""What everything takes that is said, asked or erased."""
_PLACE = re.compile(r"\{(\w+|@-?\d{1,6}[dhms])\}")
_SPAN = re.compile(r"(-?\d{1,6})([dhms])")
_UNITS = {"d": "days", "h": "hours", "m": "minutes", "s": "seconds"}
_TRIES = 50


class Unsupported(Exception):  # noqa: N818 - it says that a scenario does not apply, which is no error
    """The memory does not offer what a scenario needs."""


@dataclass(frozen=True, slots=True)
class HandedTurn:
    """A turn as it was handed over."""

    session: str
    scope: Scope
    turn: Turn
    meaning: tuple[Statement, ...]
    trusted: bool


@dataclass(frozen=True, slots=True)
class ValidityEnd:
    """When something said stops to hold."""

    day: datetime | None = None
    """The last day, at midnight, where a day was said."""
    moment: datetime | None = None
    """The first moment at which it no longer holds."""


def names_of(scope: Scope) -> set[tuple[str, str]]:
    """Return the ids that a scope names, each with what it is an id of."""
    names = {"user": scope.user, "tenant": scope.tenant, "agent": scope.agent, "session": scope.session}
    return {(part, name) for part, name in names.items() if name is not None}


class Scene:
    """What is true and what was seen so far; steps change it, and everything that was found is kept."""

    def __init__(self, scenario: Scenario, driver: Driver, seed: str, layers: Sequence[str]) -> None:
        self.scenario = scenario
        self.driver = driver
        self.seed = f"{seed}/{scenario.id}"
        self.layers = layers
        self.now = datetime.fromisoformat(scenario.epoch) if scenario.epoch else EPOCH
        self.scope = Scope("alice")
        self.session = "s0"
        self.step = 0
        self.round = ""
        """Which turn of a repetition it is; empty outside of one."""
        self.turns: list[HandedTurn] = []
        self.untold: frozenset[bytes] = frozenset()
        """What the store's files held before anything was told."""
        self.removed: dict[tuple[Scope, str], set[str]] = {}
        """What every erased memory said, by scope and id."""
        self.twice = False
        """Whether the next write is delivered twice."""
        self.events = Events()
        self.before: dict[tuple[Scope, str, int, str | None], list[str]] = {}
        """What every search has returned since anything was last changed."""
        self.accepted: set[tuple[str, str]] = set()
        """Ids under which the memory has taken something, each with what it is an id of."""
        self.unsettled: dict[Scope, None] = {}
        """Scopes that were written to and not yet asked to settle."""
        self.ledger = ScenarioLedger()
        self.findings: list[AnomalyFinding] = []
        self.positive = 0
        self.negative = 0
        self.probes = 0
        self.checks = 0
        """How often anything was checked: readings, and counts and receipts of what was there."""
        self.unheard: dict[str, None] = {}
        """Layers at which it was to be looked, and could not."""
        self._values: dict[str, str] = {}
        """What stands for every variable."""
        self._taken: set[str] = set()
        self._exposed: list[tuple[str, AnomalyFinding]] = []
        """What was seen in this step where nothing was looked for yet, by the value."""
        driver.witness = self.expose
        missing = set(scenario.requires) - driver.offers
        if missing:
            raise Unsupported(f"the memory offers no {', '.join(sorted(missing))}")

    # --- what steps do to it

    def tick(self) -> None:
        """Let a minute pass."""
        self.now += TICK

    def changed(self) -> None:
        """Note that searches may from here on find something else."""
        self.before.clear()

    def happened(self, *kinds: Literal["restarts", "erasures", "revivals"]) -> None:
        """Note that something happened that can lose or bring back what was written."""
        self.changed()
        steps: dict[str, Any] = {kind: (*getattr(self.events, kind), self.step) for kind in kinds}
        self.events = replace(self.events, **steps)

    def wrong(self, kind: Anomaly, what: str, layer: str = "store") -> None:
        """Keep an anomaly with its witness."""
        self.findings.append(AnomalyFinding(kind, self.step, layer, what))

    def expose(self, returned: Returned) -> None:
        """Look through everything that a call gave back."""
        known = self.ledger.clock(returned.scope) if returned.call == "context" and returned.scope else None
        for seen in exposed(returned, self.ledger, known or self.now):
            self._exposed.append((seen.write.token, named_exposure(self.step, returned, seen, self.events)))
        for kind, what in false_claims(returned, self.ledger):
            layer = "recall" if returned.call == "search" else "store"
            self._exposed.append((what, AnomalyFinding(kind, self.step, layer, what)))

    def looked(self) -> None:
        """Keep what was exposed in this step, but for what a reading has named already."""
        for witness, finding in self._exposed:
            named = (old for old in self.findings if (old.step, old.anomaly) == (self.step, finding.anomaly))
            if not any(witness in old.witness for old in named):
                self.findings.append(finding)
                self.negative += 1  # it was looked for there too
        self._exposed.clear()

    def shown(self) -> list[AnomalyFinding]:
        """Return all that was found, also in the step that is being played."""
        self.looked()
        return self.findings

    def settle(self, *, flush: bool) -> None:
        """Let what was written settle, now or before the next look; what settles at once need not be asked."""
        if flush:
            self.driver.flush(self.scope)
        elif not self.driver.immediate:
            self.unsettled[self.scope] = None

    def settle_all(self) -> None:
        """Let everything settle that was written since the last look, by whomever."""
        while self.unsettled:
            self.driver.flush(self.unsettled.popitem()[0])

    def need(self, protocol: str) -> None:
        """Require an optional protocol.

        Raises:
            Unsupported: The memory does not have it.
        """
        if protocol not in self.driver.offers:
            raise Unsupported(f"step {self.step} needs a memory that is {protocol}")

    def bearing(self, tokens: Iterable[str]) -> list[Memory]:
        """List what the memory stores of whoever speaks that bears any of *tokens*."""
        wanted = set(tokens)
        return [memory for memory in self.driver.listed(self.scope) if found_in(memory.text, wanted)]

    def remove(self, memories: Iterable[Memory]) -> None:
        """Remember what memories said that are about to be erased."""
        tokens = {write.token for write in self.ledger}
        for memory in memories:
            self.removed.setdefault((self.scope, memory.id), set()).update(found_in(memory.text, tokens))

    def forget(self, slot: str, at: datetime | None = None) -> list[Memory]:
        """Note that a slot of whoever speaks is erased, and return what is stored of it still.

        Where a time is given, only what holds then is erased. What ran out and is listed no more cannot be asked
        for, and so was not erased.
        """
        written = self.ledger.written(self.scope, slot)
        tokens = {write.token for write in written if at is None or write.holds(at)}
        memories = self.bearing(tokens)
        self.remove(memories)
        ran_out = {write.token for write in written if write.ran_out(self.now)}
        unlisted = ran_out.difference(*(found_in(memory.text, tokens) for memory in memories))
        self.ledger.erase(self.step, self.scope, slot, at, spared=unlisted)
        self.happened("erasures")
        return memories

    # --- what a play with other beliefs changes

    def note(self, step: Say, copy: str, turn: Turn, end: ValidityEnd) -> None:
        """Write down what a turn means."""
        at = turn.at or self.now
        now = {
            "valid_from": start_of(step, at),
            "valid_to": end.moment,
            "expires": end.moment if self._hands_over_end(step) else None,
        }
        then = {"valid_from": None, "valid_to": end.day or at}
        meanings: tuple[tuple[Values, dict[str, Any]], ...] = (
            (step.sets, now),
            (step.adds, {**now, "functional": False}),
            (step.was, {**then, "backfilled": True}),
            (step.supposes, {**now, "mood": Mood.SUPPOSED}),
            (step.plants, {**now, "mood": Mood.PLANTED}),
        )
        for values, meaning in meanings:
            for slot, name in values.items():
                value, home = self.value(name, copy), (self.scope, self.session)
                self.ledger.write(
                    LedgerWrite(0, self.step, *home, slot, value, turn.id, at, text=turn.text, **meaning)
                )
        for slot, name in step.removes.items():
            self.ledger.end(self.scope, slot, at, self.value(name, copy))
        for slot in step.ends:
            self.ledger.end(self.scope, slot, at)

    def _hands_over_end(self, step: Say) -> bool:
        """Whether the memory is told when what is said ends."""
        return bool(step.expires or step.expires_in) and "expiring" in self.driver.offers

    def look(self, layer: str, query: str, k: int, at: datetime) -> list[ReturnedText] | None:
        """Ask one layer; ``None`` where it has nothing to say of that time."""
        if layer == "recall":
            return self.driver.recall(query, self.scope, k, at)
        if layer == "context":  # which is told of no time: what nobody told it of, it cannot know
            timely = at >= self.now and not self.ledger.turned(self.scope, self.now)
            return self.driver.context(query, self.scope) if timely else None
        return self.driver.answer(query, self.scope, at)

    def peek(self, surface: str, query: str, reader: Scope) -> list[ReturnedText]:
        """Look as somebody else."""
        if surface == "list":
            return [ReturnedText(memory.text) for memory in self.driver.listed(reader)]
        if surface == "context":
            return self.driver.context(query, reader) or []
        if surface == "answer":
            return self.driver.answer(query, reader, self.now) or []
        if surface == "history":
            return self._histories(reader)
        return self.driver.recall(query, reader, 50, self.now)

    def _histories(self, reader: Scope) -> list[ReturnedText]:
        """Read, as *reader*, the histories of what others stored last."""
        self.need("auditable")
        scopes = list(dict.fromkeys(write.scope for write in self.ledger))[-_PEEPED:]
        ids = dict.fromkeys(memory.id for scope in scopes for memory in self.driver.listed(scope)[-_PEEPED:])
        entries = [entry for memory in ids for entry in self.driver.history(memory, reader)]
        return [ReturnedText(entry.text) for entry in entries if entry.text]

    # --- values

    def value(self, name: str, copy: str = "") -> str:
        """Return the value of a variable; days are few, so that one that is taken is passed over."""
        copy = copy or self.round
        key = f"{name}#{copy}" if copy else name
        if near := self.scenario.near.get(name):
            manner, _, base = near.partition(" ")
            return nearly(self.value(base, copy), manner)
        if key not in self._values:
            tries = (token(self.seed, key + "'" * again, self.kind(name)) for again in range(_TRIES))
            value = next((value for value in tries if value not in self._taken), None)
            self._values[key] = value or token(self.seed, key, self.kind(name))
            self._taken.add(self._values[key])
        return self._values[key]

    def kind(self, name: str) -> Kind:
        """Return the type of a variable."""
        return self.scenario.vars.get(name, "word")

    def filled(self, text: str, at: datetime, copy: str = "") -> str:
        """Put tokens and days in their places; ``{@3d}`` is the day three days from *at*."""

        def value(match: re.Match[str]) -> str:
            if match[1].startswith("@"):
                return spell_date((at + span(match[1][1:])).date())
            return self.value(match[1], copy)

        return _PLACE.sub(value, text)

    def numbered(self, name: str) -> str:
        """Put the number of the repetition where a name says ``{n}``."""
        return name.replace("{n}", self.round.replace(".", "-") or "0")


_PEEPED = 20
"""Users, and memories of each, of which others try to read the history."""


def span(text: str | None) -> timedelta:
    """Read ``3d``, ``-12h``; nothing is no distance."""
    match = _SPAN.fullmatch(text or "0s")
    if match is None:
        raise ValueError(f"{text!r} is no distance in time")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def start_of(step: Say, spoken_at: datetime) -> datetime:
    """Say when what is said begins to hold: at once, or with the day that was announced."""
    if step.starts:
        return datetime.combine((spoken_at + span(step.starts)).date(), datetime.min.time())
    return spoken_at


def end_of(step: Say, spoken_at: datetime) -> ValidityEnd:
    """Say when what is said stops to hold: after a day, or at a moment."""
    if step.expires_in:
        return ValidityEnd(moment=spoken_at + span(step.expires_in))
    if step.until:
        day = datetime.combine((spoken_at + span(step.until)).date(), datetime.min.time())
        return ValidityEnd(day, day + timedelta(days=1))
    return ValidityEnd()
