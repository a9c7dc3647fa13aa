"""A reference memory that writes one document for every scope: a section a slot, merged anew at every write."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from memgauge.records import Change, Form, Memory, Operation, Receipt, Scope
from memgauge.records.statements import Act
from memgauge.systems.protocol import AuditEntry
from memgauge.systems.reference.graph import moment
from memgauge.systems.reference.shared import UNKNOWN, Lesson, Recollection, ReferenceMemory
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memgauge.records import Turn
    from memgauge.records.statements import Statement

Line = dict[str, Any]
"""What a document says in one line: a value, whose turn said it, and from when to when it holds."""
Document = dict[str, list[Line]]
"""The sections of a document by their headings."""
PRESENT: Final = ""
HISTORY: Final = "history"
QUARANTINE: Final = "quarantine"
PARTS: Final = (PRESENT, HISTORY, QUARANTINE)
"""The parts of a section: what holds or will, what ended, and what is not believed."""


class MergedProfile(ReferenceMemory):
    """Keeps a profile per scope; a part of a section is one memory, whose text is merged anew at every reading."""

    name = "profile"

    def _begin(self) -> None:
        super()._begin()
        self._documents: dict[Scope, Document] = {}
        self._sources: dict[Scope, list[str]] = {}
        """The turns that were merged into a document, forgotten ones too."""

    def _take(self, turn: Turn, scope: Scope, lesson: Lesson) -> list[Change]:
        merged = self._sources.setdefault(scope, [])
        if turn.id in merged:
            return []
        merged.append(turn.id)
        requests = [statement for statement in lesson.statements if statement.act is Act.ERASE]
        forgotten = [each for request in requests for each in self._forget_on_request(scope, request, lesson)]
        statements = [statement for statement in lesson.statements if statement.act is not Act.ERASE]
        headings = [statement.thing for statement in statements]
        before, document = self._texts(scope, headings), self._documents.get(scope, {})
        for heading, statement in zip(headings, statements, strict=True):
            section = document.get(heading, [])
            if statement.act is not Act.END:
                section = _merged(section, {**_line(turn, statement, lesson), "rank": len(merged)})
            elif lesson.trusted:
                section = _ended(section, statement.value, turn.at)
            document = {**document, heading: section}
        self._rewrite(scope, document)
        return [*forgotten, *self._changed(scope, before, self._texts(scope, headings), turn)]

    def _stored_of(self, scope: Scope, statement: Statement) -> list[str]:
        return [memory.id for memory in self._parts(scope, statement.thing)]

    def _texts(self, scope: Scope, headings: Iterable[str]) -> dict[str, str]:
        return {memory.id: memory.text for heading in headings for memory in self._parts(scope, heading)}

    def _changed(
        self, scope: Scope, before: dict[str, str], after: dict[str, str], turn: Turn
    ) -> Iterator[Change]:
        """Say in the audit, and report, what became of every part that reads differently now."""
        for name in sorted(before.keys() - after.keys()):
            self._note(scope, name, Operation.INVALIDATE, turn.at, None)
            yield Change(Operation.INVALIDATE, name)
        for name, text in after.items():
            if text != before.get(name):
                op = Operation.UPDATE if name in before else Operation.ADD
                self._note(scope, name, op if self._is_noted(scope, name) else Operation.ADD, turn.at, text)
                yield Change(op, name)

    def _is_noted(self, scope: Scope, name: str) -> bool:
        """Whether the audit knows a part, which may have begun by mere lapse of time."""
        noted = self._audit.get((scope, name), [])
        return bool(noted) and noted[-1].op is not Operation.DELETE

    def _rewrite(self, scope: Scope, document: Document) -> None:
        """Put a whole document in the place of the old one."""
        self._documents[scope] = {heading: lines for heading, lines in document.items() if lines}

    @staticmethod
    def _name(heading: str, part: str) -> str:
        return f"profile/{heading}#{part}" if part else f"profile/{heading}"

    # --- reading

    def _recall(self, scope: Scope, at: datetime | None) -> list[Recollection]:
        seen = []
        for heading, lines in self._documents.get(scope, {}).items():
            held = [line for line in lines if line["trusted"] and _holds(line, at)]
            if held:
                latest = max(line["rank"] for line in held)
                seen.append((latest, Recollection(heading, self._memory(heading, PRESENT, held, lines))))
        return [each for _, each in sorted(seen, key=lambda pair: pair[0])]

    def _slots(self, scope: Scope) -> set[str]:
        return set(self._documents.get(scope, {}))

    def dump(self, scope: Scope) -> Iterable[Memory]:
        """List every part of every section."""
        return [memory for heading in self._documents.get(scope, {}) for memory in self._parts(scope, heading)]

    def _parts(self, scope: Scope, heading: str) -> Iterator[Memory]:
        lines = self._documents.get(scope, {}).get(heading, [])
        for part in PARTS:
            inside = [line for line in lines if _part(line, self._now) == part]
            if inside:
                yield self._memory(heading, part, inside, lines)

    def _memory(self, heading: str, part: str, inside: Sequence[Line], lines: Sequence[Line]) -> Memory:
        """Merge lines into the text of one memory."""
        name, values = self._name(heading, part), dict.fromkeys(line["value"] for line in inside)
        worded = inside[0]["wording"] if len(inside) == 1 else ""
        text = worded or f"{heading}: {'; '.join(values)}"
        begun = [line["from"] for line in inside]
        ends = [line["to"] for line in inside]
        return Memory(
            name,
            text,
            Form.PROFILE,
            tuple(dict.fromkeys(line["turn"] for line in inside)),
            len(lines) + sum(line["to"] is not None for line in lines),
            max(filter(None, (line["said"] for line in inside)), default=None),
            None if None in begun else max(begun),
            None if None in ends else max(ends),
            channel=part if part == QUARANTINE else "profile",
        )

    def ask(self, question: str, scope: Scope, as_of: datetime | None = None) -> str:
        """Answer in a sentence that names what was asked for."""
        self._learn_time(as_of)
        about = self._about(question, scope)
        held = [each.memory.text for each in self._recall(scope, as_of or self._now) if each.slot in about]
        return f"From your profile: {'. '.join(held)}." if held else UNKNOWN

    # --- changing and forgetting

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Merge another text into a part: what it does not hold goes, and what is new takes its place."""
        document = self._documents.get(scope, {})
        for heading, lines in document.items():
            for part in PARTS:
                if self._name(heading, part) == memory:
                    inside = [line for line in lines if _part(line, self._now) == part]
                    if inside:
                        section = [line for line in lines if line not in inside] + _reworded(inside, heading, text)
                        self._rewrite(scope, {**document, heading: section})
                        self._note(scope, memory, Operation.UPDATE, self._now, text)
                        return Receipt((Change(Operation.UPDATE, memory),))
        return Receipt((Change(Operation.NOOP, memory),))

    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Write the document again without some parts of its sections."""
        gone = {memory.id for memory in self.dump(scope)} & set(memories)
        document = self._documents.get(scope, {})
        remaining = {
            heading: [line for line in lines if self._name(heading, _part(line, self._now)) not in gone]
            for heading, lines in document.items()
        }
        headings = {heading for heading in document if {self._name(heading, part) for part in PARTS} & gone}
        self._rewrite(scope, remaining)
        self._forget(scope, gone)
        for heading in headings:
            for part in PARTS:
                self._wipe(scope, self._name(heading, part))
        return len(gone)

    def erase(self, scope: Scope) -> None:
        """Throw the document away."""
        names = {name for whose, name in self._audit if whose == scope} | {each.id for each in self.dump(scope)}
        self._documents.pop(scope, None)
        self._forget(scope, names)

    def _forget(self, scope: Scope, names: Iterable[str]) -> None:
        """Take the words of parts out of what stands beside the document."""
        for name in sorted(names):
            self._wipe(scope, name)
            if not self._audit.get((scope, name)):  # it began by mere lapse of time, at which nobody wrote
                self._note(scope, name, Operation.ADD, None, None)
            self._note(scope, name, Operation.DELETE, None, None)

    # --- lasting

    def _written(self) -> str:
        rows = [
            {
                "scope": asdict(scope),
                "turns": turns,
                "sections": self._documents.get(scope, {}),
                "history": {
                    name: [(line.op, line.at, line.text) for line in lines]
                    for (whose, name), lines in self._audit.items()
                    if whose == scope
                },
            }
            for scope, turns in self._sources.items()
        ]
        return json.dumps({"now": self._now, "profiles": rows}, default=datetime.isoformat, indent=1)

    def _read(self, text: str) -> None:
        whole = json_of(text)
        self._now = moment(whole["now"])
        for row in whole["profiles"]:
            scope = Scope(**row["scope"])
            self._sources[scope] = row["turns"]
            for lines in row["sections"].values():
                for line in lines:
                    line.update({name: moment(line[name]) for name in ("said", "from", "to")})
            self._rewrite(scope, row["sections"])
            for name, lines in row["history"].items():
                entries = [AuditEntry(Operation(op), moment(at), words) for op, at, words in lines]
                self._audit[scope, name] = entries


def _line(turn: Turn, statement: Statement, lesson: Lesson) -> Line:
    return {
        "value": statement.value,
        "turn": turn.id,
        "said": turn.at,
        "from": lesson.begins(statement, turn.at),
        "to": lesson.ends(statement) or (turn.at if statement.over else None),
        "only": statement.functional,
        "trusted": lesson.trusted,
        "wording": "",
    }


def _reworded(inside: Sequence[Line], heading: str, text: str) -> list[Line]:
    """Return the lines that a text stands for, each with the time of a line that it takes the place of."""
    values = dict.fromkeys(text.removeprefix(f"{heading}: ").split("; "))
    same = [line for line in inside if line["value"] in values]
    known = {line["value"] for line in same}
    gone = [line for line in inside if line["value"] not in values] or list(inside)
    wording = text if len(values) == 1 and not text.startswith(f"{heading}: ") else ""
    return same + [{**gone[-1], "value": value, "wording": wording} for value in values if value not in known]


def _holds(line: Line, at: datetime | None) -> bool:
    if at is None:
        return line["to"] is None
    return (line["from"] is None or line["from"] <= at) and (line["to"] is None or line["to"] > at)


def _part(line: Line, now: datetime | None) -> str:
    if not line["trusted"]:
        return QUARANTINE
    return HISTORY if line["to"] is not None and now is not None and line["to"] <= now else PRESENT


def _ended(section: Iterable[Line], value: str, at: datetime | None) -> list[Line]:
    """Write a section again with what holds ended, all of it or one value."""
    return [{**line, "to": at} if value in {"", line["value"]} and _holds(line, at) else line for line in section]


def _merged(section: Sequence[Line], new: Line) -> list[Line]:
    """Write a section again with a new line in its place in time."""
    start, lines = new["from"], []
    alone = new["trusted"] and new["only"] and start is not None
    for old in section:
        line = old
        if alone and old["only"] and old["trusted"] and old["value"] != new["value"]:
            if old["from"] is not None and old["from"] > start:
                new = {**new, "to": old["from"] if new["to"] is None else min(new["to"], old["from"])}
            elif old["to"] is None or old["to"] > start:
                line = {**old, "to": start}
        lines.append(line)
    return [*lines, new]
