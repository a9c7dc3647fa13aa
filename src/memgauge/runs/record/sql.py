"""SQL over any number of sealed runs, on copies in memory that can neither write nor reach out."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memgauge.errors import UserError
from memgauge.runs.record.seal import open_database
from memgauge.runs.record.store import load
from memgauge.runs.record.tables import ORDERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_TRACE = """
CREATE VIEW trace AS
SELECT q.run, q.question, q.category, q.conversation, h.rank, m.memory, h.score, m.form, m.lineage, m.sources,
       m.text
FROM hits h
JOIN questions q ON q.run = h.run AND q.row = h.question AND q.counts
JOIN memories m ON m.run = h.run AND m.row = h.memory
"""


@dataclass(frozen=True)
class QueryResult:
    """The result of a query."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


def query(folders: Sequence[Path], statement: str) -> QueryResult:
    """Run one statement over the tables ``runs, questions, hits, memories, writes`` and the view ``trace``.

    Raises:
        UserError: The statement is not valid; the message is the database's own.
    """
    with open_database() as db, _told():
        db.execute(
            "CREATE TABLE runs (run VARCHAR, dataset VARCHAR, system VARCHAR, seed INTEGER, content VARCHAR)"
        )
        runs = {run.manifest.id: run for run in map(load, folders)}  # a copy of a run would count twice
        for number, (name, run) in enumerate(runs.items()):
            row = [name, run.manifest.dataset.ref, run.label, run.manifest.seed, run.seal.content]
            db.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?)", row)
            for table in ORDERS:
                into = f"INSERT INTO {table} BY NAME" if number else f"CREATE TABLE {table} AS"
                source = str(run.folder / f"{table}.parquet")
                # The names are our own; the values are bound.
                db.execute(into + " SELECT ? AS run, * FROM read_parquet(?)", [name, source])  # noqa: S608 - see above
        db.execute(_TRACE)
        db.execute("SET enable_external_access = false")
        db.execute("SET lock_configuration = true")  # logs and profiles are files too
        cursor = db.sql(statement)
        rows = cursor.fetchall() if cursor else []
        return QueryResult(tuple(cursor.columns) if cursor else (), rows)


@contextmanager
def _told() -> Iterator[None]:
    """Say in the database's words what failed, and which tables there are."""
    import duckdb

    try:
        yield
    except (duckdb.Error, UnicodeEncodeError, OverflowError, ValueError) as error:
        # A text that is none, and dates and numbers that Python does not have, come as errors of Python.
        raise UserError(f"The query failed: {error}", f"Tables: runs, {', '.join(ORDERS)}, trace.") from error
