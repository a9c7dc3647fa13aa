"""Masking: a text with marks in the places of values, so that what is said of them can be read."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from memgauge.studies.golden.tokens import places
from memgauge.text.escapes import unescaped

if TYPE_CHECKING:
    from collections.abc import Iterable

VALUE, OTHER = "xvx", "yvy"
"""The value that is looked at, and any other."""


def masked(text: str, value: str, others: Iterable[str] = ()) -> str:
    """Put one mark where *value* stands in *text*, and another where *others* do."""
    return _masked(text, value, tuple(sorted(set(others) - {value})))


@lru_cache(maxsize=16_384)
def _masked(text: str, value: str, others: tuple[str, ...]) -> str:
    text = unescaped(text)
    own = [(start, -end, VALUE) for start, end in places(text, value)]
    rest = [(start, -end, OTHER) for start, end in places(text, *others)] if others else []
    made, done = "", 0
    for start, end, mark in sorted([*own, *rest], key=lambda span: span[:2]):
        if start >= done:
            made, done = made + text[done:start] + mark, -end
    return made + text[done:]
