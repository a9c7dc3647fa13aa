"""A few rows of a sealed run, read with SQL from its files and from nothing else."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from memgauge.runs.record.database import open_database

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

    from memgauge.runs.record.store import Run

MEMORY_LIMIT = "96MB"


def rows(run: Run, query: str, parameters: Sequence[object] = ()) -> list[dict[str, Any]]:
    """Run one of the viewer's own queries, in which ``{questions}`` and its like stand for tables of the run."""
    cursor = _database().cursor().execute(run.named(query), list(parameters))
    names = [column[0] for column in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


@cache
def _database() -> duckdb.DuckDBPyConnection:
    database = open_database()
    database.execute(f"SET memory_limit = '{MEMORY_LIMIT}'")
    return database


MEMORY = (
    "conversation, attempt, local_row, memory, version, text, form, sources, lineage, event_at, valid_from, "
    "valid_to, stored_at, channel"
)
"""What is shown of a memory."""


def versions_of(run: Run, conversation: str, attempt: int, memory: str) -> list[dict[str, Any]]:
    """Return every version of one memory, the first one first."""
    return rows(
        run,
        f"SELECT {MEMORY} FROM {{memories}} WHERE conversation = ? AND attempt = ? AND memory = ? "  # noqa: S608 - ours
        "ORDER BY version, row",
        [conversation, attempt, memory],
    )


def retrievals_of(run: Run, conversation: str, attempt: int, memory: str, most: int) -> list[dict[str, Any]]:
    """Return the questions that one memory was returned for, in which version and at which rank."""
    return rows(
        run,
        "SELECT q.question, q.counts, h.rank, h.score, m.version FROM {memories} m "
        "JOIN {hits} h ON h.memory = m.row JOIN {questions} q ON q.row = h.question "
        "WHERE m.conversation = ? AND m.attempt = ? AND m.memory = ? ORDER BY h.rank, q.row LIMIT ?",
        [conversation, attempt, memory, most],
    )


def writes_of(run: Run, conversation: str, attempt: int, turns: Sequence[str]) -> list[dict[str, Any]]:
    """Return the writes that handed over some of *turns*, and how each ended."""
    return rows(
        run,
        "SELECT event, kind, session, turns, outcome, reason, ms, changed FROM {writes} "
        "WHERE conversation = ? AND attempt = ? AND list_has_any(turns, ?::VARCHAR[]) ORDER BY event",
        [conversation, attempt, list(turns)],
    )
