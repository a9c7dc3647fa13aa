"""Whether a value fits a JSON schema, of the keywords that our own prompts use."""

from __future__ import annotations

from types import NoneType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_TYPES: Final[Mapping[str, type | tuple[type, ...]]] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "null": NoneType,
}


def misfit(value: Any, schema: Mapping[str, Any]) -> str:
    """Say what does not fit first, and where; empty where *value* fits."""
    return next(_misfits(value, schema, "it"), "")


def _misfits(value: Any, schema: Mapping[str, Any], place: str) -> Iterator[str]:
    kinds = schema.get("type", ())
    kinds = (kinds,) if isinstance(kinds, str) else tuple(kinds)
    if kinds and not any(_is(value, kind) for kind in kinds):
        yield f"{place} is no {' or '.join(kinds)}"
        return
    if value not in schema.get("enum", (value,)):
        yield f"{place} is none of {', '.join(map(str, schema['enum']))}"
    if _is(value, "number") and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        yield f"{place} is out of range"
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from _misfits(item, schema.get("items", {}), f"{place}[{number}]")
    if isinstance(value, dict):
        yield from _misfit_fields(value, schema, "" if place == "it" else f"{place}.")


def _misfit_fields(value: Mapping[str, Any], schema: Mapping[str, Any], prefix: str) -> Iterator[str]:
    known = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{prefix}{name} is missing"
    for name, inner in value.items():
        if name in known:
            yield from _misfits(inner, known[name], f"{prefix}{name}")
        elif schema.get("additionalProperties", True) is False:
            yield f"{prefix}{name[:60]} was not asked for"


def _is(value: Any, kind: str) -> bool:
    """Whether *value* is of a type of JSON; ``true`` is no number, though Python's is."""
    return isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))
