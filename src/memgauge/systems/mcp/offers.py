"""What a server offers: its tools and what they take; and where a description does not fit them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import ConfigError
from memgauge.registry import named
from memgauge.show.safety import plain_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memgauge.systems.mcp.description import Description, ToolStep

DEEPEST: Final = 8
"""Levels of a schema that are looked at; one may refer to itself."""


@dataclass(frozen=True)
class ToolOffer:
    """One tool, as its server lists it."""

    name: str
    about: str = ""
    takes: Mapping[str, Any] = field(default_factory=dict)
    """The JSON schema of its arguments."""
    gives: Mapping[str, Any] = field(default_factory=dict)
    """The JSON schema of its result, where the server names one."""

    @classmethod
    def of(cls, listed: Mapping[str, Any]) -> ToolOffer:
        """Read what a server says, and nothing that is not what it should be."""
        schemas: list[object] = [listed.get("inputSchema"), listed.get("outputSchema")]
        takes, gives = (schema if isinstance(schema, dict) else {} for schema in schemas)
        about = plain_line(str(listed.get("description") or ""))
        return cls(str(listed.get("name")), about, takes, gives)

    @property
    def signature(self) -> str:
        """Name its arguments with their kinds, in one line; what may be left out has a question mark."""
        needed = _needed(self.takes)
        named = (f"{n}{'' if n in needed else '?'}: {_kind(s)}" for n, s in fields_of(self.takes).items())
        return plain_line(", ".join(named)) or "nothing"


def fields_of(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the fields of an object's schema."""
    fields = schema.get("properties")
    return fields if isinstance(fields, dict) else {}


def _needed(schema: Mapping[str, Any]) -> tuple[str, ...]:
    needed = schema.get("required")
    return tuple(map(str, needed)) if isinstance(needed, list) else ()


def _kind(schema: object) -> str:
    kind = schema.get("type") if isinstance(schema, dict) else None
    return " or ".join(map(str, kind)) if isinstance(kind, list) else str(kind or "any")


def resolved(schema: object, whole: Mapping[str, Any]) -> Mapping[str, Any]:
    """Follow a reference within *whole*, and take the first of several that is no null."""
    if not isinstance(schema, dict):
        return {}
    for step in range(DEEPEST):
        ref, options = schema.get("$ref"), schema.get("anyOf") or schema.get("oneOf")
        if isinstance(ref, str) and ref.startswith("#/"):
            target: Any = whole
            for part in ref[2:].split("/"):
                target = target.get(part) if isinstance(target, dict) else None
            schema = target if isinstance(target, dict) else {}
        elif isinstance(options, list) and step < DEEPEST - 1:
            real = [option for option in options if isinstance(option, dict) and option.get("type") != "null"]
            schema = real[0] if real else {}
        else:
            break
    return schema


def require_fit(about: Description, offers: Iterable[ToolOffer]) -> None:
    """Refuse a description that names what the server has not, or leaves out what a tool needs.

    Raises:
        UnknownNameError: There is no such tool, or it takes no such argument.
        ConfigError: An argument is missing.
    """
    tools = {offer.name: offer for offer in offers}
    for operation, steps in about.ops.items():
        where = about.place(operation)
        for step in steps:
            _require_arguments(where, step, named(f"tool of {about.name} ({where}):", step.tool, tools))


def _require_arguments(where: str, step: ToolStep, offer: ToolOffer) -> None:
    takes = f"{offer.name} takes {offer.signature}."
    for path, problem in _misfits(step.arguments, offer.takes, offer.takes, "arguments", 0):
        raise ConfigError(f"{where}: {path} {problem}.", takes)


def _misfits(
    given: Any, schema: Mapping[str, Any], whole: Mapping[str, Any], path: str, depth: int
) -> Iterator[tuple[str, str]]:
    """Yield where a template does not fit a schema, and why."""
    schema = resolved(schema, whole)
    if depth > DEEPEST:
        return
    if isinstance(given, dict):
        fields = fields_of(schema)
        for name in given:
            if fields and name not in fields and not schema.get("additionalProperties"):
                yield path, f"names {name!r}, which there is not"
        for name in _needed(schema):
            if name not in given:
                yield path, f"lacks {name!r}, which is needed"
        for name, value in given.items():
            yield from _misfits(value, fields.get(name, {}), whole, f"{path}.{name}", depth + 1)
    elif isinstance(given, list):
        for value in given:
            yield from _misfits(value, schema.get("items", {}), whole, f"{path}.0", depth + 1)
