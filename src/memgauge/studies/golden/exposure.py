"""Exposure: everything that a call gave back, field by field, beside what whoever called must not see."""

from __future__ import annotations

import base64
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import Enum, StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from memgauge.foreign import Raised, call_foreign
from memgauge.records import Memory
from memgauge.studies.golden.driver import DISTRUSTED, is_over
from memgauge.studies.golden.ledger import Mood
from memgauge.studies.golden.stance import Stance, stances
from memgauge.systems.plain import plain_memory

if TYPE_CHECKING:
    from memgauge.studies.golden.driver import Returned
    from memgauge.studies.golden.ledger import LedgerWrite, ScenarioLedger

READS = frozenset({"search", "context", "ask"})
"""Calls whose result is meant to be used as what is so."""
_DEEPEST = 12
_PLAIN_LISTS = frozenset({list, tuple})


class Wrong(StrEnum):
    """Why a value must not be seen."""

    ERASED = "erased"
    FOREIGN = "foreign"
    PLANTED = "planted"
    EXPIRED = "expired"


@dataclass(frozen=True)
class Exposed:
    """A value where it must not be seen."""

    write: LedgerWrite
    why: Wrong
    field: str
    """Which field of what was returned."""
    covered: bool
    """Whether it stands there in another form than its own."""


class FieldText(NamedTuple):
    """A text in something that was returned."""

    memory: Memory | None
    """The memory of which it is a field."""
    field: str
    text: str


def texts(value: object) -> Iterator[FieldText]:
    """Yield every text in *value*, whatever it is made of."""
    waiting: list[tuple[object, str, Memory | None, int]] = [(value, "", None, 0)]
    while waiting:
        value, field, memory, depth = waiting.pop()
        if type(value) is Memory:
            known = call_foreign(lambda value=value: _of_memory(value))  # type: ignore[misc] # a field may have no hash
            if not isinstance(known, Raised):
                yield from known
                continue
        if value is None or isinstance(value, bool | float) or depth > _DEEPEST:
            continue
        if type(value) in _PLAIN_LISTS:
            waiting += [(inner, field, memory, depth + 1) for inner in reversed(value)]  # type: ignore[call-overload]
            continue
        text = _text(value)
        if text is not None:
            yield FieldText(memory, field, text)
        else:
            memory = _plain(value) if isinstance(value, Memory) else memory
            parts = [(inner, name or field, memory, depth + 1) for name, inner in _read(value)]
            waiting += reversed(parts)


def _text(value: object) -> str | None:
    """Spell a value that has no parts; ``None`` where it has some."""
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, str):
        return value
    if isinstance(value, date):
        return f"{value:%Y-%m-%d}"  # fractions of a second are digits like any others
    if isinstance(value, int):
        return str(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return base64.b64encode(bytes(value)).decode()
    return None


@lru_cache(maxsize=65_536)
def _of_memory(memory: Memory) -> tuple[FieldText, ...]:
    """Return the texts of a memory, which is listed again and again."""
    plain = _plain(memory)
    parts = ((name, text) for name, value in _parts(memory) for _, _, text in texts(value))
    return tuple(FieldText(plain, name, text) for name, text in parts)


def _plain(memory: Memory) -> Memory | None:
    """Copy a memory as a value of ours; ``None`` where it is none."""
    copied = call_foreign(lambda: plain_memory(memory, ""))
    return copied if isinstance(copied, Memory) else None


def _read(value: object) -> list[tuple[str, Any]]:
    """Read the parts of what a memory made, whose code may raise: what it says then is looked through too."""
    parts = call_foreign(lambda: list(_parts(value)))
    return [("error", str(parts))] if isinstance(parts, Raised) else parts


def _parts(value: object) -> Iterator[tuple[str, Any]]:
    """Yield the parts of whatever has any; attributes that a memory added count like those that it was to have."""
    if isinstance(value, BaseException):
        yield "error", str(value)
        yield from (("error", inner) for inner in (*value.args, value.__cause__, value.__context__))
    known: Collection[str] = () if isinstance(value, type) else getattr(value, "__dataclass_fields__", ())
    yield from ((name, getattr(value, name, None)) for name in known)
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from (("", key), (key if isinstance(key, str) else "", inner))
    elif isinstance(value, Collection):
        yield from (("", inner) for inner in value)
    yield from ((key, inner) for key, inner in getattr(value, "__dict__", {}).items() if key not in known)


def exposed(returned: Returned, ledger: ScenarioLedger, now: datetime) -> list[Exposed]:
    """Find what *returned* shows and must not: erased, another's, planted or run out, in any field and form."""
    echoed: set[str] | None = None
    seen: dict[str, Exposed] = {}
    for each in texts(returned.value):
        remembered = each.memory is not None and each.field == "text" and returned.call in READS
        for token, covered in ledger.tokens.shown(each.text).items():
            if token in seen:
                continue
            if not remembered:
                echoed = _given(returned, ledger) if echoed is None else echoed
                if token in echoed:
                    continue
            unwanted = _unwanted(returned, token, ledger, now)
            if unwanted is None or (unwanted[1] is Wrong.PLANTED and _set_aside(each.memory, returned, now)):
                continue
            if not (unwanted[1] is Wrong.EXPIRED and _recalled(each.text, token, ledger, returned.at or now)):
                seen[token] = Exposed(*unwanted, each.field or returned.call, covered)
    return list(seen.values())


def _given(returned: Returned, ledger: ScenarioLedger) -> set[str]:
    """Return the values that whoever called said themselves."""
    return {token for given in returned.given for each in texts(given) for token in ledger.tokens.found(each.text)}


def _unwanted(
    returned: Returned, token: str, ledger: ScenarioLedger, now: datetime
) -> tuple[LedgerWrite, Wrong] | None:
    """Say why whoever called must not see a value."""
    writes = ledger.writes_of(token)
    if returned.scope is None:
        return (writes[-1], Wrong.ERASED) if all(write.erased is not None for write in writes) else None
    own = [write for write in writes if write.scope == returned.scope]
    if not own:
        return writes[0], Wrong.FOREIGN
    if all(write.erased is not None for write in own):
        return own[-1], Wrong.ERASED
    if all(write.mood is Mood.PLANTED for write in own) and returned.call != "history":
        return own[-1], Wrong.PLANTED
    at = returned.at or now
    if returned.call in READS and all(write.expires and write.expires <= at for write in own):
        return own[-1], Wrong.EXPIRED
    return None


def _recalled(text: str, token: str, ledger: ScenarioLedger, at: datetime) -> bool:
    """Whether *text* tells a value that ran out as past beside another: "Y (until noon it was X)"."""
    others = ledger.tokens.found(text) - {token}
    return bool(others) and stances(text, token, others, at) == {Stance.PAST}


def _set_aside(memory: Memory | None, returned: Returned, now: datetime) -> bool:
    """Whether a list says itself that what it holds is not believed, or does not hold."""
    if memory is None or returned.call != "dump":
        return False
    return bool(DISTRUSTED.search(memory.channel)) or is_over(memory, now)
