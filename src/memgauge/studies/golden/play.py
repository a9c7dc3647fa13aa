"""One scenario while it is played: the clock, whoever speaks, what was said, and what was seen."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import singledispatchmethod
from random import Random
from typing import TYPE_CHECKING, Any, Literal

from memgauge.errors import CallFailed
from memgauge.records import Operation, Scope, Turn
from memgauge.records.statements import Act, Statement
from memgauge.studies.golden.anomalies import Anomaly
from memgauge.studies.golden.checking import AnomalyFinding, Events, Read, check_read, foreign
from memgauge.studies.golden.driver import DISTRUSTED, Driver, ReturnedText
from memgauge.studies.golden.ledger import Ledger, LedgerWrite, Mood
from memgauge.studies.golden.residue import residue
from memgauge.studies.golden.scenario import (
    Advance,
    Ask,
    Assert,
    Concurrent,
    Erase,
    Fault,
    Maintenance,
    Probe,
    Reingest,
    Restart,
    Say,
    Session,
    User,
)
from memgauge.studies.golden.tokens import found_in, token
from memgauge.text.dates import spell_date

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import date

    from memgauge.records import Memory
    from memgauge.studies.golden.scenario import Kind, Scenario, Step, Values

EPOCH = datetime(2026, 1, 5, 9)  # noqa: DTZ001 - scenarios live in naive local time
_TRUSTED = frozenset({"user"})
_PLACE = re.compile(r"\{(\w+|@-?\d{1,6}[dhms])\}")
_SPAN = re.compile(r"(-?\d{1,6})([dhms])")
_UNITS = {"d": "days", "h": "hours", "m": "minutes", "s": "seconds"}
_TICK = timedelta(minutes=1)
_TRIES = 50
_NOT_OFFERED = re.compile(r"\bNotImplementedError\b")
"""How a memory says, here or through a wire, that it does not take a scope."""


class Unsupported(Exception):  # noqa: N818 - it says that a scenario does not apply, which is no error
    """The memory does not offer what a scenario needs."""


@dataclass
class _Lane:
    """What is left of a lane, and who goes on in it."""

    scope: Scope
    session: str
    left: list[Step]


class Play:
    """Plays the steps in order; everything that was found is kept."""

    def __init__(self, scenario: Scenario, driver: Driver, seed: str, layers: Sequence[str]) -> None:
        self._scenario = scenario
        self._driver = driver
        self._seed = f"{seed}/{scenario.id}"
        self._layers = layers
        self._now = EPOCH
        self._scope = Scope("alice")
        self._session = "s0"
        self._step = 0
        self._turns: list[tuple[str, Scope, Turn, list[Statement], bool]] = []
        self._deleted: dict[tuple[Scope, str], set[str]] = {}
        """What every erased memory said, by scope and id."""
        self._twice = False
        self._values: dict[str, str] = {}
        """What stands for every variable."""
        self._taken: set[str] = set()
        self._events = Events()
        self._before: dict[tuple[Scope, str, int, str | None], list[str]] = {}
        """What every search has returned since anything was last changed."""
        self.ledger = Ledger()
        self.findings: list[AnomalyFinding] = []
        self.positive = 0
        self.negative = 0
        self.probes = 0
        missing = set(scenario.requires) - driver.offers
        if missing:
            raise Unsupported(f"the memory offers no {', '.join(sorted(missing))}")

    def run(self) -> None:
        """Play every step.

        Raises:
            Unsupported: A step needs what the memory does not offer.
            CallFailed: The memory raised.
            CallTimeout: The memory did not return in time.
        """
        for place, step in enumerate(self._scenario.steps, 1):
            self.take(place, step)

    def take(self, place: int, step: Step) -> None:
        """Play the step at *place*; a memory may say that it keeps no session to itself.

        Raises:
            Unsupported: It does, or a step needs what it does not offer.
            CallFailed: The memory raised anything else.
            CallTimeout: The memory did not return in time.
        """
        self._step = place
        try:
            self.play(step)
        except CallFailed as error:
            if self._scope.session is None or not _NOT_OFFERED.search(str(error)):
                raise
            raise Unsupported(f"step {place} needs a memory that keeps a session to itself") from error

    @singledispatchmethod
    def play(self, step: Step) -> None:
        """Play one step."""
        raise NotImplementedError(step)

    @play.register
    def _(self, step: User) -> None:
        self._scope = Scope(step.user, step.tenant, step.agent, self._scope.session)

    @play.register
    def _(self, step: Session) -> None:
        self._session = step.session
        self._scope = replace(self._scope, session=step.session if step.confined else None)

    @play.register
    def _(self, step: Advance) -> None:
        self._before.clear()
        self._now += span(step.advance)

    @play.register
    def _(self, step: Maintenance) -> None:
        for _ in range(step.maintenance):
            self._driver.maintain(self._now)
        self._happened("revivals")

    @play.register
    def _(self, step: Restart) -> None:
        self._need("durable")
        if step.restart == "process":
            self._driver.flush(self._scope)
        self._driver.restart()
        self._happened("restarts", "revivals")

    @play.register
    def _(self, step: Fault) -> None:  # noqa: ARG002 - there is one kind
        self._twice = True

    @play.register
    def _(self, step: Reingest) -> None:
        """Write a session of whoever speaks again, where it was written: in itself, where it keeps to itself."""
        again = [
            (scope, turn, meaning, trusted)
            for session, scope, turn, meaning, trusted in self._turns
            if session == step.reingest and replace(scope, session=self._scope.session) == self._scope
        ]
        for scope, turn, meaning, trusted in again:
            self._driver.write(turn, scope, meaning, trusted=trusted)
        for scope in dict.fromkeys(scope for scope, *_ in again):
            self._driver.flush(scope)
        self._happened("revivals")

    @play.register
    def _(self, step: Concurrent) -> None:
        """Interleave the lanes by the seed; each goes on as whoever it began as."""
        dice = Random(f"{self._seed}/{self._step}")  # noqa: S311 - an order that can be repeated, not a secret
        lanes = [_Lane(self._scope, self._session, list(lane)) for lane in step.concurrent]
        while open_lanes := [lane for lane in lanes if lane.left]:
            lane = dice.choice(open_lanes)
            self._scope, self._session = lane.scope, lane.session
            self.play(lane.left.pop(0))
            lane.scope, lane.session = self._scope, self._session

    @play.register
    def _(self, step: Say) -> None:
        for copy in range(step.times):
            self._say(step, str(copy) if step.times > 1 else "")
        self._driver.flush(self._scope)

    def _say(self, step: Say, copy: str) -> None:
        self._before.clear()
        self._now += _TICK
        spoken_at = self._now + span(step.at)
        key = step.id or f"t{self._step}{f'-{copy}' if copy else ''}-{len(self._turns)}"
        trusted = step.channel in _TRUSTED
        role = "user" if step.channel == "user" else step.channel
        text = self._filled(step.say, spoken_at, copy)
        turn = Turn(key, self._scope.user if trusted else step.channel, text, self._session, spoken_at, role)
        until = (spoken_at + span(step.until)).date() if step.until else None
        meaning = list(self._meaning(step, copy, until))
        self._note(step, copy, turn, until)
        expires = (
            datetime.combine(until + timedelta(days=1), datetime.min.time()) if until and step.expires else None
        )
        for _ in range(2 if self._twice else 1):
            self._driver.write(turn, self._scope, meaning, expires_at=expires, trusted=trusted)
        self._twice = False
        self._turns.append((self._session, self._scope, turn, meaning, trusted))

    def _meaning(self, step: Say, copy: str, until: date | None) -> Iterable[Statement]:
        """Say what a turn means, for a memory that is taught."""
        for slot, name in {**step.sets, **step.plants}.items():
            yield Statement(slot, self._token(name, copy), until=until)
        for slot, name in step.adds.items():
            yield Statement(slot, self._token(name, copy), functional=False, until=until)
        for slot, name in step.was.items():
            yield Statement(slot, self._token(name, copy), until=until, over=True)
        for slot, name in step.removes.items():
            yield Statement(slot, self._token(name, copy), act=Act.END, functional=False)
        for slot in step.ends:
            yield Statement(slot, act=Act.END)

    def _note(self, step: Say, copy: str, turn: Turn, until: date | None) -> None:
        """Write down what a turn means."""
        at = turn.at or self._now
        end = datetime.combine(until, datetime.min.time()) if until else None
        now = {"valid_from": at, "valid_to": end + timedelta(days=1) if end else None}
        then = {"valid_from": None, "valid_to": end or at}
        meanings: tuple[tuple[Values, dict[str, Any]], ...] = (
            (step.sets, now),
            (step.adds, {**now, "functional": False}),
            (step.was, {**then, "backfilled": True}),
            (step.supposes, {**now, "mood": Mood.SUPPOSED}),
            (step.plants, {**now, "mood": Mood.PLANTED}),
        )
        for values, meaning in meanings:
            for slot, name in values.items():
                value, home = self._token(name, copy), (self._scope, self._session)
                self.ledger.write(LedgerWrite(0, self._step, *home, slot, value, turn.id, at, **meaning))
        for slot, name in step.removes.items():
            self.ledger.end(self._scope, slot, at, self._token(name, copy))
        for slot in step.ends:
            self.ledger.end(self._scope, slot, at)

    @play.register
    def _(self, step: Ask) -> None:
        self._now += _TICK
        at = self._now + span(step.as_of)
        query = self._filled(step.ask, self._now)
        for layer in step.layers:
            texts = self._look(layer, query, step.k, at) if layer in self._layers else None
            if texts is None:
                continue
            read = Read(self._step, layer, self._scope, self._session, step.about, at, bool(step.as_of))
            checked = check_read(read, texts, self.ledger, self._events)
            self.findings += checked.findings
            self.positive += checked.returned
            self.negative += checked.negative
            self._events = replace(self._events, seen=self._events.seen | checked.surfaced)
            if layer == "recall":
                self._check_search(step, query, texts)

    def _check_search(self, step: Ask, query: str, hits: Sequence[ReturnedText]) -> None:
        """Check what holds of any search: no more than was asked for, and the same again where nothing changed."""
        if len(hits) > step.k:
            what = f"R{self._step} asked for {step.k} and got {len(hits)}."
            self._wrong(Anomaly.OVER_LIMIT, what, "recall")
        texts = [hit.text for hit in hits]
        if self._before.setdefault((self._scope, query, step.k, step.as_of), texts) != texts:
            what = f"R{self._step} asked {query!r} again, nothing had changed, and the answer had."
            self._wrong(Anomaly.UNSTABLE, what, "recall")

    def _look(self, layer: str, query: str, k: int, at: datetime) -> list[ReturnedText] | None:
        if layer == "recall":
            return self._driver.recall(query, self._scope, k, at)
        if at < self._now:
            return None  # only a search is told of another time
        if layer == "context":
            return self._driver.context(query, self._scope)
        return self._driver.answer(query, self._scope, at)

    @play.register
    def _(self, step: Probe) -> None:
        readers = [replace(self._scope, user=name or "") for name in step.as_users]
        for reader in readers or [self._scope]:
            for surface in step.surfaces:
                for query in step.probe if surface != "list" else step.probe[:1]:
                    texts = self._peek(surface, self._filled(query, self._now), reader)
                    leaks, negative = foreign(self._step, "recall", reader, texts, self.ledger)
                    self.findings += leaks
                    self.negative += negative
                    self.probes += 1

    def _peek(self, surface: str, query: str, reader: Scope) -> list[ReturnedText]:
        """Look as somebody else; a memory may refuse a strange id, which shows nothing."""
        try:
            if surface == "list":
                return [ReturnedText(memory.text) for memory in self._driver.listed(reader)]
            if surface == "context":
                return self._driver.context(query, reader) or []
            return self._driver.recall(query, reader, 50, self._now)
        except CallFailed as error:
            return [ReturnedText(str(error))]

    @play.register
    def _(self, step: Erase) -> None:
        self._now += _TICK
        if step.erase == "user":
            self._need("erasable")
            self._remember(self._driver.listed(self._scope))
            self.ledger.erase(self._step, self._scope)
            self._driver.erase_scope(self._scope)
        else:
            self._need("mutable")
            gone = {write.token for write in self.ledger.erase(self._step, self._scope, step.erase)}
            memories = [m for m in self._driver.listed(self._scope) if found_in(m.text, gone)]
            self._remember(memories)
            self._driver.delete([memory.id for memory in memories], self._scope)
        self._driver.flush(self._scope)
        self._happened("erasures")

    def _remember(self, memories: Iterable[Memory]) -> None:
        tokens = {write.token for write in self.ledger}
        for memory in memories:
            self._deleted.setdefault((self._scope, memory.id), set()).update(found_in(memory.text, tokens))

    @play.register
    def _(self, step: Assert) -> None:
        check = step.assert_
        if check.audit == "erasure":
            self._audit_of_erasure()
        elif check.audit == "history":
            self._audit_of_history(check.about or "")
        if check.residue:
            self._residue()
        if check.once:
            self._once(check.once)
        if check.quarantined:
            self._quarantined()

    def _audit_of_erasure(self) -> None:
        self._need("auditable")
        erased = {write.token for write in self.ledger if write.erased is not None}
        for (scope, memory), tokens in self._deleted.items():
            history = self._driver.history(memory, scope)
            self.negative += len(tokens & erased)
            leaked = {value for entry in history if entry.text for value in found_in(entry.text, erased)}
            for value in sorted(leaked):
                self._wrong(Anomaly.AUDIT_LEAK, f"The history of {memory} still says {value}, which was erased.")
            if tokens & erased and not any(entry.op is Operation.DELETE for entry in history):
                self._wrong(Anomaly.UNAUDITED, f"The history of {memory} does not say that it was deleted.")
            else:
                self.positive += 1

    def _audit_of_history(self, slot: str) -> None:
        self._need("auditable")
        for write in self.ledger.holding(self._scope, slot, self._now):
            memories = [m for m in self._driver.listed(self._scope) if found_in(m.text, {write.token})]
            if any(self._driver.history(memory.id, self._scope) for memory in memories):
                self.positive += 1
            else:
                self._wrong(Anomaly.UNAUDITED, f"Nothing says how {write.token} came to be stored.")

    def _residue(self) -> None:
        erased = {write.token for write in self.ledger if write.erased is not None}
        self.negative += len(erased)
        scopes = {write.scope for write in self.ledger}
        listed = [ReturnedText(m.text) for scope in scopes for m in self._driver.listed(scope)]
        left = {value: "the list of what is stored" for each in listed for value in found_in(each.text, erased)}
        left |= {value: file.name for file in self._driver.files() for value in residue(file, erased)}
        for value, where in sorted(left.items()):
            self._wrong(Anomaly.RESIDUE, f"{value} was erased and still stands in {where}.")

    def _once(self, slot: str) -> None:
        for write in self.ledger.holding(self._scope, slot, self._now):
            texts = [m.text for m in self._driver.listed(self._scope) if found_in(m.text, {write.token})]
            self.positive += bool(texts)
            self.negative += 1
            if len(set(texts)) < len(texts):
                self._wrong(Anomaly.DUPLICATE, f"{write.token} is stored {len(texts)} times in the same words.")

    def _quarantined(self) -> None:
        planted = {write.token for write in self.ledger if write.mood is Mood.PLANTED}
        self.negative += len(planted)
        for memory in self._driver.listed(self._scope):
            for value in found_in(memory.text, planted):
                if not DISTRUSTED.search(memory.channel):
                    what = f"{value} was planted and is stored as {memory.id} like everything else."
                    self._wrong(Anomaly.POISON_ACTIVE, what)

    def _wrong(self, kind: Anomaly, what: str, layer: str = "store") -> None:
        self.findings.append(AnomalyFinding(kind, self._step, layer, what))

    def _happened(self, *kinds: Literal["restarts", "erasures", "revivals"]) -> None:
        self._before.clear()
        steps: dict[str, Any] = {kind: (*getattr(self._events, kind), self._step) for kind in kinds}
        self._events = replace(self._events, **steps)

    def _need(self, protocol: str) -> None:
        if protocol not in self._driver.offers:
            raise Unsupported(f"step {self._step} needs a memory that is {protocol}")

    def _token(self, name: str, copy: str = "") -> str:
        """Return the value of a variable; days are few, so that one that is taken is passed over."""
        key = f"{name}#{copy}" if copy else name
        if key not in self._values:
            tries = (token(self._seed, key + "'" * again, self._kind(name)) for again in range(_TRIES))
            value = next((value for value in tries if value not in self._taken), None)
            self._values[key] = value or token(self._seed, key, self._kind(name))
            self._taken.add(self._values[key])
        return self._values[key]

    def _kind(self, name: str) -> Kind:
        return self._scenario.vars.get(name, "word")

    def _filled(self, text: str, at: datetime, copy: str = "") -> str:
        """Put tokens and days in their places; ``{@3d}`` is the day three days from *at*."""

        def value(match: re.Match[str]) -> str:
            if match[1].startswith("@"):
                return spell_date((at + span(match[1][1:])).date())
            return self._token(match[1], copy)

        return _PLACE.sub(value, text)


def span(text: str | None) -> timedelta:
    """Read ``3d``, ``-12h``; nothing is no distance."""
    match = _SPAN.fullmatch(text or "0s")
    if match is None:
        raise ValueError(f"{text!r} is no distance in time")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})
