"""Where in which file something is written, for messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

from pydantic import TypeAdapter, ValidationError

from memgauge.datasets.places import json_path
from memgauge.errors import MalformedDataError

if TYPE_CHECKING:
    from collections.abc import Iterator

T = TypeVar("T")

# The names by which pydantic tells the members of a union apart.
_NOT_IN_THE_FILE = frozenset({"str", "int", "float"})


class FieldPath(NamedTuple):
    """A field of a file, or of one row of it."""

    file: str
    """Its path, and the line or the row where a file has many."""
    path: tuple[str | int, ...] = ()

    def at(self, *parts: str | int) -> FieldPath:
        """Go deeper."""
        return FieldPath(self.file, (*self.path, *parts))

    def wrong(self, why: str, remedy: str = "Fetch it again, or mend that field.") -> MalformedDataError:
        """Name this field as not what it must be."""
        return MalformedDataError(f"{self.file}: field {json_path(self.path)}: {why}.", remedy)

    def checked(self, wanted: TypeAdapter[T], value: object) -> T:
        """Validate what is written here.

        Raises:
            MalformedDataError: A field is not what it must be; the first such field is named.
        """
        try:
            return wanted.validate_python(value)
        except ValidationError as error:
            first = error.errors()[0]
            raise self.at(*(p for p in first["loc"] if p not in _NOT_IN_THE_FILE)).wrong(first["msg"]) from error

    def items(self, value: object) -> Iterator[tuple[FieldPath, object]]:
        """Yield what a list holds, each with its place.

        Raises:
            MalformedDataError: It is not a list.
        """
        if not isinstance(value, list):
            raise self.wrong("Input should be a valid list")
        return ((self.at(n), item) for n, item in enumerate(value))
