"""The wording of a world, read from data: themes with clauses by distance, and speech acts around clauses."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    Lines = tuple[str, ...]


class WordingLevel(StrEnum):
    """How far the words of a statement are from those of the question."""

    LEX = "lex"
    PARA = "para"
    LATENT = "latent"


MIXED = "mixed"
"""Every statement has a distance of its own."""


@dataclass(frozen=True)
class Theme:
    """Something that can be said and asked."""

    name: str
    pool: str
    lines: Mapping[str, Lines]
    """Clauses by level, and questions and topics by their names in the data."""


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("words.toml").read_text("utf-8"))


def _theme(data: Mapping[str, Any]) -> Theme:
    lines: dict[str, Lines] = {}
    for name, value in data.items():
        if isinstance(value, list):
            lines[name] = tuple(value)
        elif isinstance(value, dict):
            inner = {
                f"{name}.{key}": (text,) if isinstance(text, str) else tuple(text) for key, text in value.items()
            }
            lines |= inner
    return Theme(str(data.get("name", "")), str(data.get("pool", "")), lines)


def _themes(kind: str) -> tuple[Theme, ...]:
    return tuple(_theme(entry) for entry in _data()[kind])


STATES = _themes("state")
TRANSIENTS = _themes("transient")
COLLECTIONS = _themes("collection")
MEMBERSHIPS = _themes("membership")
SPENDINGS = _themes("spending")
HAPPENINGS = _themes("happening")
THINGS = _themes("thing")
RUMOURS = _themes("rumour")
ROLE = _theme(_data()["role"])
RESTAURANT = _theme(_data()["restaurant"])
ACTS: Mapping[str, Lines] = {name: tuple(lines) for name, lines in _data()["acts"].items()}
POOLS: Mapping[str, Lines] = {name: tuple(words) for name, words in _data()["pools"].items()}
TALK: Mapping[str, Lines] = {name: tuple(lines) for name, lines in _data()["talk"].items()}
