"""The lines of a journal: what they hold, written in one place for everything that makes runs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from memgauge.records import Outcome
from memgauge.runs.record.lineage import digest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from memgauge.records import Question
    from memgauge.runs.record.answers import Frozen
    from memgauge.runs.record.lineage import TracedVersion
    from memgauge.runs.record.probes import SearchProbe

Row = dict[str, Any]
"""One journal line: JSON-ready, with its table under ``t``."""


@dataclass(frozen=True)
class AttemptRows:
    """Writes the rows of one attempt at one conversation."""

    conversation: str
    attempt: int = 1

    def row(self, table: str, **values: Any) -> Row:
        """Write any row."""
        return {"t": table, "conversation": self.conversation, "attempt": self.attempt, **values}

    def question(
        self,
        question: Question,
        position: int,
        outcome: Outcome,
        *,
        k: int,
        frozen: Frozen | None = None,
        written: int = 0,
        reason: str = "",
        ms: float | None = None,
        tries: int = 1,
    ) -> Row:
        """Write how a question ended; *written* are the characters written before it."""
        return self.row(
            "question",
            question=question.id,
            category=question.category,
            position=position,
            asked_at=iso(question.asked_at),
            outcome=outcome,
            reason=reason,
            k=k,
            capped=frozen.capped if frozen else 0,
            ms=ms,
            tries=tries,
            tokens=frozen.tokens if frozen else None,
            coverage=frozen.characters / written if frozen and written else None,
            notes=list(frozen.notes) if frozen else [],
            memories=[version.row for version, _ in frozen.hits] if frozen else [],
            scores=[score for _, score in frozen.hits] if frozen else [],
        )

    def memory(self, traced: TracedVersion) -> Row:
        """Write one version of one memory."""
        memory = traced.memory
        return {
            "t": "memory",
            "conversation": self.conversation,
            "attempt": self.attempt,
            "row": traced.row,
            "memory": memory.id,
            "version": traced.version,
            "text": memory.text,
            "sha256": traced.sha256 or digest(memory.text),
            "form": traced.form,
            "sources": list(traced.sources),
            "lineage": traced.lineage,
            "event_at": iso(memory.event_at),
            "valid_from": iso(memory.valid_from),
            "valid_to": iso(memory.valid_to),
            "stored_at": iso(memory.stored_at),
            "channel": memory.channel,
        }

    def probe(self, compared: SearchProbe) -> Row:
        """Write what searches beside the record returned."""
        names = asdict(compared)
        if not compared.failed:
            del names["failed"]  # as runs wrote it before there was a count
        return self.row("probe", differ=names.pop("changed"), **names)  # ``changed`` is what writes did

    def spent(self, phase: str, wall_ms: float, cpu_ms: float, models: Sequence[Row], *, transparent: bool) -> Row:
        """Write what one phase took; *transparent* is a system that asks no model behind our back."""
        clocks = {"wall_ms": round(wall_ms, 3), "cpu_ms": round(cpu_ms, 3)}
        return self.row("spent", phase=phase, **clocks, transparent=transparent, models=list(models))

    def lost(self, tries: int) -> Row:
        """Write how often the process died before; what it spent died with it."""
        return self.row("lost", tries=tries)

    def end(self, failed: int, stored: int | None = None) -> Row:
        """Close the record of the attempt; *stored* are the bytes of its store, if known."""
        return self.row("end", failed=failed, **({} if stored is None else {"stored": stored}))


def failures(rows: Sequence[Row]) -> int:
    """Count the questions among *rows* that ended without a result."""
    return sum(row["t"] == "question" and not Outcome(row["outcome"]).valid for row in rows)


def iso(moment: datetime | None) -> str | None:
    """Write a time, or nothing."""
    return moment.isoformat() if moment else None
