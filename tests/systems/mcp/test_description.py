"""Descriptions of MCP servers: those shipped are whole, and a mistake is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import ConfigError, UnknownNameError, UserError
from memgauge.systems.mcp.description import Description, read_description, shipped
from memgauge.systems.mcp.templates import at, fill, places

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Describe = Callable[..., str]

WHOLE = """
name = "notes"
command = ["notes"]
[ops]
add = { tool = "a" }
search = { tool = "s", arguments = { q = "{query}" } }
list = { tool = "l" }
[row]
id = "i"
text = "t"
"""


@pytest.mark.parametrize("name", shipped())
def test_every_shipped_server_is_described(name: str) -> None:
    """Adding, searching, listing, changing and removing have tools."""
    described = read_description(name)
    assert described.name == name
    assert described.is_mutable
    assert described.interventions


@pytest.mark.parametrize(
    ("change", "kind", "words"),
    [
        (("name =", "nam ="), UnknownNameError, "Did you mean name"),
        (('name = "notes"', "name = 3"), ConfigError, "name is a int"),
        (('list = { tool = "l" }', ""), ConfigError, "lacks ops.list"),
        (('text = "t"', ""), ConfigError, "lacks row.text"),
        (('command = ["notes"]', ""), ConfigError, "lacks command or url"),
        (('text = "t"', 'txt = "t"'), ConfigError, "lacks row.text"),
        (('text = "t"', 'text = "t"\nrank = "r"'), UnknownNameError, "rank"),
        (('command = ["notes"]', 'command = ["notes"]\nscore_kind = "good"'), ConfigError, "no score_kind 'good'"),
        (('add = { tool = "a" }', 'add = { tool = "a" }\nforget = { tool = "f" }'), UnknownNameError, "forget"),
        (('add = { tool = "a" }', "add = { }"), ConfigError, "ops.add names no tool"),
        (('add = { tool = "a" }', 'add = { tool = "a", args = 1 }'), UnknownNameError, "arguments"),
        (("{query}", "{text}"), ConfigError, r"ops.search has no \{text\} to fill in"),
        (("[row]", "[row"), ConfigError, "line"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, change: tuple[str, str], kind: type[UserError], words: str) -> None:
    """Which key of which table is wrong, and what it may be."""
    file = tmp_path / "notes.toml"
    file.write_text(WHOLE.replace(*change))
    with pytest.raises(kind, match=words):
        read_description(str(file))


def test_the_example_is_whole(tmp_path: Path) -> None:
    """It is read with and without its ending, and a file that is not there is named."""
    file = tmp_path / "notes.toml"
    file.write_text(WHOLE)
    assert read_description(str(file)) == read_description(str(tmp_path / "notes"))
    assert not read_description(str(file)).is_mutable
    with pytest.raises(ConfigError, match="There is no file"):
        read_description("./nowhere")


def test_places_are_filled_wherever_they_stand() -> None:
    """A text that is one place alone becomes the value with its type; within other words it becomes its text."""
    template = {"a": ["{id}", {"b": "{k}"}], "c": "no. {k}", "d": 7}
    assert fill(template, {"id": "x", "k": 5}) == {"a": ["x", {"b": 5}], "c": "no. 5", "d": 7}
    assert sorted(places(template)) == ["id", "k", "k"]


@given(st.text())
def test_values_are_never_read_as_templates(text: str) -> None:
    """A text with braces goes through as it is."""
    assert fill({"body": "{text}"}, {"text": text}) == {"body": text}
    assert fill("<{text}>", {"text": text}) == f"<{text}>"


def test_paths_end_where_nothing_is() -> None:
    """Keys and places are followed; what is not there is nothing."""
    value = {"rows": [{"text": ["first"]}]}
    assert at("rows.0.text.0", value) == "first"
    assert at("", value) is value
    assert [at(path, value) for path in ("rows.1", "rows.x", "other", "rows.0.text.0.deep")] == [None] * 4


@pytest.mark.parametrize(
    ("command", "env", "durable", "outlives"),
    [
        (("notes",), {}, None, False),
        (("notes", "{dir}/notes.db"), {}, None, True),
        (("notes",), {"NOTES": "{dir}"}, None, True),
        (("notes",), {"LOG": "{dir}/log"}, False, False),
        (("notes",), {}, True, True),
    ],
)
def test_a_server_outlives_its_process_where_it_is_told_a_place_or_it_is_said(
    command: tuple[str, ...], env: dict[str, str], durable: bool | None, outlives: bool
) -> None:
    """A server that is told no place promises nothing, unless its description does."""
    about = Description("notes", {}, {}, command=command, env=env, durable=durable)
    assert about.outlives is outlives
