"""One operation and its records, as a recorder hands them over, and the columns that they become."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final, NamedTuple

from memgauge.records import Outcome


class TrafficKind(StrEnum):
    """What an operation is about."""

    SEARCH = "search"
    ADD = "add"
    UPDATE = "update"
    UPSERT = "upsert"
    """It may add, change or merge, the caller not choosing."""
    DELETE = "delete"
    WIPE = "wipe"
    """Everything of a scope in a store."""
    DROP_STORE = "drop_store"
    """Everything of a store, whoever wrote it."""

    @property
    def writes(self) -> bool:
        """Whether its records are what is stored from then on."""
        return self in {TrafficKind.ADD, TrafficKind.UPDATE, TrafficKind.UPSERT}


class ScopeFrom(StrEnum):
    """Where the scope of an operation was found."""

    SPAN = "span"
    ANCESTOR = "ancestor"
    SIBLING = "sibling"
    RESOURCE = "resource"
    NONE = "none"


GIVEN_UP: Final = (
    *("CancelledError", "Cancelled", "GreenletExit", "GeneratorExit", "KeyboardInterrupt", "SystemExit"),
    *("asyncio.CancelledError", "asyncio.exceptions.CancelledError", "trio.Cancelled"),
)
"""Reasons that say that whoever asked gave up waiting; recorders of before called them errors."""
_TIMED_OUT: Final = re.compile(r"time.?d?.?out|deadline", re.IGNORECASE).search


def outcome_of_failure(reason: str) -> Outcome:
    """Say how an operation ended that raised *reason*."""
    if reason in GIVEN_UP:
        return Outcome.CANCELLED
    return Outcome.TIMEOUT if _TIMED_OUT(reason) else Outcome.ERROR


class TrafficOperation(NamedTuple):
    """One operation, named as its reader may see it: pseudonyms are made before."""

    operation: TrafficKind
    began_ns: int
    ended_ns: int
    scope: str = ""
    session: str = ""
    agent: str = ""
    store: str = ""
    scope_from: ScopeFrom = ScopeFrom.NONE
    outcome: Outcome = Outcome.OK
    reason: str = ""
    captured: bool = True
    """Whether its records are all in the second table; if not, what it returned or wrote is unknown."""
    asked: int | None = None
    """k, where it is known."""
    returned: int | None = None
    """Records as the operation counts them itself."""
    query: str | None = None
    query_hash: str | None = None
    trace: str = ""
    span: str = ""
    dialect: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    context_tokens: int | None = None
    service: str = ""
    """Name and version of the service that did it."""
    model: str = ""
    """The model that it was done for, or that it asked."""


class TrafficRecord(NamedTuple):
    """One record of an operation; its place is its rank."""

    memory: str
    hash: str | None = None
    characters: int | None = None
    text: str | None = None
    score: float | None = None
    traceable: int | None = None
    """Words of the longest run that it shares with an answer of its trace.

    Unknown where no answer was recorded, or where its text has fewer words than :data:`TRACEABLE`."""


TRACEABLE: Final = 5
"""Words of a run that say that an answer has something of a record: traceable, which is not relevant."""
OPERATION_COLUMNS: Final[dict[str, str]] = {
    "operation": "VARCHAR",
    "scope": "VARCHAR",
    "session": "VARCHAR",
    "agent": "VARCHAR",
    "store": "VARCHAR",
    "scope_from": "VARCHAR",
    "began_ns": "BIGINT",
    "ended_ns": "BIGINT",
    "outcome": "VARCHAR",
    "reason": "VARCHAR",
    "captured": "BOOLEAN",
    "asked": "BIGINT",
    "returned": "BIGINT",
    "query": "VARCHAR",
    "query_hash": "VARCHAR",
    "trace": "VARCHAR",
    "span": "VARCHAR",
    "dialect": "VARCHAR",
    "tokens_in": "BIGINT",
    "tokens_out": "BIGINT",
    "context_tokens": "BIGINT",
    "service": "VARCHAR",
    "model": "VARCHAR",
}
"""Columns of `operations` behind ``row``, with their types."""
RECORD_COLUMNS: Final[dict[str, str]] = {
    "memory": "VARCHAR",
    "hash": "VARCHAR",
    "characters": "BIGINT",
    "text": "VARCHAR",
    "score": "DOUBLE",
    "traceable": "BIGINT",
}
"""Columns of `records` between ``operation``, ``rank`` and ``version``, with their types."""
ADDED: Final[dict[str, dict[str, str]]] = {
    "operations": {"service": "''", "model": "''"},
    "records": {"traceable": "NULL::BIGINT"},
}
"""By table: columns that traffic of the first format lacks, with what stands for them where it is read."""
