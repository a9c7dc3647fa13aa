"""The document of the HTTP interface, made from the classes that are read and written."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from memgauge.systems.wire.messages import PROTOCOL
from memgauge.systems.wire.methods import METHODS, Empty, Greeting, Hello, WireMethod
from memgauge.systems.wire.values import hints
from memgauge.version import __version__

_SUMMARY = (
    "Every request after hello carries the header Wire-Instance with the instance that hello named, "
    "and every reply names it too."
)
_PLAIN: dict[object, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    Path: {"type": "string"},
    datetime: {"type": "string", "format": "date-time", "description": "Without a time zone."},
}


def document() -> dict[str, Any]:
    """Return the OpenAPI document."""
    known: dict[str, Any] = {}
    every = {
        "hello": WireMethod("hello", Greeting, Hello),
        **METHODS,
        "close": WireMethod("close", Empty, Empty),
    }
    paths = {f"/{name}": {"post": _operation(name, method, known)} for name, method in every.items()}
    known["Error"] = _ERROR
    return {
        "openapi": "3.1.0",
        "info": {"title": f"memgauge {PROTOCOL}", "version": __version__, "description": _SUMMARY},
        "paths": paths,
        "components": {"schemas": dict(sorted(known.items()))},
    }


_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {
                "code": {"type": "integer"},
                "message": {"type": "string"},
                "data": {"type": "object", "properties": {"kind": {"type": "string"}}},
            },
        }
    },
}


def _operation(name: str, method: WireMethod, known: dict[str, Any]) -> dict[str, Any]:
    about = f"Only where hello offers `{method.protocol}`." if method.protocol else "Every memory has it."
    return {
        "operationId": name,
        "summary": _first_line(method.params),
        "description": about,
        "requestBody": {"required": True, "content": _json(_schema(method.params, known))},
        "responses": {
            "200": {"description": _first_line(method.result), "content": _json(_schema(method.result, known))},
            "default": {"description": "It failed.", "content": _json(_pointer("Error"))},
        },
    }


def _first_line(kind: type) -> str:
    return (kind.__doc__ or "").partition("\n")[0]


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _pointer(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _schema(kind: Any, known: dict[str, Any]) -> dict[str, Any]:
    """Describe a type; classes are described once, under their name."""
    if kind in _PLAIN:
        return _PLAIN[kind]
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in {tuple, Sequence}:
        return {"type": "array", "items": _schema(arguments[0], known)}
    if origin in {types.UnionType, typing.Union}:
        return {
            "anyOf": [_schema(kind, known) for kind in arguments if kind is not type(None)] + [{"type": "null"}]
        }
    if issubclass(kind, StrEnum):
        known[kind.__name__] = {"type": "string", "enum": [str(member) for member in kind]}
    elif kind.__name__ not in known:
        known[kind.__name__] = {}  # so that a class that holds itself ends
        known[kind.__name__] = _object(kind, known)
    return _pointer(kind.__name__)


def _object(kind: type, known: dict[str, Any]) -> dict[str, Any]:
    items = dataclasses.fields(kind)
    resolved = hints(kind)
    needed = [item.name for item in items if item.default is dataclasses.MISSING]
    described: dict[str, Any] = {
        "type": "object",
        "description": _first_line(kind),
        "properties": {item.name: _schema(resolved[item.name], known) for item in items},
        "additionalProperties": False,
    }
    return described | ({"required": needed} if needed else {})
