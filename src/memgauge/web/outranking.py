"""What came back before the evidence of a question, and the words that each shares with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.scoring.turn_words import matched_words
from memgauge.show import Cell, Column, Kind, Table
from memgauge.web.rows import memories_from

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.records import Question
    from memgauge.runs.record.store import Run

ABOVE = 5
"""First hits that are set beside the evidence."""


def outranking(run: Run, counting: Mapping[str, Any], question: Question, anchors: Sequence[str]) -> Table:
    """Set the first hits of a question beside its evidence, as it came back or else as it is stored."""
    wanted = set(anchors)
    hits = run.hits_of([question.id], run.manifest.limits.k)[question.id]
    evidence = [hit for hit in hits if wanted & set(hit["sources"])]
    until = evidence[0]["rank"] if evidence else len(hits) + 1
    returned = {hit["memory"] for hit in evidence}
    stored = [
        memory
        for memory in memories_from(run, str(counting["conversation"]), int(counting["attempt"]), anchors)
        if memory["memory"] not in returned
    ]
    rows = [
        *(_row(str(hit["rank"]), hit, question, gold=False) for hit in hits[: min(ABOVE, until - 1)]),
        *(_row(str(hit["rank"]), hit, question, gold=True) for hit in evidence[:ABOVE]),
        *(_row("not returned", memory, question, gold=True) for memory in stored[:ABOVE]),
    ]
    columns = ("rank", "what", Column("text", Kind.PROSE), Column("words of the question", Kind.PROSE))
    caption = "The first ranks above the evidence, and the evidence; words are compared without their inflections."
    return Table.of("outranked", "What outranked the evidence", columns, rows, caption)


def _row(rank: str, memory: Mapping[str, Any], question: Question, *, gold: bool) -> tuple[Cell, ...]:
    text = "(text not in this bundle)" if memory["text"] is None else str(memory["text"])
    words = "" if memory["text"] is None else ", ".join(matched_words(text, question.text))
    mark = "gold" if gold else ""
    return (
        Cell(rank, mark=mark),
        Cell("evidence" if gold else "outranks it", mark=mark),
        Cell(text, mark="text"),
        Cell(words or "none", mark="text"),
    )
