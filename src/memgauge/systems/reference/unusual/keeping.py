"""Memories that are right and keep it in their own way: merged, deduplicated, later, under ids of their own."""

from __future__ import annotations

import queue
import threading
import time
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memgauge.records import Hit, Ranking, Receipt
from memgauge.records.statements import Act
from memgauge.systems.protocol import OPTIONAL, Capabilities, Consistency
from memgauge.systems.reference.graph import FactGraph
from memgauge.systems.reference.log import StatementLog
from memgauge.systems.reference.profile import MergedProfile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from memgauge.records import Change, Memory, Scope, Turn
    from memgauge.records.statements import Statement
    from memgauge.systems.protocol import AuditEntry
    from memgauge.systems.reference.shared import Lesson


class OneDocument(MergedProfile):
    """Shows the whole profile as one memory; single sections cannot be named, so nothing is changed by id."""

    name = "one-document"

    def offers(self) -> Sequence[str]:
        """Offer everything but changes by id."""
        return tuple(protocol for protocol in OPTIONAL if protocol not in {"mutable", "learning"})

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return all sections that hold as one memory."""
        sections = super().search(query, scope, 10**6, as_of).hits
        if not sections or k < 1:
            return Ranking(())
        text = "\n".join(f"## {hit.memory.text}" for hit in sections)
        sources = tuple(dict.fromkeys(source for hit in sections for source in hit.memory.sources))
        merged = replace(
            sections[0].memory, id="profile", text=text, sources=sources, valid_from=None, valid_to=None
        )
        return Ranking((Hit(merged),))

    def context(self, query: str, scope: Scope, budget: int) -> str:
        """Return as many lines of it as fit."""
        text = ""
        for hit in self.search(query, scope, 1, self._now).hits:
            for line in hit.memory.text.splitlines(keepends=True):
                text += line if len(text) + len(line) <= budget else ""
        return text


class Deduplicated(StatementLog):
    """Stores what a user says twice in the same words once."""

    name = "deduplicated"

    def _take(self, turn: Turn, scope: Scope, lesson: Lesson) -> list[Change]:
        held = {claim.text for claim in self._claims(scope) if claim.holds(turn.at)}
        new = [each for each in lesson.statements if not self._known(turn, scope, each, lesson, held)]
        return super()._take(turn, scope, replace(lesson, statements=tuple(new)))

    def _known(self, turn: Turn, scope: Scope, statement: Statement, lesson: Lesson, held: set[str]) -> bool:
        """Whether a statement is a plain one whose words are stored and hold."""
        plain = statement.act is Act.HOLD and lesson.trusted and not lesson.ends(statement)
        return plain and self._line(turn, scope, statement, lesson, "").text in held


class FreshIds(FactGraph):
    """Gives every memory a new id at every reading; whatever id it ever had names it."""

    name = "fresh-ids"

    def _begin(self) -> None:
        super()._begin()
        self._real: dict[str, str] = {}

    def _fresh(self, memory: Memory) -> Memory:
        name = f"read-{len(self._real) + 1}"
        self._real[name] = memory.id
        return replace(memory, id=name)

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Search, and name what is found anew."""
        ranking = super().search(query, scope, k, as_of)
        return replace(ranking, hits=tuple(replace(hit, memory=self._fresh(hit.memory)) for hit in ranking.hits))

    def dump(self, scope: Scope) -> Iterable[Memory]:
        """List everything under new names."""
        return [self._fresh(memory) for memory in super().dump(scope)]

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Change what an id stands for."""
        return super().update(self._real.get(memory, memory), text, scope)

    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Remove what ids stand for."""
        return super().delete([self._real.get(name, name) for name in memories], scope)

    def history(self, memory: str, scope: Scope) -> Sequence[AuditEntry]:
        """Return the history of what an id stands for."""
        return super().history(self._real.get(memory, memory), scope)

    def reopen(self) -> None:
        """Open again; ids that were given out stay good."""
        real = self._real
        super().reopen()
        self._real = real


class NumberedIds(StatementLog):
    """Numbers the memories of every user from one, so that ids of different users are the same."""

    name = "numbered-ids"

    def _begin(self) -> None:
        super()._begin()
        self._numbers: dict[Scope, dict[str, str]] = defaultdict(dict)

    def _memory(self, claim: Any) -> Memory:
        memory = super()._memory(claim)
        return replace(memory, id=self._number(memory.id, claim.line.scope))

    def _number(self, name: str, scope: Scope) -> str:
        numbers = self._numbers[scope]
        return numbers.setdefault(name, str(len(numbers) + 1))

    def _numbered(self, changes: Iterable[Change], scope: Scope) -> list[Change]:
        return [replace(change, memory=self._number(change.memory, scope)) for change in changes]

    def _take(self, turn: Turn, scope: Scope, lesson: Lesson) -> list[Change]:
        return self._numbered(super()._take(turn, scope, lesson), scope)

    def _named(self, number: str, scope: Scope) -> str:
        return next((name for name, other in self._numbers[scope].items() if other == number), number)

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Change the memory with a number."""
        receipt = super().update(self._named(memory, scope), text, scope)
        return replace(receipt, changes=tuple(self._numbered(receipt.changes or (), scope)))

    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Remove the memories with some numbers."""
        return super().delete([self._named(name, scope) for name in memories], scope)

    def history(self, memory: str, scope: Scope) -> Sequence[AuditEntry]:
        """Return the history of the memory with a number."""
        return super().history(self._named(memory, scope), scope)

    def reopen(self) -> None:
        """Open again; numbers stay what they were."""
        numbers = self._numbers
        super().reopen()
        self._numbers = numbers


class Asynchronous(FactGraph):
    """Takes writes on a thread of its own; they can be found once ``flush`` returned."""

    name = "asynchronous"
    delay_s = 0.0
    """How long a lesson or a write waits for, besides its turn."""

    def __init__(self) -> None:
        self._waiting: queue.Queue[Callable[[], object] | None] = queue.Queue()
        self._held = threading.RLock()
        self._worker: threading.Thread | None = None
        super().__init__()

    def capabilities(self) -> Capabilities:
        """Promise nothing before a flush, and no receipts."""
        return replace(super().capabilities(), consistency=Consistency.FLUSH, reports_changes=False)

    def _work(self) -> None:
        while (task := self._waiting.get()) is not None:
            time.sleep(self.delay_s)
            with self._held:
                task()
            self._waiting.task_done()
        self._waiting.task_done()

    def _later(self, task: Callable[[], object]) -> Receipt:
        if self._worker is None:
            self._worker = threading.Thread(target=self._work, daemon=True)
            self._worker.start()
        self._waiting.put(task)
        return Receipt(None, ticket="queued")

    def teach(self, turn: str, statements: Sequence[Statement], *, trusted: bool) -> None:
        """Learn what a turn means, in the order of the writes."""
        self._later(lambda: super(Asynchronous, self).teach(turn, statements, trusted=trusted))

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Queue *turns*."""
        return self._later(lambda: super(Asynchronous, self).ingest(turns, scope))

    def ingest_expiring(self, turn: Turn, scope: Scope, expires_at: datetime) -> Receipt:
        """Queue *turn*."""
        return self._later(lambda: super(Asynchronous, self).ingest_expiring(turn, scope, expires_at))

    def flush(self, scope: Scope, timeout_s: float) -> None:  # noqa: ARG002 - the queue is short
        """Wait until nothing is queued."""
        self._catch_up()

    def _catch_up(self) -> None:
        """Wait for what was written before, unless that is what asks."""
        if threading.current_thread() is not self._worker:
            self._waiting.join()

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Search what was taken in."""
        with self._held:
            return super().search(query, scope, k, as_of)

    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Remove memories, after what was written before."""
        self._catch_up()
        with self._held:
            return super().delete(memories, scope)

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Change a memory, after what was written before."""
        self._catch_up()
        with self._held:
            return super().update(memory, text, scope)

    def erase(self, scope: Scope) -> None:
        """Erase a scope, after what was written before."""
        self._catch_up()
        with self._held:
            super().erase(scope)

    def reopen(self) -> None:
        """Write down what is queued too, and open again."""
        self._catch_up()
        with self._held:
            super().reopen()

    def close(self) -> None:
        """Let the thread end."""
        if self._worker is not None:
            self._waiting.put(None)
            self._worker.join()


KEEPINGS = (OneDocument, Deduplicated, FreshIds, NumberedIds, Asynchronous)
