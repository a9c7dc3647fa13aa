"""Foreign mappings read key by key: what is taken becomes a field, what is left is kept as extra."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin

from memgauge.errors import MalformedDataError
from memgauge.studies.track.timeline.files import line_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memgauge.studies.track.timeline.models import TimelineModel

    Model = TypeVar("Model", bound=TimelineModel)


class Fields:
    """One foreign mapping."""

    def __init__(self, mapping: Any, path: Path, place: Sequence[str | int] = ()) -> None:
        """Hold *mapping*, which stands at *place* of the file *path*.

        Raises:
            MalformedDataError: It is no mapping.
        """
        self._path = path
        self.place = tuple(place)
        if not isinstance(mapping, dict):
            raise self.wrong(f"expected a mapping, found {_named(mapping)}")
        self._left = {str(key): value for key, value in mapping.items()}
        self.extra: dict[str, Any] = {}
        """Original spellings of what was taken and changed."""

    def wrong(self, problem: str, *inner: str | int) -> MalformedDataError:
        """Make an error that names file, line and field."""
        return MalformedDataError(f"{line_of(self._path, (*self.place, *inner))}: {problem}.")

    def has(self, *keys: str) -> bool:
        """Whether one of *keys* is there and not null."""
        return any(self._left.get(key) is not None for key in keys)

    def take(self, key: str) -> Any:
        """Take a value as it is; ``None`` where it is absent."""
        return self._left.pop(key, None)

    def text(self, key: str) -> str | None:
        """Take a value as text; numbers and days are written out, and their original is kept."""
        value = self._left.pop(key, None)
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, dict | list):
            raise self.wrong(f"expected a text, found {_named(value)}", key)
        self.extra[key] = plain_value(value)
        return value.isoformat() if isinstance(value, date) else str(value)

    def needed(self, key: str) -> str:
        """Take a text that has to be there.

        Raises:
            MalformedDataError: It is absent or empty.
        """
        value = self.text(key)
        if value is None or not value.strip():
            raise self.wrong(f"{key!r} is missing", *([key] if value is not None else []))
        return value

    def texts(self, key: str) -> tuple[str, ...] | None:
        """Take a list of texts; a single one stands for a list of one."""
        value = self._left.pop(key, None)
        if value is None:
            return None
        if not isinstance(value, list):
            self.extra[key] = plain_value(value)
            value = [value]
        if any(isinstance(item, dict | list) for item in value):
            raise self.wrong("expected a list of texts", key)
        return tuple(str(plain_value(item)) for item in value)

    def inner(self, key: str) -> Fields:
        """Take a mapping; an empty one where it is absent."""
        return Fields(self._left.pop(key, None) or {}, self._path, (*self.place, key))

    def each(self, key: str) -> list[Fields]:
        """Take a list of mappings; an empty one where it is absent."""
        value = self._left.pop(key, None) or []
        if not isinstance(value, list):
            raise self.wrong(f"expected a list, found {_named(value)}", key)
        return [Fields(item, self._path, (*self.place, key, number)) for number, item in enumerate(value)]

    def model(self, kind: type[Model], *absent: str, **values: Any) -> Model:
        """Make a part of a timeline: texts and lists of texts are taken by name, what is left is its extra.

        *absent* are fields that foreign mappings do not have, *values* those that were taken already.
        """
        for name, field in kind.model_fields.items():
            if name in {"kind", "extra", *absent, *values}:
                continue
            if field.is_required():
                values[name] = self.needed(name)
                continue
            is_list = any(get_origin(part) is tuple for part in (field.annotation, *get_args(field.annotation)))
            value = self.texts(name) if is_list else self.text(name)
            values[name] = value if value or field.default is None else field.default
        return kind(**values, extra=self.rest())

    def rest(self) -> dict[str, Any]:
        """Return what nobody took, with the original spellings."""
        return {**self.extra, **{key: plain_value(value) for key, value in self._left.items()}}


def plain_value(value: Any) -> Any:
    """Bring what YAML reads to what JSON can hold: days and times become text."""
    if isinstance(value, dict):
        return {str(key): plain_value(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain_value(item) for item in value]
    return value.isoformat() if isinstance(value, date) else value


def _named(value: Any) -> str:
    return "nothing" if value is None else f"{type(value).__name__} {str(value)[:40]!r}"
