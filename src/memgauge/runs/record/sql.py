"""SQL over any number of sealed runs, on copies in memory that can neither write nor reach out, within limits.

A statement is played in a process of its own: functions of the database that never look up cannot be interrupted,
and what a statement allocates is bounded for a process alone.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import ConfigError, UserError
from memgauge.runs.record.sql_child import LARGEST, TOO_LONG, SqlRequest
from memgauge.runs.record.store import load
from memgauge.runs.record.tables import ORDERS
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

DAY_S: Final = 86_400.0
_START_S: Final = 60.0
"""Seconds beyond its own within which a process begins and ends, however busy the machine is."""


@dataclass(frozen=True)
class SqlLimits:
    """What a statement may take."""

    seconds: float = 60.0
    gibibytes: float = 4.0
    """Of memory, the copies of the tables included."""

    def __post_init__(self) -> None:
        """Check that somebody can wait for it.

        Raises:
            ConfigError: Nobody can.
        """
        if not 0 < self.seconds <= DAY_S:
            raise ConfigError(f"{self.seconds:g} seconds are no limit.", "Choose more than 0 and at most a day.")


LIMITS: Final = SqlLimits()


@dataclass(frozen=True)
class QueryResult:
    """The result of a query, values as JSON has them."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


def query(folders: Sequence[Path], statement: str, limits: SqlLimits = LIMITS) -> QueryResult:
    """Run one statement over the tables ``runs, questions, hits, memories, writes`` and the view ``trace``.

    Raises:
        UserError: The statement is not valid, with the database's own message; or it takes more than it may.
    """
    request = json.dumps(asdict(_request(folders, statement, limits))).encode()
    command = (sys.executable, "-m", SqlRequest.__module__)
    try:
        child = subprocess.run(  # noqa: S603 - see above
            command, input=request, capture_output=True, timeout=limits.seconds + _START_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise _too_long(limits) from None
    if child.returncode == TOO_LONG:
        raise _too_long(limits)
    *rows, ended = map(json_of, child.stdout.splitlines() if not child.returncode else [b'{"memory": true}'])
    if "memory" in ended:
        raise UserError(
            f"The query was stopped: it takes more than {limits.gibibytes:g} GiB, or breaks the database.",
            "Ask for fewer rows at a time, or aggregate.",
        )
    if "large" in ended:
        raise UserError(f"The result is larger than {LARGEST >> 20} MiB.", "Aggregate, or add a LIMIT.")
    if "refused" in ended:
        raise _refused(ended["refused"])
    return _result(rows)


def _request(folders: Sequence[Path], statement: str, limits: SqlLimits) -> SqlRequest:
    runs = {run.manifest.id: run for run in map(load, folders)}  # a copy of a run would count twice
    return SqlRequest(
        statement,
        [
            [name, run.manifest.dataset.ref, run.label, run.manifest.seed, run.seal.content]
            for name, run in runs.items()
        ],
        [{table: str(run.folder.resolve() / f"{table}.parquet") for table in ORDERS} for run in runs.values()],
        limits.seconds,
        limits.gibibytes,
    )


def _result(rows: Iterable[Sequence[Any]]) -> QueryResult:
    columns, *rest = rows
    return QueryResult(tuple(columns), [tuple(row) for row in rest])


def _refused(why: str) -> UserError:
    return UserError(f"The query failed: {why}", f"Tables: runs, {', '.join(ORDERS)}, trace.")


def _too_long(limits: SqlLimits) -> UserError:
    return UserError(
        f"The query was stopped: it takes more than {limits.seconds:g} seconds.", "Give it more with --seconds."
    )
