"""Results as files: what kind a value is, in which version, and the value; one codec writes and reads them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import date
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast

from memgauge.errors import MalformedDataError
from memgauge.misfits import first_misfit
from memgauge.records.contracts import Contract
from memgauge.registry import load_target

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")
_KEYS: Final = ("kind", "version", "value")


def result(declared: type[T]) -> type[T]:
    """Mark a dataclass that stands in files: its annotations are read, so what they name is imported for real."""
    return declared


@dataclass(frozen=True)
class Result(Generic[T]):
    """A value with its kind, as it is written."""

    kind: str
    version: int
    value: T


@dataclass(frozen=True)
class ResultKind(Generic[T]):
    """A kind of result: what it is called in files, and the type of its values."""

    name: str
    version: int
    target: type[T] | str
    """The class of its values, or ``module:Class``, imported when a result is read."""
    made_by: str
    """A command that makes one."""

    def of(self, value: T) -> Result[T]:
        """Wrap a value."""
        return Result(self.name, self.version, value)

    def read(self, data: object, where: str = "This") -> T:
        """Read what :meth:`of` wrote, after :func:`plain`; an error calls it *where*.

        Raises:
            MalformedDataError: It is of another kind or version, or not as that kind is; the place is named.
        """
        from pydantic import ValidationError

        version = data.get("version") if isinstance(data, Mapping) else None
        if kind_of(data) != self.name or version != self.version:
            raise MalformedDataError(
                f"{where} is {_called(data)}, not a {self.name} result of version {self.version}.",
                f"Make it again: `{self.made_by}`.",
            )
        value = cast("Mapping[str, Any]", data)["value"]
        try:
            return cast("T", _adapter(cast("Hashable", self.target)).validate_python(value))
        except ValidationError as error:
            raise MalformedDataError(
                f"{where} is no {self.name} result: {first_misfit(error)}.", f"Make it again: `{self.made_by}`."
            ) from error


@dataclass(frozen=True)
class ReadyData:
    """Data that is JSON already: written in its own order and to the last digit."""

    data: Any


def kind_of(data: object) -> str:
    """Return the kind that data says it is; nothing where it is no result."""
    if not isinstance(data, Mapping) or any(key not in data for key in _KEYS):
        return ""
    return data["kind"] if isinstance(data["kind"], str) else ""


def plain(value: object) -> Any:
    """Lower a value to JSON: fields in their order, mappings sorted by key, floats to six digits."""
    if isinstance(value, float | ReadyData):
        return round(value, 6) if isinstance(value, float) else value.data
    if isinstance(value, Enum | Contract):
        return value.value if isinstance(value, Enum) else str(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): plain(value[key]) for key in sorted(value)}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return _fields(value) if is_dataclass(value) else value


def _fields(value: Any) -> dict[str, Any]:
    return {field.name: plain(getattr(value, field.name)) for field in fields(value)}


@cache
def _adapter(target: Hashable) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(cast("type[Any]", load_target(target) if isinstance(target, str) else target))


def _called(data: object) -> str:
    name = kind_of(data)
    version = data.get("version") if isinstance(data, Mapping) else None
    return f"a {name} result of version {version}" if name else "no result of this version of memgauge"
