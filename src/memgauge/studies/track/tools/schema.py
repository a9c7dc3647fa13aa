"""The few JSON schemas that tools need, and arguments checked against them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list, tuple),
    "null": (type(None),),
}


def arguments(required: Mapping[str, Any], optional: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Make the schema of a tool's arguments; what is optional may also be ``null``, as models write it."""
    return {
        "type": "object",
        "properties": {**required, **{name: _or_null(schema) for name, schema in (optional or {}).items()}},
        "required": list(required),
        "additionalProperties": False,
    }


def text(description: str = "") -> dict[str, Any]:
    """Make the schema of a text."""
    return _described("string", description)


def texts(description: str = "") -> dict[str, Any]:
    """Make the schema of a list of texts."""
    return {**_described("array", description), "items": {"type": "string"}}


def integer(default: int | None = None, description: str = "", *, minimum: int = 1) -> dict[str, Any]:
    """Make the schema of a whole number from *minimum* on."""
    schema = {**_described("integer", description), "minimum": minimum}
    return schema if default is None else {**schema, "default": default}


def number(description: str = "", *, minimum: float, maximum: float) -> dict[str, Any]:
    """Make the schema of a number between two others."""
    return {**_described("number", description), "minimum": minimum, "maximum": maximum}


def flag(description: str = "", *, default: bool = False) -> dict[str, Any]:
    """Make the schema of yes or no."""
    return {**_described("boolean", description), "default": default}


def mapping(description: str = "") -> dict[str, Any]:
    """Make the schema of any object."""
    return _described("object", description)


def check(schema: Mapping[str, Any], given: Any) -> str:
    """Say in words why *given* does not fit the schema of a tool; empty where it does."""
    if not isinstance(given, dict):
        return "the arguments are no object"
    properties: Mapping[str, Mapping[str, Any]] = schema["properties"]
    unknown_names = [name for name in given if name not in properties]
    if unknown_names:
        known_names = ", ".join(properties) or "none"
        return f"unknown argument {', '.join(map(repr, unknown_names))}; known: {known_names}"
    missing_names = [name for name in schema["required"] if name not in given]
    if missing_names:
        return f"missing argument {', '.join(map(repr, missing_names))}"
    problems = (_mismatch(name, properties[name], value) for name, value in given.items())
    return next((problem for problem in problems if problem), "")


def _mismatch(name: str, schema: Mapping[str, Any], value: Any) -> str:
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if not any(_is(value, kind) for kind in types):
        return f"{name!r} has to be {' or '.join(types)}, not {value!r}"
    if value is None:
        return ""
    if "items" in schema and not all(_is(item, schema["items"]["type"]) for item in value):
        return f"every item of {name!r} has to be {schema['items']['type']}"
    if "minimum" in schema and value < schema["minimum"]:
        return f"{name!r} has to be at least {schema['minimum']}, not {value!r}"
    if "maximum" in schema and value > schema["maximum"]:
        return f"{name!r} has to be at most {schema['maximum']}, not {value!r}"
    return ""


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES[kind])


def _or_null(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {**schema, "type": [schema["type"], "null"]}


def _described(kind: str, description: str) -> dict[str, Any]:
    return {"type": kind, "description": description} if description else {"type": kind}
