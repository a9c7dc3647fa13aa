"""A reference memory that is a graph: a subject, a relation and a value, joined by edges that know their time."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memgauge.records import Change, Form, Memory, Operation, Receipt, Scope
from memgauge.records.statements import Act, Statement
from memgauge.systems.protocol import AuditEntry
from memgauge.systems.reference.shared import UNKNOWN, Lesson, Recollection, ReferenceMemory
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memgauge.records import Turn

NodeKey = tuple[str, str]
"""A subject and a relation."""


@dataclass
class Edge:
    """One value of one relation of a subject, and when it is valid; it changes in place."""

    id: str
    subject: str
    relation: str
    value: str
    turn: str
    said_at: datetime | None
    valid_from: datetime | None
    valid_to: datetime | None
    single: bool = True
    """Whether the relation has this value alone."""
    quarantined: bool = False
    version: int = 1
    wording: str = ""
    """Other words that were given to it by an update."""

    @property
    def thing(self) -> str:
        """Name what it tells of: the relation, and whose it is unless the user's."""
        return Statement(self.relation, subject=self.subject).thing

    def text(self) -> str:
        """Word it as an arrow."""
        return self.wording or f"{self.subject} -[{self.relation}]-> {self.value}"

    def valid(self, at: datetime | None) -> bool:
        """Whether *at* lies in its interval, which is open at its end."""
        if at is None:
            return self.valid_to is None
        return (self.valid_from is None or not at < self.valid_from) and (
            self.valid_to is None or at < self.valid_to
        )

    def close(self, at: datetime | None) -> bool:
        """Let it end at a time; return whether it had not ended by then."""
        if at is None or (self.valid_to is not None and self.valid_to <= at):
            return False
        self.valid_to, self.version = at, self.version + 1
        return True


@dataclass
class ScopeGraph:
    """The edges of one scope, by node, and the turns that were taken in."""

    nodes: dict[NodeKey, list[Edge]] = field(default_factory=dict)
    turns: set[str] = field(default_factory=set)

    def edges(self) -> Iterator[Edge]:
        """Yield every edge, node by node."""
        for edges in self.nodes.values():
            yield from edges

    def edge(self, name: str) -> Edge | None:
        """Return the edge with an id."""
        return next((edge for edge in self.edges() if edge.id == name), None)


class FactGraph(ReferenceMemory):
    """Joins subjects to values, one graph for every scope; invalidates edges instead of overwriting them."""

    name = "graph"

    def _begin(self) -> None:
        super()._begin()
        self._graphs: dict[Scope, ScopeGraph] = {}
        self._count = 0

    def _graph(self, scope: Scope) -> ScopeGraph:
        """Return the graph of a scope, an empty one where there is none yet."""
        return self._graphs.setdefault(scope, ScopeGraph())

    def _take(self, turn: Turn, scope: Scope, lesson: Lesson) -> list[Change]:
        graph = self._graph(scope)
        if turn.id in graph.turns:
            return []
        graph.turns.add(turn.id)
        changes: list[Change] = []
        for statement in lesson.statements:
            if statement.act is Act.ERASE:
                changes += self._forget_on_request(scope, statement, lesson)
                continue
            node = graph.nodes.setdefault((statement.subject, statement.slot), [])
            if statement.act is Act.END:
                changes += self._invalidate(node, statement.value, turn.at) if lesson.trusted else ()
            else:
                changes += self._join(node, turn, scope, statement, lesson)
        return changes

    @staticmethod
    def _invalidate(node: Iterable[Edge], value: str, at: datetime | None) -> Iterator[Change]:
        """Close the edges of a node that hold now, or the one to *value*."""
        for edge in node:
            if value in {"", edge.value} and edge.valid(at) and edge.close(at):
                yield Change(Operation.INVALIDATE, edge.id)

    def _join(
        self, node: list[Edge], turn: Turn, scope: Scope, statement: Statement, lesson: Lesson
    ) -> Iterator[Change]:
        """Add an edge, close what it takes the place of, and close it where something later is known."""
        self._count += 1
        edge = Edge(
            f"edge-{self._count}",
            statement.subject,
            statement.slot,
            statement.value,
            turn.id,
            turn.at,
            lesson.begins(statement, turn.at),
            lesson.ends(statement) or (turn.at if statement.over else None),
            statement.functional,
            not lesson.trusted,
        )
        if lesson.trusted and edge.single and edge.valid_from is not None:
            yield from self._separate(edge, node)
        node.append(edge)
        self._note(scope, edge.id, Operation.ADD, turn.at, edge.text())
        yield Change(Operation.ADD, edge.id)

    @staticmethod
    def _separate(edge: Edge, node: Iterable[Edge]) -> Iterator[Change]:
        """Let the intervals of an edge and of its rivals touch and never overlap."""
        start = edge.valid_from
        assert start is not None  # noqa: S101 - the caller has looked
        for rival in node:
            if not rival.single or rival.quarantined or rival.value == edge.value:
                continue
            if rival.valid_from is not None and rival.valid_from > start:
                edge.valid_to = min(filter(None, (edge.valid_to, rival.valid_from)))
            elif rival.close(start):
                yield Change(Operation.INVALIDATE, rival.id)

    def _stored_of(self, scope: Scope, statement: Statement) -> list[str]:
        return [edge.id for edge in self._graph(scope).nodes.get((statement.subject, statement.slot), ())]

    # --- reading

    def _recall(self, scope: Scope, at: datetime | None) -> list[Recollection]:
        graph = self._graphs.get(scope, ScopeGraph())
        edges = [edge for edge in graph.edges() if not edge.quarantined and edge.valid(at)]
        edges.sort(key=lambda edge: int(edge.id.removeprefix("edge-")))
        return [Recollection(edge.thing, self._memory(edge)) for edge in edges]

    def _slots(self, scope: Scope) -> set[str]:
        return {edge.thing for edge in self._graphs.get(scope, ScopeGraph()).edges()}

    def dump(self, scope: Scope) -> Iterable[Memory]:
        """List every edge under *scope*, quarantined and closed ones too."""
        return [self._memory(edge) for edge in self._graphs.get(scope, ScopeGraph()).edges()]

    def _memory(self, edge: Edge) -> Memory:
        return Memory(
            edge.id,
            edge.text(),
            Form.EDGE,
            (edge.turn,),
            edge.version,
            edge.said_at,
            edge.valid_from,
            edge.valid_to,
            channel="quarantine" if edge.quarantined else "graph",
        )

    def ask(self, question: str, scope: Scope, as_of: datetime | None = None) -> str:
        """Answer with the values alone that the best relation points to."""
        self._learn_time(as_of)
        about, at = self._about(question, scope), as_of or self._now
        edges = self._graphs.get(scope, ScopeGraph()).edges()
        values = [e.wording or e.value for e in edges if e.thing in about and e.valid(at) and not e.quarantined]
        return f"{', '.join(values)}." if values else UNKNOWN

    # --- changing and forgetting

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Give an edge other words; a value that these do not hold is gone with the old ones."""
        edge = self._graph(scope).edge(memory)
        if edge is None:
            return Receipt((Change(Operation.NOOP, memory),))
        edge.wording, edge.version = text, edge.version + 1
        edge.value = edge.value if edge.value in text else text
        self._note(scope, memory, Operation.UPDATE, self._now, text)
        return Receipt((Change(Operation.UPDATE, memory),))

    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Cut edges out; the turns that they came from stay taken in."""
        return sum(self._cut(name, scope) for name in dict.fromkeys(memories))

    def _cut(self, name: str, scope: Scope) -> bool:
        graph = self._graph(scope)
        edge = graph.edge(name)
        if edge is None:
            return False
        node = (edge.subject, edge.relation)
        graph.nodes[node].remove(edge)
        if not graph.nodes[node]:
            del graph.nodes[node]
        self._wipe(scope, name)
        self._note(scope, name, Operation.DELETE, None, None)
        return True

    def erase(self, scope: Scope) -> None:
        """Cut every edge under *scope*, and remember its turns alone."""
        graph = self._graph(scope)
        for edge in graph.edges():
            self._wipe(scope, edge.id)
            self._note(scope, edge.id, Operation.DELETE, None, None)
        graph.nodes.clear()

    # --- lasting

    def _written(self) -> str:
        scopes = [
            {"scope": asdict(scope), "turns": sorted(graph.turns), "edges": [vars(e) for e in graph.edges()]}
            for scope, graph in self._graphs.items()
        ]
        audit = [
            {"scope": asdict(scope), "memory": name, "lines": [(e.op, e.at, e.text) for e in entries]}
            for (scope, name), entries in self._audit.items()
        ]
        whole = {"now": self._now, "count": self._count, "scopes": scopes, "audit": audit}
        return json.dumps(whole, default=datetime.isoformat, ensure_ascii=False)

    def _read(self, text: str) -> None:
        whole = json_of(text)
        self._now, self._count = moment(whole["now"]), whole["count"]
        for row in whole["scopes"]:
            graph = self._graph(Scope(**row["scope"]))
            graph.turns = set(row["turns"])
            for each in row["edges"]:
                times = {name: moment(each[name]) for name in ("said_at", "valid_from", "valid_to")}
                edge = Edge(**{**each, **times})
                graph.nodes.setdefault((edge.subject, edge.relation), []).append(edge)
        for row in whole["audit"]:
            for op, at, words in row["lines"]:
                key = Scope(**row["scope"]), row["memory"]
                self._audit.setdefault(key, []).append(AuditEntry(Operation(op), moment(at), words))


def moment(text: Any) -> datetime | None:
    """Return a time as it was written in a file."""
    return datetime.fromisoformat(text) if text else None
