"""What a reply has to be, and whether it is."""

from __future__ import annotations

import pytest

from memgauge.studies.weak.shapes import asked_for, slim, unfit
from support.weak import exchange

SCHEMA = {
    "$defs": {
        "Edge": {"type": "object", "title": "Edge", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    },
    "type": "object",
    "description": "A graph.",
    "properties": {
        "edges": {"type": "array", "items": {"$ref": "#/$defs/Edge"}},
        "at": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "any": {"anyOf": [{"$ref": "#/$defs/Edge"}, {"type": "null"}]},
    },
    "required": ["edges"],
}


def test_a_slim_schema_checks_the_same_and_says_nothing() -> None:
    """References are followed, and descriptions and titles go."""
    edge = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}
    assert slim(SCHEMA) == {
        "type": "object",
        "required": ["edges"],
        "properties": {"edges": {"type": "array", "items": edge}, "at": {"type": ["string", "null"]}, "any": {}},
    }


def test_a_schema_that_holds_itself_is_cut() -> None:
    """Trees are no reason to go on for ever."""
    tree = {"$defs": {"T": {"type": "array", "items": {"$ref": "#/$defs/T"}}}, "$ref": "#/$defs/T"}
    assert slim(tree)["type"] == "array"


@pytest.mark.parametrize(
    ("shape", "text", "why"),
    [
        ("text", "anything", ""),
        ("json", "{}", ""),
        ("json", "Sure! {}", "no JSON"),
        ("json", "[]", "it is no object"),
        ("schema", '{"edges": []}', ""),
        ("schema", '{"edges": [{}]}', "edges[0].n is missing"),
        ("schema", '{"edges": [', "no JSON"),
        ("tool", "I would use a tool.", "no tool was used"),
    ],
)
def test_a_text_is_checked_by_what_was_asked_for(shape: str, text: str, why: str) -> None:
    """The first thing that does not fit is named."""
    schemas = {"Graph": slim(SCHEMA)} if shape == "schema" else {}
    assert unfit(exchange(shape=shape, text=text, schemas=schemas)) == why


def test_uses_of_tools_are_checked_by_their_schemas() -> None:
    """Also where a text would have done."""
    offered = exchange(shape="text", schemas={"keep": slim(SCHEMA)}, text="")
    assert asked_for(offered) == "text or tool"
    for tool, arguments, why in (
        ("keep", '{"edges": []}', ""),
        ("keep", "{}", "edges is missing"),
        ("keep", "{", "arguments of keep are no JSON"),
        ("lose", "{}", "there is no tool lose"),
    ):
        assert unfit(exchange(shape="text", schemas=offered.schemas, uses=((tool, arguments),))) == why


def test_a_reply_that_quotes_is_what_it_was_seen_to_be() -> None:
    """It is no more whole, and cannot be read again."""
    assert unfit(exchange(text="[9 words of the prompt]", quoted=9, fault="")) == ""
    assert unfit(exchange(text="{}", quoted=9, fault="no JSON")) == "no JSON"
