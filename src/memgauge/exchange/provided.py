"""What a provider returned, as harnesses keep it: texts, or objects whose fields each provider names its way."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import MalformedDataError
from memgauge.exchange.reading import REMEDY, expect, first, score
from memgauge.exchange.trace import TracedMemory

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memgauge.exchange.trace import FileLocation

_TEXTS: Final = ("content", "memory", "text", "chunk")


def provided(results: Iterable[Any], place: FileLocation, start: int = 1) -> Iterator[TracedMemory]:
    """Read results in their order, the first of them at rank *start*; which turns they descend from nobody says.

    Raises:
        MalformedDataError: One says nothing that is understood, or a rank that is not its place in the list.
    """
    for number, result in enumerate(results, start):
        yield _result(result, number, replace(place, field=f"{place.field}[{number - start}]"))


def _result(row: Any, number: int, place: FileLocation) -> TracedMemory:
    if isinstance(row, str):
        return TracedMemory(f"result {number}", row)
    fields = expect(row, dict, place)
    text = first(fields, *(name for name in _TEXTS if fields.get(name) != ""), *_TEXTS)
    if not isinstance(text, str | None):
        raise MalformedDataError(f"{place}: {type(text).__name__} where its text is expected.", REMEDY)
    name = fields.get("id")
    if name is None and text is None:
        raise MalformedDataError(f"{place}: it has none of id, {', '.join(_TEXTS)}.", REMEDY)
    rank = fields.get("rank")
    if rank is not None and (isinstance(rank, bool) or rank != number):
        raise MalformedDataError(
            f"{place}: rank: {str(rank)[:40]}, and it stands at place {number} of the list.",
            "Order results by their ranks, from 1 on, and leave none out.",
        )
    value = score(first(fields, "score", "similarity"), replace(place, field=f"{place.field}.score"))
    return TracedMemory(f"result {number}" if name is None or name == "" else str(name), text, score=value)
