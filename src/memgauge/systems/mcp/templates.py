"""Templates of a tool's arguments, and paths into its results."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_PLACE = re.compile(r"\{([a-z]+)\}")


def fill(template: Any, values: Mapping[str, Any]) -> Any:
    """Put *values* in the place of ``{name}``; a text that is nothing but one place becomes the value itself."""
    if isinstance(template, dict):
        return {key: fill(value, values) for key, value in template.items()}
    if isinstance(template, list):
        return [fill(item, values) for item in template]
    if not isinstance(template, str):
        return template
    whole = _PLACE.fullmatch(template)
    if whole:
        return values[whole[1]]
    return _PLACE.sub(lambda place: str(values[place[1]]), template)


def places(template: Any) -> Iterator[str]:
    """Yield the name of every place in a template."""
    if isinstance(template, dict):
        template = list(template.values())
    if isinstance(template, list):
        for item in template:
            yield from places(item)
    elif isinstance(template, str):
        yield from _PLACE.findall(template)


def at(path: str, value: Any) -> Any:
    """Follow a path (``observations.0``; an empty one is the value itself); ``None`` where it ends."""
    for step in filter(None, path.split(".")):
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isdecimal() and len(step) < 10 and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


def list_paths(value: Any, path: str = "") -> Iterator[str]:
    """Yield the path of every list that holds something in a result, those of lists within lists apart."""
    if isinstance(value, list) and value:
        yield repr(path)
    elif isinstance(value, dict):
        for name, below in value.items():
            yield from list_paths(below, f"{path}.{name}" if path else str(name))
