"""The rows of a conversation that no engine of ours played: told by another tool, or selected by a simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.runs.record.answers import Frozen
from memgauge.runs.record.rows import AttemptRows, failures
from memgauge.text.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from memgauge.records import Outcome, Question
    from memgauge.runs.record.lineage import TracedVersion
    from memgauge.runs.record.rows import Row


class RetoldRows:
    """Writes a conversation as an engine would have: its questions in order, and behind them each memory once."""

    def __init__(self, conversation: str, number: int) -> None:
        self._sheet = AttemptRows(conversation)
        self._rows = [self._sheet.row("case", number=number)]
        self._versions: dict[Hashable, TracedVersion] = {}
        self._tokens: dict[int, int] = {}

    def keep(self, key: Hashable, make: Callable[[int], TracedVersion]) -> TracedVersion:
        """Return the memory behind *key*; the first time, *make* is given the number of its row."""
        if key not in self._versions:
            version = self._versions[key] = make(len(self._versions))
            self._tokens[version.row] = count_tokens(version.memory.text)
        return self._versions[key]

    def versions(self, memory: str) -> int:
        """Count the versions that are kept of a memory."""
        return sum(version.memory.id == memory for version in self._versions.values())

    def question(
        self,
        question: Question,
        position: int,
        outcome: Outcome,
        hits: Sequence[tuple[TracedVersion, float | None]] | None,
        *,
        k: int,
        written: int,
        notes: tuple[str, ...] = (),
        reason: str = "",
    ) -> None:
        """Write how a question ended, with its hits and their scores; *written* are the characters before it."""
        frozen = hits if hits is None else self._frozen(hits, notes)
        self._rows.append(
            self._sheet.question(question, position, outcome, k=k, frozen=frozen, written=written, reason=reason)
        )

    def rows(self) -> list[Row]:
        """Return everything, closed."""
        rows = [*self._rows, *map(self._sheet.memory, self._versions.values())]
        return [*rows, self._sheet.end(failures(rows))]

    def _frozen(self, hits: Sequence[tuple[TracedVersion, float | None]], notes: tuple[str, ...]) -> Frozen:
        return Frozen(
            hits=tuple(hits),
            capped=0,
            tokens=sum(self._tokens[version.row] for version, _ in hits),
            characters=sum(len(version.memory.text) for version, _ in hits),
            notes=notes,
        )
