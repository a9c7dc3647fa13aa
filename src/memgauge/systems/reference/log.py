"""A reference memory that only writes a log: what holds is computed, whenever it is read, by folding the log."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal

from memgauge.records import Change, Form, Memory, Operation, Receipt, Scope
from memgauge.records.statements import ME, Act, Statement
from memgauge.systems.protocol import AuditEntry
from memgauge.systems.reference.graph import moment
from memgauge.systems.reference.shared import Lesson, Recollection, ReferenceMemory
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memgauge.records import Turn

Kind = Literal["claim", "end", "rewrite", "gap", "heard"]


@dataclass(frozen=True)
class LogLine:
    """One line: something that was claimed, ended, reworded, or (without its words) forgotten."""

    kind: Kind
    scope: Scope
    turn: str
    at: datetime | None
    id: str = ""
    key: str = ""
    """Which slot it is about, as a digest, so that a line that was emptied still separates what it did."""
    slot: str = ""
    value: str = ""
    text: str = ""
    functional: bool = True
    over: bool = False
    trusted: bool = True
    begins: datetime | None = None
    """The first moment at which a claim holds; an end or a gap has the time at which it was said."""
    ends: datetime | None = None


@dataclass(frozen=True)
class Claim:
    """A claim with the time in which it holds, as the log says it."""

    line: LogLine
    until: datetime | None
    text: str
    changes: int

    def holds(self, at: datetime | None) -> bool:
        """Whether it is true at a time."""
        begun = self.line.over or self.line.begins is None or at is None or self.line.begins <= at
        return begun and (self.until is None or (at is not None and at < self.until))


@dataclass
class Folded:
    """What the lines of a scope come to."""

    claims: list[Claim] = field(default_factory=list)
    by_key: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    """Places of claims, by what they are about."""
    lines: int = 0
    """How many lines were folded."""


class StatementLog(ReferenceMemory):
    """Appends every statement to a log and folds it at every reading; forgetting empties lines."""

    name = "log"

    def _begin(self) -> None:
        super()._begin()
        self._lines: dict[Scope, list[LogLine]] = defaultdict(list)
        self._heard: set[tuple[Scope, str]] = set()
        self._folded: dict[Scope, Folded] = {}
        """How far the lines of a scope are folded; what was written again is folded anew."""

    def _take(self, turn: Turn, scope: Scope, lesson: Lesson) -> list[Change]:
        if (scope, turn.id) in self._heard:
            return []
        self._append(LogLine("heard", scope, turn.id, turn.at))
        changes = []
        for number, statement in enumerate(lesson.statements):
            if statement.act is Act.ERASE:
                changes += self._forget_on_request(scope, statement, lesson)
                continue
            line = self._line(turn, scope, statement, lesson, f"{turn.id}:{number}")
            before = self._ends(line)
            if line.kind == "end" and not self._anything_to_end(line):
                continue
            self._append(line)
            if line.kind == "claim":
                self._note(scope, line.id, Operation.ADD, turn.at, line.text)
                changes.append(Change(Operation.ADD, line.id))
            after = self._ends(line)
            changes += [Change(Operation.INVALIDATE, name) for name in before if before[name] != after[name]]
        return changes

    def _ends(self, line: LogLine) -> dict[str, datetime | None]:
        """Return when everything ends that *line* can end."""
        if not line.trusted or line.over or (line.kind == "claim" and not line.functional):
            return {}
        return {claim.line.id: claim.until for claim in self._alike(line)}

    def _anything_to_end(self, line: LogLine) -> bool:
        """Whether a line ends anything; what does not is not written down, for it may name what was forgotten."""
        named = (claim for claim in self._alike(line) if line.value in {"", claim.line.value})
        return any(claim.holds(line.at) for claim in named)

    @staticmethod
    def _line(turn: Turn, scope: Scope, statement: Statement, lesson: Lesson, name: str) -> LogLine:
        """Word a statement as a line."""
        whose = "The user's " if statement.subject == ME else ""
        verb = "was" if statement.over else "is" if statement.functional else "includes"
        ends = lesson.ends(statement) or (turn.at if statement.over else None)
        return LogLine(
            "end" if statement.act is Act.END else "claim",
            scope,
            turn.id,
            turn.at,
            name,
            _key_of(statement),
            "" if statement.act is Act.END else statement.thing,
            statement.value,
            f"{whose}{statement.thing} {verb} {statement.value}.",
            statement.functional,
            statement.over,
            lesson.trusted,
            lesson.begins(statement, turn.at),
            ends,
        )

    def _append(self, line: LogLine) -> None:
        """Add a line to the log."""
        self._lines[line.scope].append(line)
        self._heard.add((line.scope, line.turn))

    # --- folding

    def _fold(self, scope: Scope) -> Folded:
        """Compute what the lines of a scope say, in the order in which they were written."""
        folded = self._folded.setdefault(scope, Folded())
        lines = self._lines.get(scope, [])
        for line in lines[folded.lines :]:
            self._apply(line, folded)
        folded.lines = len(lines)
        return folded

    def _apply(self, line: LogLine, folded: Folded) -> None:
        """Let one more line count."""
        claims, rivals = folded.claims, folded.by_key[line.key]
        if line.kind in {"claim", "gap"}:
            claims.append(self._placed(line, claims, rivals))
            rivals.append(len(claims) - 1)
        elif line.kind == "end":
            for place in rivals:
                named = line.value in {"", claims[place].line.value} and line.trusted
                if named and claims[place].holds(line.at):
                    claims[place] = self._ended(claims[place], line.at)
        elif line.kind == "rewrite":
            for place in rivals:
                if claims[place].line.id == line.id:
                    claims[place] = replace(claims[place], text=line.text, changes=claims[place].changes + 1)

    def _replace(self, scope: Scope, lines: list[LogLine]) -> None:
        """Write the log of a scope again."""
        self._lines[scope] = lines
        self._folded.pop(scope, None)

    def _placed(self, line: LogLine, claims: list[Claim], rivals: Iterable[int]) -> Claim:
        """Place a claim in time among its rivals: the earlier of two ends where the later begins."""
        until = line.ends
        if line.trusted and line.functional and not line.over and line.begins is not None:
            for place in rivals:
                rival = claims[place].line
                if not (rival.functional and rival.trusted) or rival.value == line.value != "":
                    continue
                if rival.over or rival.begins is None or rival.begins <= line.begins:
                    claims[place] = self._ended(claims[place], line.begins)
                elif rival.kind != "gap" and (until is None or rival.begins < until):
                    until = rival.begins
        return Claim(line, until, line.text, 1)

    @staticmethod
    def _ended(claim: Claim, at: datetime | None) -> Claim:
        if at is None or (claim.until is not None and claim.until <= at):
            return claim
        return replace(claim, until=at, changes=claim.changes + 1)

    # --- reading

    def _claims(self, scope: Scope) -> list[Claim]:
        return [claim for claim in self._fold(scope).claims if claim.line.kind == "claim"]

    def _alike(self, line: LogLine) -> list[Claim]:
        """Return what was claimed of what a line is about."""
        folded = self._fold(line.scope)
        claims = (folded.claims[place] for place in folded.by_key[line.key])
        return [claim for claim in claims if claim.line.kind == "claim"]

    def _recall(self, scope: Scope, at: datetime | None) -> list[Recollection]:
        claims = [claim for claim in self._claims(scope) if claim.line.trusted and claim.holds(at)]
        return [Recollection(claim.line.slot, self._memory(claim)) for claim in claims]

    def _slots(self, scope: Scope) -> set[str]:
        return {claim.line.slot for claim in self._claims(scope)}

    def dump(self, scope: Scope) -> Iterable[Memory]:
        """List every claim under *scope*, quarantined and ended ones too."""
        return [self._memory(claim) for claim in self._claims(scope)]

    def _memory(self, claim: Claim) -> Memory:
        line = claim.line
        return Memory(
            line.id,
            claim.text,
            Form.CANONICAL,
            (line.turn,),
            claim.changes,
            line.at,
            line.begins,
            claim.until,
            channel="" if line.trusted else "quarantine",
        )

    # --- changing and forgetting

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Log other words for one claim."""
        for claim in self._claims(scope):
            if claim.line.id == memory:
                self._append(replace(claim.line, kind="rewrite", text=text))
                self._note(scope, memory, Operation.UPDATE, self._now, text)
                return Receipt((Change(Operation.UPDATE, memory),))
        return Receipt((Change(Operation.NOOP, memory),))

    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Empty the lines of claims; the turns that they came from stay heard."""
        return self._empty(set(memories) & {claim.line.id for claim in self._claims(scope)}, scope)

    def _stored_of(self, scope: Scope, statement: Statement) -> list[str]:
        key = _key_of(statement)
        return [claim.line.id for claim in self._claims(scope) if claim.line.key == key]

    def _empty(self, ids: set[str], scope: Scope) -> int:
        """Take everything but its place in time out of what is forgotten; what comes later it does not end."""
        claims = self._claims(scope)
        gone = [claim.line for claim in claims if claim.line.id in ids]
        remaining = {(c.line.key, c.line.value) for c in claims if c.line.id not in ids}
        unsaid = {(line.key, line.value) for line in gone} - remaining
        lines = [left for line in self._lines[scope] for left in _without(line, ids, unsaid)]
        gaps = [line for line in lines if line.kind == "gap" and line.id in ids]
        self._replace(scope, [*(line for line in lines if line not in gaps), *gaps])
        for line in gone:
            self._wipe(scope, line.id)
            self._note(scope, line.id, Operation.DELETE, None, None)
        return len(gone)

    def erase(self, scope: Scope) -> None:
        """Empty everything that was claimed under *scope*."""
        self._empty({claim.line.id for claim in self._claims(scope)}, scope)
        turns = {line.turn: line.at for line in self._lines[scope]}
        self._replace(scope, [LogLine("heard", scope, turn, at) for turn, at in turns.items()])

    # --- lasting

    def _written(self) -> str:
        rows: list[dict[str, Any]] = [{"now": self._now}]
        rows += [asdict(line) for lines in self._lines.values() for line in lines]
        rows += [
            {"audit": [asdict(entry) for entry in entries], "scope": asdict(scope), "id": name}
            for (scope, name), entries in self._audit.items()
        ]
        return "\n".join(json.dumps(row, default=datetime.isoformat) for row in rows)

    def _read(self, text: str) -> None:
        for row in map(json_of, text.split("\n")):
            if "now" in row:
                self._now = moment(row["now"])
            elif "audit" in row:
                entries = [
                    AuditEntry(Operation(each["op"]), moment(each["at"]), each["text"]) for each in row["audit"]
                ]
                self._audit[Scope(**row["scope"]), row["id"]] = entries
            else:
                times = {name: moment(row[name]) for name in ("at", "begins", "ends")}
                self._append(LogLine(**{**row, **times, "scope": Scope(**row["scope"])}))


def _key_of(statement: Statement) -> str:
    return sha256(f"{statement.subject}\0{statement.slot}".encode()).hexdigest()[:24]


def _without(line: LogLine, ids: set[str], unsaid: set[tuple[str, str]]) -> Iterator[LogLine]:
    """Yield what is left of a line when claims, and values that nothing says any more, are forgotten."""
    if line.kind == "claim" and line.id in ids:
        yield replace(line, kind="gap", slot="", value="", text="")
    elif line.kind == "end" and (line.key, line.value) in unsaid:
        yield LogLine("heard", line.scope, line.turn, line.at)
    elif line.kind != "rewrite" or line.id not in ids:
        yield line
