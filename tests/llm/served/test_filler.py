from __future__ import annotations

from typing import Any

import pytest

from memgauge.llm.served.filler import fill


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string"}, ""),
        ({"type": "string", "minLength": 3}, "---"),
        ({"type": "boolean"}, False),
        ({"type": "integer", "exclusiveMinimum": 4}, 5),
        ({"type": "number"}, 0),
        ({"type": ["string", "null"]}, None),
        ({"type": ["integer", "string"]}, 0),
        ({"enum": ["a", "b"]}, "a"),
        ({"const": 7}, 7),
        ({"default": "d", "type": "string"}, "d"),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 2}, [0, 0]),
        ({"type": "array", "items": {"type": "integer"}}, []),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, None),
        ({"oneOf": [{"type": "integer"}, {"type": "string"}]}, 0),
        ({"type": "null"}, None),
        ({"type": "what"}, None),
        ({}, ""),
    ],
)
def test_the_smallest_value_fits(schema: dict[str, Any], value: object) -> None:
    """Each keyword of JSON schema that products use is obeyed."""
    assert fill(schema) == value


def test_references_and_parts_are_followed() -> None:
    """Definitions may refer to each other, and parts add up."""
    schema = {
        "$defs": {
            "Edge": {"type": "object", "properties": {"fact": {"type": "string"}}, "required": ["fact"]},
            "Dated": {"properties": {"at": {"type": "integer"}}, "required": ["at"]},
        },
        "type": "object",
        "properties": {"one": {"allOf": [{"$ref": "#/$defs/Edge"}, {"$ref": "#/$defs/Dated"}]}},
        "required": ["one"],
    }
    assert fill(schema) == {"one": {"fact": "", "at": 0}}
    assert fill({"$ref": "#/$defs/Nowhere"}) == ""


def test_a_schema_that_holds_itself_ends() -> None:
    """A tree of trees is cut, not followed for ever."""
    schema = {
        "$defs": {"Tree": {"properties": {"next": {"$ref": "#/$defs/Tree"}}, "required": ["next"]}},
        "$ref": "#/$defs/Tree",
    }
    assert "next" in fill(schema)
