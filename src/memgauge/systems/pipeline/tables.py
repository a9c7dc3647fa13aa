"""How items and statements are spelled in SQLite, and read back the same."""

from __future__ import annotations

import json
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from memgauge.records import Scope
from memgauge.records.statements import Act, Statement
from memgauge.systems.pipeline.items import PipelineItem
from memgauge.systems.pipeline.timeline import TimedStatement
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Sequence

FORMAT = 3
NAME = 0x6D67_7069
"""The application id of the file (``mgpi``), so that no other program's database is taken for a memory."""
SCHEMA = """
CREATE TABLE IF NOT EXISTS items (
    row INTEGER PRIMARY KEY AUTOINCREMENT, scope TEXT NOT NULL, id TEXT NOT NULL, text TEXT NOT NULL,
    sources TEXT NOT NULL, at TEXT, valid_from TEXT, valid_to TEXT, version INTEGER NOT NULL,
    covered INTEGER NOT NULL, expires TEXT, owner TEXT, subject TEXT, slot TEXT, value TEXT,
    functional INTEGER NOT NULL, speaker TEXT NOT NULL, session TEXT NOT NULL, role TEXT, UNIQUE (scope, id)
);
CREATE INDEX IF NOT EXISTS by_slot ON items (scope, owner, slot) WHERE slot IS NOT NULL;
CREATE INDEX IF NOT EXISTS by_time ON items (scope, at);
CREATE INDEX IF NOT EXISTS by_expiry ON items (expires) WHERE expires IS NOT NULL;
CREATE TABLE IF NOT EXISTS said (
    row INTEGER PRIMARY KEY AUTOINCREMENT, scope TEXT NOT NULL, owner TEXT NOT NULL, slot TEXT NOT NULL,
    turn TEXT NOT NULL, name TEXT NOT NULL, told_at TEXT NOT NULL, at TEXT NOT NULL, act TEXT NOT NULL,
    subject TEXT NOT NULL, value TEXT NOT NULL, functional INTEGER NOT NULL, until TEXT, over INTEGER NOT NULL,
    text TEXT NOT NULL, expires TEXT, forgotten INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS said_of ON said (scope, owner, slot);
CREATE INDEX IF NOT EXISTS said_by ON said (scope, turn);
CREATE TABLE IF NOT EXISTS audit (
    row INTEGER PRIMARY KEY AUTOINCREMENT, scope TEXT NOT NULL, id TEXT NOT NULL, op TEXT NOT NULL, at TEXT,
    text TEXT
);
CREATE INDEX IF NOT EXISTS by_item ON audit (scope, id);
"""
COLUMNS = (
    "id", "text", "sources", "at", "valid_from", "valid_to", "version", "covered", "expires", "owner", "subject",
    "slot", "value", "functional", "speaker", "session", "role",
)  # fmt: skip
_TIMES = ("at", "valid_from", "valid_to", "expires")


def row_of(item: PipelineItem) -> tuple[Any, ...]:
    """Spell an item in the order of ``COLUMNS``."""
    return tuple(spell(json.dumps(item.sources) if name == "sources" else getattr(item, name)) for name in COLUMNS)


def item_of(row: Sequence[Any]) -> PipelineItem:
    """Read an item."""
    written = {name: text_of(value) for name, value in zip(COLUMNS, row, strict=True)}
    times = {name: time_of(written[name]) for name in _TIMES}
    flags = {name: bool(written[name]) for name in ("covered", "functional")}
    return PipelineItem(**{**written, **times, **flags, "sources": tuple(json_of(written["sources"]))})


_TIMED = ("row", "turn", "name", "told_at", "at", "text", "expires", "forgotten")
_STATED = ("slot", "value", "subject", "act", "functional", "until", "over")
SAID = (*_TIMED, *_STATED)


def said_row(timed: TimedStatement) -> tuple[Any, ...]:
    """Spell a statement in the order of ``SAID``."""
    stated = {name: getattr(timed.statement, name) for name in _STATED} | {"act": str(timed.statement.act)}
    return (*(getattr(timed, name) for name in _TIMED), *stated.values())


def said_of(row: Sequence[Any]) -> TimedStatement:
    """Read a statement, of the columns ``SAID``."""
    written = dict(zip(SAID, map(text_of, row), strict=True))
    until = None if written["until"] is None else date.fromisoformat(written["until"])
    flags = {name: bool(written[name]) for name in ("functional", "over", "forgotten")}
    times = {
        "act": Act(written["act"]),
        "until": until,
        **{name: time_of(written[name]) for name in ("told_at", "at")},
        "expires": time_of(written["expires"]),
    }
    values = {**written, **flags, **times}
    statement = Statement(**{name: values[name] for name in _STATED})
    return TimedStatement(statement=statement, **{name: values[name] for name in _TIMED})


def key_of(scope: Scope) -> str:
    """Spell a scope: a list in JSON, so that no user can be called so as to become another user or tenant."""
    return json.dumps([scope.user, scope.tenant, scope.agent, scope.session])


def scope_of(key: str) -> Scope:
    """Return the scope that a key was made of."""
    return Scope(*json_of(key))


def spell(value: Any) -> Any:
    """Spell a value as SQLite takes it; text that is no UTF-8 becomes bytes."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            return value.encode("utf-8", "surrogatepass")
    return value


def text_of(value: Any) -> Any:
    """Read what may have been no UTF-8."""
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value


def time_of(text: str | None) -> datetime | None:
    """Read a time."""
    return None if text is None else datetime.fromisoformat(text)
