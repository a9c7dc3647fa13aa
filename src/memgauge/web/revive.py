"""Values of the studies read back from the data that they wrote, by the types that declare their fields."""

from __future__ import annotations

import collections.abc
import sys
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from functools import cache
from typing import Any, TypeVar, get_args, get_origin

from memgauge.errors import MalformedDataError, UserError
from memgauge.records import Contract

T = TypeVar("T")
_FOREIGN = {**vars(collections.abc), **vars(typing), "datetime": datetime, "date": date}
"""What annotations name that their modules import for the type checker alone."""


def revive(kind: type[T], data: object) -> T:
    """Make a value of *kind* from JSON-ready data, fields of a later version left out.

    Raises:
        MalformedDataError: The data is not of this kind; the message names the place.
    """
    try:
        made: T = _made(kind, data, kind.__name__)
    except (TypeError, ValueError, KeyError, AttributeError, RecursionError, UserError) as error:
        raise MalformedDataError(f"This is no {kind.__name__}: {error}.", "Write it again.") from error
    return made


def _made(kind: Any, data: Any, where: str) -> Any:
    if kind is Any or data is None:
        return data
    origin = get_origin(kind)
    if origin in {typing.Union, types.UnionType}:
        return _union(get_args(kind), data, where)
    if origin is not None:
        return _collection(origin, get_args(kind), data, where)
    if kind is Contract:
        return Contract.parse(data)
    if is_dataclass(kind) and isinstance(kind, type):
        return _record(kind, data, where)
    return _scalar(kind, data, where)


def _scalar(kind: Any, data: Any, where: str) -> Any:
    if kind in {datetime, date}:
        return kind.fromisoformat(data)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(data)
    if kind is float and isinstance(data, int | float):
        return float(data)
    if kind is int and isinstance(data, str):
        return int(data)
    if isinstance(kind, type) and not isinstance(data, kind):
        raise TypeError(f"{where} is {type(data).__name__}, not {kind.__name__}")
    return data


def _union(kinds: Sequence[Any], data: Any, where: str) -> Any:
    problem: Exception = TypeError(f"{where} is nothing that is known")
    for kind in kinds:
        if kind is type(None):
            continue
        try:
            return _made(kind, data, where)
        except (TypeError, ValueError, KeyError) as error:
            problem = error
    raise problem


def _collection(origin: Any, kinds: Sequence[Any], data: Any, where: str) -> Any:
    if origin is typing.Literal:
        return data
    if issubclass(origin, Mapping):
        if not isinstance(data, Mapping):
            raise TypeError(f"{where} is no mapping")
        return {
            _made(kinds[0], key, where): _made(kinds[1], value, f"{where}.{key}") for key, value in data.items()
        }
    if not isinstance(data, list | tuple):
        raise TypeError(f"{where} is no list")
    if origin is tuple and kinds[-1] is not Ellipsis:
        return tuple(_made(kind, one, where) for kind, one in zip(kinds, data, strict=True))
    made = [_made(kinds[0], one, where) for one in data]
    return made if origin is list else tuple(made) if origin is not frozenset else frozenset(made)


def _record(kind: Any, data: Any, where: str) -> Any:
    if not isinstance(data, Mapping):
        raise TypeError(f"{where} is no {kind.__name__}")
    hints, given = _hints(kind), {}
    for one in fields(kind):
        if one.init and one.name in data:
            given[one.name] = _made(hints[one.name], data[one.name], f"{where}.{one.name}")
        elif one.init and one.default is MISSING and one.default_factory is MISSING:
            raise KeyError(f"{where}.{one.name}")
    return kind(**given)


@cache
def _hints(kind: type) -> dict[str, Any]:
    """Resolve the annotations of a dataclass, names that its module imports for the type checker too."""
    known = dict(_FOREIGN)
    while True:
        try:
            return typing.get_type_hints(kind, globalns=known | vars(sys.modules[kind.__module__]))
        except NameError as error:
            name = str(error.name)
            if name in known:
                raise TypeError(f"{kind.__name__}: {name} is not known") from error
            known[name] = _imported(kind, name)


def _imported(kind: type, name: str) -> object:
    """Find what a module imports for the type checker alone, by reading its import statements."""
    import ast
    import inspect
    from importlib import import_module

    tree = ast.parse(inspect.getsource(sys.modules[kind.__module__]))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return getattr(import_module(node.module), alias.name)
    return Any
