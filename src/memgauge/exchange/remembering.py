"""Memories of our own layout: what its lines tell of each, held together, and followed to their turns."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeVar

from memgauge.errors import MalformedDataError
from memgauge.exchange.reading import REMEDY
from memgauge.exchange.trace import TracedMemory
from memgauge.records import Form, Lineage
from memgauge.systems.storefile import CircleError, follow

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.exchange.trace import FileLocation

Kind = TypeVar("Kind", bound=StrEnum)
Told = dict[str, tuple[TracedMemory, "FileLocation"]]
"""Memories by id, each with the place where it was first told of."""
_CONTENT = ("text", "form", "sources", "lineage")


def remember(place: FileLocation, row: Mapping[str, Any], remembered: Told) -> str:
    """Note the memory of a line; a later line may name it again, but not tell otherwise of it.

    Raises:
        MalformedDataError: It does, or what it tells does not fit together.
    """
    name = text_of(row, "memory", place)
    if not name:
        raise MalformedDataError(f"{place}: memory: a memory needs an id.", REMEDY)
    item = TracedMemory(
        name,
        text_of(row, "text", place) if "text" in row else None,
        sources := _sources(row, place),
        member(Form, row.get("form", Form.UNKNOWN), place, "form"),
        _lineage(row, sources, place, again=name in remembered),
    )
    first_item, first_place = remembered.setdefault(name, (item, place))
    for field in _CONTENT:
        if field in row and getattr(item, field) != getattr(first_item, field):
            raise MalformedDataError(
                f"{place}: {field}: {name!r} is told of otherwise in line {first_place.line}.",
                "Give versions other ids.",
            )
    return name


def text_of(row: Mapping[str, Any], field: str, place: FileLocation) -> str:
    """Return what stands under *field* as text; an id may be a whole number.

    Raises:
        MalformedDataError: It is anything else.
    """
    value = row.get(field, "")
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise MalformedDataError(f"{place}: {field}: {type(value).__name__} where a text is expected.", REMEDY)
    return str(value)


def member(kind: type[Kind], value: object, place: FileLocation, name: str) -> Kind:
    """Return the one of *kind* that is called so.

    Raises:
        MalformedDataError: None is.
    """
    try:
        return kind(str(value))
    except ValueError as error:
        choices = ", ".join(str(member) for member in kind)
        raise MalformedDataError(f"{place}: {name}: {value!r} is none of {choices}.", REMEDY) from error


def _sources(row: Mapping[str, Any], place: FileLocation) -> tuple[str, ...]:
    sources = row.get("sources", ())
    if not isinstance(sources, list | tuple):
        raise MalformedDataError(f"{place}: sources: a list is expected.", REMEDY)
    return tuple(map(str, sources))


def _lineage(row: Mapping[str, Any], sources: tuple[str, ...], place: FileLocation, *, again: bool) -> Lineage:
    """Read how sources are known, which is absent where none is named; *again*, a line may leave them out."""
    if "lineage" not in row:
        return Lineage.DECLARED if sources else Lineage.ABSENT
    lineage = member(Lineage, row["lineage"], place, "lineage")
    if (lineage is Lineage.ABSENT) is bool(sources) and not (again and "sources" not in row):
        has = f"{len(sources):,} sources are" if sources else "no source is"
        raise MalformedDataError(
            f"{place}: lineage: it is {lineage}, and {has} named.",
            "Name the sources, or call the lineage absent where nobody knows them.",
        )
    return lineage


def followed(remembered: Told, turns: set[str]) -> dict[str, TracedMemory]:
    """Replace sources that are memories by the turns that these descend from; without any, lineage is absent.

    Raises:
        MalformedDataError: A source is neither, or memories descend from each other.
    """
    for item, place in remembered.values():
        for source in item.sources:
            if source not in turns and source not in remembered:
                raise MalformedDataError(f"{place}: sources: {source!r} is neither a turn nor a memory.", REMEDY)
    try:
        descent = follow({name: item.sources for name, (item, _) in remembered.items() if name not in turns})
    except CircleError as circle:
        _, place = remembered[circle.names[0]]
        raise MalformedDataError(f"{place}: sources: {circle} is a circle.", REMEDY) from circle
    return {name: _descended(item, descent.get(name, item.sources)) for name, (item, _) in remembered.items()}


def _descended(item: TracedMemory, sources: tuple[str, ...]) -> TracedMemory:
    return replace(item, sources=sources, lineage=item.lineage if sources else Lineage.ABSENT)
