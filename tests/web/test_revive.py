"""Values of studies survive being written and read back."""

from __future__ import annotations

import json
from collections.abc import Mapping  # noqa: TC003 - read while running, as fields of studies are
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Literal

import pytest

from memgauge.errors import MalformedDataError
from memgauge.records import Contract, Target
from memgauge.results import plain
from memgauge.web.revive import revive


class Kind(StrEnum):
    """A word."""

    ONE = "one"


@dataclass(frozen=True)
class Inner:
    """A value within a value."""

    name: str
    share: float | None = None


@dataclass(frozen=True)
class Outer:
    """One of every kind of field."""

    kind: Kind
    inner: tuple[Inner, ...]
    pair: tuple[str, int]
    by_number: Mapping[int, float]
    names: frozenset[str]
    contract: Contract
    at: datetime
    day: date
    word: Literal["a", "b"]
    listed: list[str]
    anything: Any = None


VALUE = Outer(
    Kind.ONE,
    (Inner("x", 0.5), Inner("y")),
    ("a", 2),
    {1: 0.25},
    frozenset({"n"}),
    Contract(target=Target.RAW),
    datetime(2024, 5, 1, 8, 30),  # noqa: DTZ001 - conversations have local times
    date(2024, 5, 1),
    "a",
    ["l"],
    {"k": [1]},
)


def written() -> dict[str, Any]:
    """Write the value as the studies do."""
    data = plain(VALUE) | {"at": VALUE.at.isoformat(), "day": VALUE.day.isoformat(), "names": sorted(VALUE.names)}
    found: dict[str, Any] = json.loads(json.dumps(data))
    return found


def test_what_was_written_is_read_back() -> None:
    """Enumerations, tuples, mappings by number, contracts and times come back as what they were."""
    assert revive(Outer, written()) == VALUE


def test_fields_of_a_later_version_are_passed_over() -> None:
    """A result of a newer version is shown as far as it is known."""
    assert revive(Outer, written() | {"new": 1}) == VALUE


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "two"}, {"inner": 3}, {"inner": [3]}, {"pair": ["a"]}, {"by_number": []}, {"contract": "x"},
        {"at": "never"}, {"listed": "l"}, {"inner": [{"share": 1}]}, {"by_number": {"x": 1}},
        {"inner": [{"name": 1}]},
    ],
)  # fmt: skip
def test_what_is_something_else_is_refused_in_a_sentence(change: dict[str, Any]) -> None:
    """A file that only looks like a result is an error and no traceback."""
    with pytest.raises(MalformedDataError, match="This is no Outer"):
        revive(Outer, written() | change)


def test_a_missing_field_is_named() -> None:
    """The error says which value lacks what."""
    data = written()
    del data["pair"]
    with pytest.raises(MalformedDataError, match="pair"):
        revive(Outer, data)
