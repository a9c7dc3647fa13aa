"""Frozen values to JSON and back: strictly, and with the place of whatever does not fit.

What equals its default is not written, and may be absent when it is read; nothing unknown is let through, because
a misspelt name would else be lost in silence.
"""

from __future__ import annotations

import dataclasses
import difflib
import types
import typing
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import memgauge.records as records_room
from memgauge.errors import ContractBreach
from memgauge.systems import protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    Reader = Callable[[Any], Any]

T = TypeVar("T")


class _Misfit(Exception):  # noqa: N818 - it says what does not fit
    """A value that does not fit, and where it stands."""

    def __init__(self, what: str, place: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.place = place

    def inside(self, step: str) -> _Misfit:
        """Put the place into the one that holds it."""
        return _Misfit(self.what, step + self.place)


def to_json(value: Any) -> Any:
    """Make JSON of a value of the protocol."""
    kind: Any = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if kind is tuple or kind is list:
        return [to_json(item) for item in value]
    if hasattr(kind, "__dataclass_fields__"):
        written: dict[str, Any] = {}
        for name, default in _defaults(kind):
            field = getattr(value, name)
            if field is not default and field != default:
                written[name] = field if type(field) is str else to_json(field)
        return written
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [to_json(item) for item in value]
    return value.isoformat() if isinstance(value, datetime) else str(value)


_AS_THEY_ARE = frozenset({str, int, float, bool, type(None)})


def from_json(kind: type[T], value: object, where: str) -> T:
    """Read a value of *kind*.

    Raises:
        ContractBreach: It does not fit; the message says where, what stands there and what belongs there.
    """
    try:
        return typing.cast("T", _reader(typing.cast("Any", kind))(value))
    except _Misfit as misfit:
        raise ContractBreach(f"{where}{misfit.place}: {misfit.what}") from None


_NOTHING = object()


@cache
def _defaults(kind: type) -> tuple[tuple[str, object], ...]:
    """List the fields of a class with their plain defaults."""
    return tuple(
        (item.name, _NOTHING if item.default is dataclasses.MISSING else item.default)
        for item in dataclasses.fields(kind)
    )


@cache
def hints(kind: type) -> dict[str, Any]:
    """Return the annotations of a class, resolved."""
    known = {**vars(records_room), **vars(protocol), "datetime": datetime, "Path": Path, "Sequence": Sequence}
    return typing.get_type_hints(kind, localns=known)


@cache
def _reader(kind: Any) -> Reader:
    """Choose what reads values of *kind*."""
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in {tuple, Sequence}:
        return _many(_reader(arguments[0]))
    if origin in {types.UnionType, typing.Union}:
        (inner,) = (kind for kind in arguments if kind is not type(None))
        return _maybe(_reader(inner))
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return _one_of(kind)
    return _fields(kind)


def _plain(called: str, kind: type) -> Reader:
    def read(value: Any) -> Any:
        if type(value) is not kind:
            raise _Misfit(f"{_shown(value)} stands where {called} belongs")
        return value

    return read


def _number(value: Any) -> float:
    if type(value) not in {int, float}:
        raise _Misfit(f"{_shown(value)} stands where a number belongs")
    try:
        return float(value)
    except OverflowError:
        raise _Misfit("a number beyond every float stands where a number belongs") from None


def _time(value: Any) -> datetime:
    try:
        at = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise _Misfit(f"{_shown(value)} stands where a time like 2024-03-04T09:30:00 belongs") from None
    if at.tzinfo is not None:
        raise _Misfit(f"{_shown(value)} has a time zone; times of conversations have none")
    return at


_text = _plain("a text", str)
_SIMPLE: dict[Any, Reader] = {
    str: _text,
    int: _plain("a whole number", int),
    bool: _plain("true or false", bool),
    Path: lambda value: Path(_text(value)),
    float: _number,
    datetime: _time,
}


def _many(read: Reader) -> Reader:
    def read_all(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise _Misfit(f"{_shown(value)} stands where a list belongs")
        items: list[Any] = []
        try:
            for item in value:
                items.append(read(item))  # noqa: PERF401 - the length so far is the place of a misfit
        except _Misfit as misfit:
            raise misfit.inside(f"[{len(items)}]") from None
        return tuple(items)

    return read_all


def _maybe(read: Reader) -> Reader:
    return lambda value: None if value is None else read(value)


def _one_of(kind: type[StrEnum]) -> Reader:
    members = {member.value: member for member in kind}

    def read(value: Any) -> StrEnum:
        try:
            return members[value]
        except (KeyError, TypeError):
            raise _Misfit(f"{_shown(value)} stands where one of {', '.join(members)} belongs") from None

    return read


def _fields(kind: type) -> Reader:
    """Read an object into a frozen class."""
    readers = {name: _reader(hint) for name, hint in hints(kind).items()}
    needed = [name for name, default in _defaults(kind) if default is _NOTHING]

    def read(value: Any) -> Any:
        if not isinstance(value, dict):
            raise _Misfit(f"{_shown(value)} stands where an object belongs")
        given, name = {}, ""
        try:
            for name, written in value.items():
                given[name] = readers[name](written)
        except KeyError:
            near = difflib.get_close_matches(name, readers, n=1, cutoff=0.5)
            hint = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(readers) or 'none'}"
            raise _Misfit(f"there is no field {name!r}{hint}") from None
        except _Misfit as misfit:
            raise misfit.inside(f".{name}") from None
        if missing := [name for name in needed if name not in given]:
            raise _Misfit(f"the field {missing[0]!r} is missing")
        return kind(**given)

    return read


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
