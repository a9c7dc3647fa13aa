"""What a write does: turns are kept, what they state is noted, and facts follow from what was noted."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field, replace
from datetime import datetime, time
from typing import TYPE_CHECKING

from memgauge.records import Change, Operation, Turn
from memgauge.records.statements import ME, Act
from memgauge.systems.pipeline.items import PipelineItem
from memgauge.systems.pipeline.timeline import ALWAYS, TimedStatement, after, versions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memgauge.records import Scope
    from memgauge.records.statements import Statement
    from memgauge.systems.pipeline.ledger import FactLedger
    from memgauge.systems.pipeline.statements import TurnReading
    from memgauge.systems.pipeline.timeline import Version

_CONTENT = ("text", "sources", "at", "valid_from", "valid_to", "expires", "value")


@dataclass
class Writing:
    """One transaction on one scope."""

    ledger: FactLedger
    scope: Scope
    changes: list[Change] = field(default_factory=list)
    stored: list[PipelineItem] = field(default_factory=list)
    """Items that are new, or of which something changed that is not their text."""
    rewritten: bool = False
    """Whether a text changed or something was removed, so that an index is no longer right."""

    def turn(self, turn: Turn, reading: TurnReading, expires: datetime | None) -> None:
        """Store a turn and what it states; what was stored unchanged before, or was deleted, changes nothing."""
        name = self._name(turn.id)
        old = self.ledger.get(self.scope, name)
        said_at = turn.at or self.ledger.latest(self.scope) or ALWAYS
        if self._deleted(name, old) or self._erased_since(turn, reading, said_at):
            self.changes.append(Change(Operation.NOOP, name))
            return
        if old is not None and (old.text, old.at, old.expires) == (turn.text, turn.at, expires):
            self.changes.append(Change(Operation.NOOP, name))
            return
        slots = self._take_back(name)
        states = any(statement.act is not Act.END for statement in reading.statements)
        raw = PipelineItem(
            name,
            turn.text,
            (turn.id,),
            turn.at,
            valid_to=_end(reading, turn),
            covered=reading.void or (states and reading.rest != turn.text),
            expires=expires,
            speaker=turn.speaker,
            session=turn.session,
            role=turn.role,
        )
        self._put(raw, old)
        self._rest(turn, reading, raw)
        for number, statement in enumerate(reading.statements):
            owner = _owner(turn, statement)
            if statement.act is Act.ERASE:
                self._erase(owner, statement.slot, name, said_at)
            fact = self._free(f"{turn.id}/fact/{number}")
            text = statement.text if statement.act is Act.HOLD else ""
            begins = _begins(statement, said_at)
            timed = TimedStatement(0, name, fact, said_at, begins, statement, text, expires)
            self.ledger.say(self.scope, owner, timed)
            slots[owner, statement.slot] = None
        for owner, slot in slots:
            self.settle(owner, slot)

    def forget(self, names: Iterable[str], at: datetime | None = None) -> list[str]:
        """Remove items and what nothing else states; what they took the place of does not come back."""
        names = list(dict.fromkeys(names))
        slots: dict[tuple[str, str], None] = {}
        for name in names:
            item = self.ledger.get(self.scope, name)
            if item is None:
                continue
            if item.owner is not None and item.slot is not None:
                self._hush(item.owner, self._said(item))
                slots[item.owner, item.slot] = None
            for owner, stated in self.ledger.said_by(self.scope, name):
                self._hush(owner, [stated])
                slots[owner, stated.statement.slot] = None
        gone = self._remove(names, at)
        self._remove((f"{name}/rest" for name in gone), at)
        for owner, slot in slots:
            self.settle(owner, slot)
        return gone

    def edit(self, old: PipelineItem, text: str, reading: TurnReading) -> None:
        """Give a fact another text; where that states the same slot it stays a fact, and is else a note."""
        if old.owner is None or old.slot is None:
            self._put(replace(old, text=text, covered=False), old)
            return
        stated = self._said(old)
        value = next((s.value for s in reading.statements if s.act is Act.HOLD and s.slot == old.slot), None)
        if value is None:
            self._put(replace(old, text=text, owner=None, subject=None, slot=None, value=None), old)
            self._hush(old.owner, stated)
        else:
            self.ledger.resay((timed.row for timed in stated), value, text)
        self.settle(old.owner, old.slot)

    def settle(self, owner: str, slot: str) -> None:
        """Bring the facts of a slot in line with what was said of it."""
        stored = {item.id: item for item in self.ledger.facts(self.scope, owner, slot)}
        for version in self._versions(owner, slot):
            fact = _fact(version, owner)
            old = stored.pop(fact.id, None)
            if old is None or any(getattr(old, name) != getattr(fact, name) for name in _CONTENT):
                self._put(fact, old)
        self._remove(stored)

    def _put(self, item: PipelineItem, old: PipelineItem | None) -> None:
        op = Operation.ADD
        if old is not None:
            ended = item.valid_to is not None and (old.valid_to is None or item.valid_to < old.valid_to)
            op = Operation.INVALIDATE if ended and item.text == old.text else Operation.UPDATE
            item = replace(item, version=old.version + 1)
            self.rewritten |= item.text != old.text or item.slot != old.slot
        self.ledger.put(self.scope, item, op)
        self.stored.append(item)
        self.changes.append(Change(op, item.id))

    def _remove(self, names: Iterable[str], at: datetime | None = None) -> list[str]:
        gone = self.ledger.remove(self.scope, names, at)
        self.changes += [Change(Operation.DELETE, name) for name in gone]
        self.rewritten |= bool(gone)
        return gone

    def _rest(self, turn: Turn, reading: TurnReading, raw: PipelineItem) -> None:
        """Keep what a turn says beside its facts on its own, so that it is found without them."""
        name = f"{raw.id}/rest"
        if raw.covered and reading.rest:
            rest = PipelineItem(
                name, reading.rest, (turn.id,), turn.at, valid_to=raw.valid_to, expires=raw.expires
            )
            self._put(rest, self.ledger.get(self.scope, name))
        else:
            self._remove([name])

    def _erase(self, owner: str, slot: str, request: str, at: datetime) -> None:
        """Forget a slot as told until *at*: facts, turns that speak of them, their audit, and the request."""
        stated = [timed for timed in self.ledger.said(self.scope, owner, slot) if timed.told_at <= at]
        values = {timed.statement.value for timed in stated if len(timed.statement.value) > 2}
        turns = {timed.turn for timed in stated if timed.statement.act is not Act.ERASE and not timed.forgotten}
        self.ledger.unsay(timed.row for timed in stated)
        if values:
            named = re.compile("|".join(rf"(?<!\w){re.escape(_plain(value))}(?!\w)" for value in sorted(values)))
            for item in self.ledger.items(self.scope):
                if item.slot is None and named.search(_plain(item.text)):
                    turns.update([] if self.ledger.said_by(self.scope, item.id) else [item.id])
        self._remove(
            [name for turn in sorted({*turns, request}) for name in (turn, *self._stale_rest(turn, values))]
        )
        self.settle(owner, slot)
        self.ledger.wipe(self.scope)

    def _said(self, fact: PipelineItem) -> list[TimedStatement]:
        """Return the statements that a fact is made of."""
        versions_of = self._versions(fact.owner or "", fact.slot or "")
        return [timed for version in versions_of if version.first.name == fact.id for timed in version.stated]

    def _hush(self, owner: str, stated: Iterable[TimedStatement]) -> None:
        """Forget statements in such a way that what they ended stays ended."""
        for timed in stated:
            if timed.statement.act is Act.HOLD:
                self.ledger.hush(timed.row, "")
            elif timed.statement.act is Act.END and timed.statement.value:
                ended = (v for v in self._versions(owner, timed.statement.slot) if timed in v.closed_by)
                self.ledger.hush(timed.row, next((version.first.name for version in ended), ""))

    def _stale_rest(self, turn: str, values: set[str]) -> list[str]:
        rest = self.ledger.get(self.scope, f"{turn}/rest")
        text = _plain(rest.text) if rest else ""
        return [f"{turn}/rest"] if any(_plain(value) in text for value in values) else []

    def _erased_since(self, turn: Turn, reading: TurnReading, at: datetime) -> bool:
        """Whether a turn that arrives late states what was erased after it was said."""
        return any(
            timed.statement.act is Act.ERASE and at < timed.told_at and timed.turn != turn.id
            for statement in reading.statements
            if statement.act is not Act.ERASE
            for timed in self.ledger.said(self.scope, _owner(turn, statement), statement.slot)
        )

    def _deleted(self, name: str, old: PipelineItem | None) -> bool:
        """Whether a turn was there and was deleted: handing it over again does not bring it back."""
        if old is not None:
            return False
        history = self.ledger.history(self.scope, name)
        return bool(history) and history[-1][0] == Operation.DELETE

    def _take_back(self, turn: str) -> dict[tuple[str, str], None]:
        """Forget what a turn stated, before it is read again in other words; return the slots that it spoke of."""
        stated = self.ledger.said_by(self.scope, turn)
        self.ledger.unsay(timed.row for _, timed in stated if timed.statement.act is not Act.ERASE)
        return {(owner, timed.statement.slot): None for owner, timed in stated}

    def _name(self, turn: str) -> str:
        """Return the id of a turn's own item, which is the turn's, unless a fact has it."""
        item = self.ledger.get(self.scope, turn)
        return turn if item is None or item.role is not None else f"{turn}/turn"

    def _free(self, name: str) -> str:
        item = self.ledger.get(self.scope, name)
        while item is not None and item.role is not None:
            name = f"{name}+"
            item = self.ledger.get(self.scope, name)
        return name

    def _versions(self, owner: str, slot: str) -> list[Version]:
        return versions(self.ledger.said(self.scope, owner, slot))


def turn_of(item: PipelineItem, text: str) -> Turn:
    """Return the turn that an item was stored from, saying *text*."""
    return Turn(
        item.sources[0], item.speaker, text, item.session, item.at, "user" if item.role is None else item.role
    )


def _fact(version: Version, owner: str) -> PipelineItem:
    first = version.first
    statement = first.statement
    first_told = min(timed.told_at for timed in version.stated)
    start = version.start if version.start != ALWAYS else None
    return PipelineItem(
        first.name,
        first.text,
        version.turns,
        None if first_told == ALWAYS else first_told,
        start,
        version.end,
        expires=version.expires,
        owner=owner,
        subject=statement.subject,
        slot=statement.slot,
        value=statement.value,
        functional=version.functional,
    )


def _begins(statement: Statement, said_at: datetime) -> datetime:
    """Say when a statement begins to count: when it was said, or with the later day that it names."""
    day = datetime.combine(statement.since, time()) if statement.since else said_at
    return max(day, said_at) if said_at != ALWAYS else said_at


def _owner(turn: Turn, statement: Statement) -> str:
    return (turn.speaker or ME) if statement.subject == ME else statement.subject


def _end(reading: TurnReading, turn: Turn) -> datetime | None:
    """Return when a turn is no longer worth returning: after a day that lay ahead when it was said."""
    ahead = reading.until is not None and turn.at is not None and reading.until >= turn.at.date()
    return after(reading.until) if ahead else None


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
