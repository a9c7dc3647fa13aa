"""Verdicts of foreign judges, in the words that each format has for right and wrong; nothing else is one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memgauge.errors import MalformedDataError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.exchange.trace import FileLocation


def verdict_of(value: Any, words: Mapping[str, bool], place: FileLocation) -> bool | None:
    """Read a verdict by the *words* of a format, in lower case; nothing, and an empty text, are none.

    Raises:
        MalformedDataError: It is something else, such as a share between right and wrong.
    """
    if value is None or value == "":
        return None
    if spelled(value) not in words:
        raise MalformedDataError(
            f"{place}: {str(value)[:40]!r} is no verdict of this format.",
            f"It says {', '.join(words)}; leave out what is neither right nor wrong.",
        )
    return words[spelled(value)]


def spelled(value: Any) -> str:
    """Return a verdict as a word: truth values and whole numbers as JSON spells them, texts without case."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip().casefold()


def agreed(verdicts: Mapping[str, bool | None], place: FileLocation) -> bool | None:
    """Return what all fields that hold a verdict say.

    Raises:
        MalformedDataError: One says right, and another wrong.
    """
    given = {name: verdict for name, verdict in verdicts.items() if verdict is not None}
    first = next(iter(given), "")
    for name, verdict in given.items():
        if verdict is not given[first]:
            raise MalformedDataError(
                f"{replace(place, field=f'{place.field}.{name}'.lstrip('.'))}: it contradicts {first}.",
                "Keep the verdict that was given.",
            )
    return given.get(first)
