"""Rows as they are written: names under the host's salt, texts as hashes, one object of JSON each.

A row is put together as text. Nearly all of it is hashes and numbers, which need no quoting, and what is said of a
memory or an owner is the same from call to call.
"""

from __future__ import annotations

import re
from functools import lru_cache
from json.encoder import encode_basestring_ascii as quoted
from typing import TYPE_CHECKING, Final, NamedTuple

from memgauge.text.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.text.pseudonyms import Pseudonyms
    from memgauge.watch.calls import CallOwner, MemoryCall

    Whose = Callable[[tuple[str, ...]], str]

_REMEMBERED: Final = 4096
_LONGEST: Final = 2000
"""Letters of a text that is remembered, since memories return the same records again and again."""
_GIVEN_UP: Final = frozenset(
    ("CancelledError", "Cancelled", "GreenletExit", "GeneratorExit", "KeyboardInterrupt", "SystemExit")
)
"""Names of what is thrown into a call by whoever waits for it, of asyncio, Trio, greenlets and Python itself."""
_timed_out: Final = re.compile(r"time.?d?.?out|deadline", re.IGNORECASE).search


class CallTimes(NamedTuple):
    """When a call began and ended, and how."""

    began_ns: int
    ended_ns: int
    error: BaseException | None = None


class SpelledRow(NamedTuple):
    """An operation as it may be seen by its readers."""

    operation: str
    columns: str
    """An object of JSON with what is known, by the column of the table that it becomes, that is not ended yet."""
    records: str
    """The values of an array of JSON: name, hash, letters, text and score of each."""
    worded: bool
    """Whether texts may stand in it."""

    def ended(self, ids: str = "") -> str:
        """Return the whole object, with the columns *ids* of a span."""
        return f'{self.columns}{ids},"records":[{self.records}]}}' if self.records else f"{self.columns}{ids}}}"


class RowSpeller:
    """Spells calls of one memory; the same owners and records come again and again, and are spelled once."""

    def __init__(self, dialect: str, names: Pseudonyms, *, texts: bool, store: str, whose: Whose) -> None:
        self._names = names
        self._texts = texts
        self._product = _columns(dialect=dialect, store=names.name("store", store))
        self._user = lru_cache(_REMEMBERED)(_tolerant(whose))
        self._owned = lru_cache(_REMEMBERED)(self._owner)
        self._known = lru_cache(_REMEMBERED)(self._record)

    def spell(self, call: MemoryCall, times: CallTimes) -> SpelledRow:
        """Spell a call as a row."""
        user = call.owner.user or (self._user_of(call) if call.space else "")
        row = (
            f'{{"operation":"{call.operation}","began_ns":{times.began_ns},"ended_ns":{times.ended_ns}'
            f"{self._product}{self._owned(call.owner, user)}"
        )
        if call.asked is not None:
            row += f',"asked":{call.asked}'
        if call.query is not None:
            row += f',"query_hash":"{self._names.text_hash(call.query)}"'
            if self._texts:
                row += f',"query":{quoted(call.query)}'
        records, tokens = self._records(call)
        row += _failure(times.error) if times.error is not None else _ending(call, tokens)
        return SpelledRow(call.operation, row, records, self._texts)

    def _owner(self, owner: CallOwner, user: str) -> str:
        """Spell whose memory a call is about."""
        name = self._names.name
        scope = name("user", user)
        if scope and owner.tenant:
            scope = f"{name('tenant', owner.tenant)}/{scope}"
        return _columns(scope=scope, session=name("session", owner.session), agent=name("agent", owner.agent))

    def _user_of(self, call: MemoryCall) -> str:
        """Name the user of a namespace; what was asked above the namespaces of several users is nobody's."""
        space, depth = call.space, len(call.space)
        if call.spaces <= {space}:
            return self._user(space)
        users = {self._user(namespace) for namespace in (space, *call.spaces) if namespace[:depth] == space}
        return users.pop() if len(users) == 1 else ""

    def _records(self, call: MemoryCall) -> tuple[str, int | None]:
        """Spell the records of a call, and count the tokens of their texts, if all of them are known."""
        spelled_records: list[str] = []
        counts: list[int] = []
        for memory, text, score in call.records or ():
            spell = self._known if text is None or len(text) <= _LONGEST else self._record
            record, tokens = spell(memory, text)
            words = quoted(text) if self._texts and text is not None else "null"
            spelled_records.append(f"[{record},{words},{'null' if score is None else repr(score)}]")
            if tokens is not None:
                counts.append(tokens)
        return ",".join(spelled_records), sum(counts) if len(counts) == len(spelled_records) else None

    def _record(self, memory: str, text: str | None) -> tuple[str, int | None]:
        """Spell what is the same of a record in all calls, its name, hash and letters, and count its tokens."""
        digest = "" if text is None else self._names.text_hash(text)
        name = self._names.memory(memory, digest)
        if text is None:
            return f'"{name}",null,null', None
        return f'"{name}","{digest}",{len(text)}', count_tokens(text)


def _columns(**values: str) -> str:
    """Spell the columns that are known, whose values need no quoting."""
    return "".join(f',"{column}":"{value}"' for column, value in values.items() if value)


def _tolerant(whose: Whose) -> Whose:
    """Take a namespace that names no user for nobody's."""

    def user(space: tuple[str, ...]) -> str:
        try:
            return str(whose(space))
        except LookupError:
            return ""

    return user


def _failure(error: BaseException) -> str:
    """Say how a call failed; the words of an error may be a user's, its name is the product's."""
    reason = type(error).__name__
    outcome = "cancelled" if _is_given_up(error) else "timeout" if _timed_out(reason) else "error"
    return f',"outcome":"{outcome}","reason":{quoted(reason)},"captured":false'


def _is_given_up(error: BaseException) -> bool:
    """Whether the host gave up the call, which is no failure of the product."""
    return not isinstance(error, Exception) and any(kind.__name__ in _GIVEN_UP for kind in type(error).__mro__)


def _ending(call: MemoryCall, tokens: int | None) -> str:
    """Say what a call returned or wrote."""
    if call.records is None:
        return ',"captured":false'
    if call.operation != "search":
        return f',"returned":{len(call.records)}'
    if not call.records:
        return ',"outcome":"empty","returned":0'
    column = f',"returned":{len(call.records)}'
    return column if tokens is None else f'{column},"context_tokens":{tokens}'
