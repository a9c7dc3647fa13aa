"""The keywords of JSON schema that our prompts use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.llm.forms import OneLabel
from memgauge.llm.schemas import misfit
from memgauge.llm.served.filler import fill
from memgauge.studies.quality import paraphrase
from memgauge.studies.targets import extraction
from memgauge.studies.track.scoring import judge, paper
from memgauge.systems.pipeline import model

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

KEYWORDS = {"type", "enum", "minimum", "maximum", "items", "properties", "required", "additionalProperties"}
"""What is looked at."""
OURS = {
    "verdict": OneLabel(("CORRECT", "INCORRECT")).schema,
    "facts": extraction.SCHEMA,
    "statements": model.SCHEMA,
    "rewording": paraphrase.SCHEMA,
    "track verdict": judge.SCHEMA,
    "redundant calls": paper.SCHEMA,
}
SHAPE = {
    "type": "object",
    "properties": {
        "n": {"type": "number", "minimum": 0, "maximum": 1},
        "who": {"type": ["string", "null"]},
        "kind": {"enum": ["a", "b"]},
        "list": {"type": "array", "items": {"type": "integer"}},
        "inner": {"type": "object", "properties": {}, "additionalProperties": False},
    },
    "required": ["n"],
    "additionalProperties": False,
}


def parts(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield a schema and all that it holds."""
    yield schema
    for inner in (*schema.get("properties", {}).values(), *filter(None, [schema.get("items")])):
        yield from parts(inner)


@pytest.mark.parametrize("name", OURS)
def test_every_schema_of_ours_is_looked_at_in_full(name: str) -> None:
    """No schema holds a keyword that would be passed over, and its smallest value fits."""
    assert all(set(part) <= KEYWORDS for part in parts(OURS[name]))
    assert misfit(fill(OURS[name]), OURS[name]) == ""


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"n": 0.5, "who": None, "kind": "a", "list": [1], "inner": {}}, ""),
        ({"n": 1, "who": "x"}, ""),
        ([], "it is no object"),
        ({}, "n is missing"),
        ({"n": True}, "n is no number"),
        ({"n": 1.1}, "n is out of range"),
        ({"n": -1}, "n is out of range"),
        ({"n": 0, "who": 3}, "who is no string or null"),
        ({"n": 0, "kind": "c"}, "kind is none of a, b"),
        ({"n": 0, "list": [1, "2"]}, "list[1] is no integer"),
        ({"n": 0, "list": [1.0]}, "list[0] is no integer"),
        ({"n": 0, "inner": {"x": 1}}, "inner.x was not asked for"),
        ({"n": 0, "more": 1}, "more was not asked for"),
    ],
)
def test_what_does_not_fit_is_named_with_its_place(value: object, problem: str) -> None:
    """The first thing that is wrong; true is no number."""
    assert misfit(value, SHAPE) == problem


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda x: st.lists(x) | st.dictionaries(st.text(), x),
    )
)
def test_any_value_is_answered(value: object) -> None:
    """Nothing makes the look fail, and an empty schema fits everything."""
    assert misfit(value, {}) == ""
    assert isinstance(misfit(value, SHAPE), str)
