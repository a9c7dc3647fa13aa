"""The process that answers a statement: it loads tables, asks, writes rows as JSON lines, and has limits.

It reads one request from its input and imports nothing but the database. Its last line says how it ended.
"""

from __future__ import annotations

import json
import math
import os
import resource
import sys
import threading
from dataclasses import dataclass
from functools import partial
from itertools import chain, count
from typing import TYPE_CHECKING, Any, Final

from memgauge.foreign import Raised, call_foreign
from memgauge.runs.record.database import open_database
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import duckdb

LARGEST: Final = 64 << 20
"""Bytes of a result."""
TOO_LONG: Final = 124
"""How the process ends when its time is up."""
_GRACE_S: Final = 0.25
"""Seconds in which the database may hear that its time is up; most of its functions do not listen."""
_LOADING_S: Final = 60
"""Seconds of computing that loading the tables may take beside."""
_OVERHEAD: Final = 1 << 30
"""Bytes of a process beside what its database holds."""
_PORTION: Final = 1000

_TRACE = """
CREATE VIEW trace AS
SELECT q.run, q.question, q.category, q.conversation, h.rank, m.memory, h.score, m.form, m.lineage, m.sources,
       m.text
FROM hits h
JOIN questions q ON q.run = h.run AND q.row = h.question AND q.counts
JOIN memories m ON m.run = h.run AND m.row = h.memory
"""


@dataclass(frozen=True)
class SqlRequest:
    """A statement, what it is asked of, and what it may take."""

    statement: str
    runs: Sequence[Sequence[Any]]
    """One row of the table ``runs`` each."""
    tables: Sequence[Mapping[str, str]]
    """Of each run, the files of its tables by name."""
    seconds: float
    gibibytes: float


class QueryRefused(Exception):  # noqa: N818 - it says what happened
    """The statement cannot be answered; the database's own words."""


def answered(request: SqlRequest, begin: Callable[[], object] = lambda: None) -> Iterator[list[Any]]:
    """Yield the names of the columns, then every row, values as JSON has them.

    *begin* is called when all tables are there, and the time of the statement begins.

    Raises:
        QueryRefused: The statement is not valid, or not one, or its result is larger than may be.
    """
    import duckdb

    try:
        with open_database(int(request.gibibytes * (1 << 30))) as db:
            _load(db, request)
            timer = threading.Timer(request.seconds, db.interrupt)
            timer.daemon = True
            timer.start()
            begin()
            try:
                request.statement.encode()  # a text that is none would be a fault of the binding
                if (statements := len(db.extract_statements(request.statement))) != 1:
                    raise QueryRefused(f"it is {statements or 'no'} statement{'s' * (statements > 1)}; write one.")
                db.execute(request.statement)
                yield list(_distinct(column[0] for column in db.description or ()))
                while db.description and (rows := db.fetchmany(_PORTION)):
                    yield from ([_plain(value) for value in row] for row in rows)
            finally:
                timer.cancel()
    except duckdb.InterruptException:
        raise TimeoutError from None
    except duckdb.OutOfMemoryException:
        raise MemoryError from None
    except (duckdb.Error, OverflowError, ValueError, RuntimeError) as error:
        # A text that is none, dates and numbers that Python lacks, faults of the binding: errors of Python.
        raise QueryRefused(str(error)) from error


def _load(db: duckdb.DuckDBPyConnection, request: SqlRequest) -> None:
    db.execute("CREATE TABLE runs (run VARCHAR, dataset VARCHAR, system VARCHAR, seed INTEGER, content VARCHAR)")
    for number, (row, files) in enumerate(zip(request.runs, request.tables, strict=True)):
        db.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?)", list(row))
        for table, path in files.items():
            into = f"INSERT INTO {table} BY NAME" if number else f"CREATE TABLE {table} AS"
            # The names are our own; the values are bound.
            db.execute(into + " SELECT ? AS run, * FROM read_parquet(?)", [row[0], path])  # noqa: S608 - see above
    db.execute(_TRACE)
    db.execute("SET enable_external_access = false")
    db.execute("SET lock_configuration = true")  # logs and profiles are files too


def _distinct(names: Iterable[str]) -> Iterator[str]:
    """Number columns that are called alike, as the database does within a statement: data has one of a name."""
    taken: set[str] = set()
    for name in names:
        unique = next(each for each in chain([name], (f"{name}_{n}" for n in count(1))) if each not in taken)
        taken.add(unique)
        yield unique


def _plain(value: Any) -> Any:
    """Return a value of the database as JSON has it: what it lacks, dates and such, becomes text."""
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    whole = isinstance(value, str | int | None) or (isinstance(value, float) and math.isfinite(value))
    return value if whole else str(value)


def _bounded(request: SqlRequest) -> None:
    """Set what this process may take."""
    most = int(request.gibibytes * (1 << 30)) + _OVERHEAD
    cpu = math.ceil(request.seconds) + _LOADING_S
    for kind, limit in ((resource.RLIMIT_AS, most), (resource.RLIMIT_CPU, cpu), (resource.RLIMIT_CORE, 0)):
        hard = resource.getrlimit(kind)[1]
        least = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(kind, (least, least))


def _written(request: SqlRequest, begin: Callable[[], object]) -> dict[str, Any]:
    """Write every row that is returned; returns how that ended."""
    size = 0
    for row in answered(request, begin):
        size += sys.stdout.buffer.write(json.dumps(row).encode() + b"\n")
        if size > LARGEST:
            return {"large": True}
    return {}


def main() -> int:
    """Answer the request of the input."""
    request = SqlRequest(**json_of(sys.stdin.buffer.read()))
    _bounded(request)
    end = threading.Timer(request.seconds + _GRACE_S, os._exit, (TOO_LONG,))
    end.daemon = True
    match call_foreign(partial(_written, request, end.start)):
        case Raised(QueryRefused() as refused):
            ended: dict[str, Any] = {"refused": str(refused)}
        case Raised(TimeoutError()):
            return TOO_LONG
        case Raised(MemoryError()):
            ended = {"memory": True}
        case Raised() as raised:  # the binding has errors of its own kinds
            ended = {"refused": str(raised)}
        case written:
            ended = written
    sys.stdout.buffer.write(json.dumps(ended).encode("ascii") + b"\n")
    sys.stdout.buffer.flush()
    return 0


if __name__ == "__main__":
    os._exit(main())  # a database that is being left asks for time that nobody has
