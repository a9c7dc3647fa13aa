"""Drawings held against the schema of Vega-Lite: the product does not, because that takes longer than to draw."""

from __future__ import annotations

import json
from functools import cache, wraps
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_SAID = frozenset({"datasets", "data", "domain", "range", "values", "title"})
_SEEN: set[str] = set()


def checked(render: Callable[[str], str]) -> Callable[[str], str]:
    """Let a renderer refuse what is no Vega-Lite; those that differ in what they say alone are looked at once."""

    @wraps(render)
    def guard(specification: str) -> str:
        drawing = json.loads(specification)
        drawing.pop("config", None)  # a background of nothing means none, which the schema does not know
        shape = json.dumps(_shape(drawing), sort_keys=True)
        if shape not in _SEEN:
            _schema().validate(drawing)
            _SEEN.add(shape)
        return render(specification)

    return guard


@cache
def _schema() -> Any:
    """Prepare the schema once; altair prepares the whole of it for every drawing."""
    import altair as alt
    from jsonschema import Draft7Validator  # type: ignore[import-untyped] # altair brings it, and no stubs

    return Draft7Validator(alt.load_schema())


def _shape(part: Any) -> Any:
    """Leave of a specification what a schema could refuse: no data, no names, no numbers."""
    if isinstance(part, dict):
        return {key: _shape(value) for key, value in part.items() if key not in _SAID}
    if isinstance(part, list):
        return sorted({json.dumps(_shape(value), sort_keys=True) for value in part})
    return part if isinstance(part, str) else type(part).__name__
