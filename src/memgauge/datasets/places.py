"""Where in which file something is written, for messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pydantic import TypeAdapter, ValidationError

from memgauge.errors import MalformedDataError
from memgauge.misfits import reason
from memgauge.text.dates import parse_date

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime
    from pathlib import Path


T = TypeVar("T")

REMEDY = "Fetch the file again, or mend that field."
_UNION = frozenset({"str", "int", "float", "list[str]", "<turns>", "<text>"})
"""The names by which pydantic tells the members of a union apart: they are not in the file."""


class FieldPath(NamedTuple):
    """A field of a file, or of one row of it."""

    file: str
    """Its path, and the line or the row where a file has many."""
    path: tuple[str | int, ...] = ()

    def at(self, *parts: str | int) -> FieldPath:
        """Go deeper."""
        return FieldPath(self.file, (*self.path, *parts))

    def wrong(self, why: str, remedy: str = REMEDY) -> MalformedDataError:
        """Name this field as not what it must be."""
        return MalformedDataError(f"{self.file}: field {json_path(self.path)}: {why}.", remedy)

    def invalid(self, error: ValidationError, remedy: str = REMEDY) -> MalformedDataError:
        """Name the first field below this one that is not what it must be, without repeating what it holds."""
        first = error.errors(include_input=False, include_url=False)[0]
        tags = frozenset() if first["type"] == "extra_forbidden" else _UNION
        return self.at(*(part for part in first["loc"] if part not in tags)).wrong(reason(first), remedy)

    def checked(self, wanted: TypeAdapter[T], value: object, remedy: str = REMEDY) -> T:
        """Validate what is written here.

        Raises:
            MalformedDataError: A field is not what it must be; the first such field is named.
        """
        try:
            return wanted.validate_python(value)
        except ValidationError as error:
            raise self.invalid(error, remedy) from error

    def date(self, text: str) -> datetime:
        """Read a date that is written here.

        Raises:
            MalformedDataError: It is none.
        """
        try:
            return parse_date(text)
        except ValueError as error:
            raise self.wrong(f"{text!r} is not a date: {error}", "Mend that field.") from error

    def items(self, value: object) -> Iterator[tuple[FieldPath, object]]:
        """Yield what a list holds, each with its place.

        Raises:
            MalformedDataError: It is not a list.
        """
        if not isinstance(value, list):
            raise self.wrong("Input should be a valid list")
        return ((self.at(n), item) for n, item in enumerate(value))


def objects_of(rows: Iterable[tuple[int, Any]], path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the numbered *rows* of a file, each with its place.

    Raises:
        MalformedDataError: One is no object.
    """
    for number, row in rows:
        if not isinstance(row, dict):
            raise MalformedDataError(f"{path}:{number}: not an object.", "Write one object a line.")
        yield f"{path}:{number}", row


def json_path(parts: Iterable[str | int]) -> str:
    """Write a place as ``$[0].qa[3].category``."""
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
