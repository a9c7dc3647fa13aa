"""Rows as they are written: names under the host's salt, texts as hashes, one object of JSON each."""

from __future__ import annotations

import re
from functools import lru_cache
from json import JSONEncoder
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from memgauge.text.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.text.pseudonyms import Pseudonyms
    from memgauge.watch.calls import CalledRecord, MemoryCall

    Whose = Callable[[tuple[str, ...]], str]
    WrittenRecord = tuple[str, str | None, int | None, str | None, float | None]

_REMEMBERED: Final = 4096
_LONGEST: Final = 2000
"""Letters of a text whose hash is remembered, since memories return the same texts again and again."""
_timed_out: Final = re.compile(r"time.?d?.?out|deadline", re.IGNORECASE).search
encode: Final = JSONEncoder(check_circular=False, separators=(",", ":")).encode


class CallTimes(NamedTuple):
    """When a call began and ended, and how."""

    began_ns: int
    ended_ns: int
    error: BaseException | None = None


class SpelledRow(NamedTuple):
    """An operation as it may be seen by its readers."""

    fields: dict[str, Any]
    """Those that are known, by the column of the table that they become."""
    records: list[WrittenRecord]


class RowSpeller:
    """Spells calls of one memory; the same names and texts come again and again, and are hashed once."""

    def __init__(self, dialect: str, names: Pseudonyms, *, texts: bool, store: str, whose: Whose) -> None:
        self._dialect = dialect
        self._texts = texts
        self._user = lru_cache(_REMEMBERED)(_tolerant(whose))
        self._name = lru_cache(_REMEMBERED)(names.name)
        self._short = lru_cache(_REMEMBERED)(names.text_hash)
        self._names = names
        self._store = names.name("store", store)

    def spell(self, call: MemoryCall, times: CallTimes) -> SpelledRow:
        """Spell a call as a row."""
        name, records = self._name, call.records
        owner = call.owner
        user = name("user", owner.user or (self._user_of(call) if call.space else ""))
        named = {
            "dialect": self._dialect,
            "store": self._store,
            "scope": f"{name('tenant', owner.tenant)}/{user}" if user and owner.tenant else user,
            "session": name("session", owner.session),
            "agent": name("agent", owner.agent),
        }
        fields: dict[str, Any] = {
            "operation": call.operation,
            "began_ns": times.began_ns,
            "ended_ns": times.ended_ns,
        }
        fields |= {column: value for column, value in named.items() if value}
        if call.asked is not None:
            fields["asked"] = call.asked
        if call.query is not None:
            fields["query_hash"] = self._hash(call.query)
            if self._texts:
                fields["query"] = call.query
        fields |= _ending(call, times.error)
        return SpelledRow(fields, [self._record(each) for each in records or ()])

    def _user_of(self, call: MemoryCall) -> str:
        """Name the user of a namespace; what was asked above the namespaces of several users is nobody's."""
        space, depth = call.space, len(call.space)
        spaces = {each.space for each in call.records or ()}
        users = {self._user(each) for each in (space, *spaces) if each[:depth] == space}
        return users.pop() if len(users) == 1 else ""

    def _hash(self, text: str) -> str:
        return self._short(text) if len(text) <= _LONGEST else self._names.text_hash(text)

    def _record(self, record: CalledRecord) -> WrittenRecord:
        text = record.text
        digest = "" if text is None else self._hash(text)
        memory = self._name("memory", record.memory) if record.memory else self._names.memory("", digest)
        if text is None:
            return memory, None, None, None, record.score
        return memory, digest, len(text), text if self._texts else None, record.score


def _tolerant(whose: Whose) -> Whose:
    """Take a namespace that names no user for nobody's."""

    def user(space: tuple[str, ...]) -> str:
        try:
            return str(whose(space))
        except LookupError:
            return ""

    return user


def _ending(call: MemoryCall, error: BaseException | None) -> dict[str, Any]:
    """Say how a call ended; the words of an error may be a user's, its name is the product's."""
    if error is not None:
        reason = type(error).__name__
        return {"outcome": "timeout" if _timed_out(reason) else "error", "reason": reason, "captured": False}
    if call.records is None:
        return {"captured": False}
    if call.operation == "search" and not call.records:
        return {"outcome": "empty", "returned": 0}
    ending: dict[str, Any] = {"returned": len(call.records)}
    texts = [record.text for record in call.records if record.text is not None]
    if call.operation == "search" and len(texts) == len(call.records):
        ending["context_tokens"] = sum(map(count_tokens, texts))
    return ending
