"""The memory tool: six commands on the files below /memories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import ConfigError
from memgauge.systems.notes.tool import MemoryTool

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def tool(tmp_path: Path) -> MemoryTool:
    """Make a tool over a folder with one file in a directory."""
    tool = MemoryTool(tmp_path / "memories")
    tool.create("/memories/garden/beans.md", "sown in May\nnear the gate\n")
    return tool


def test_a_directory_is_shown_two_levels_deep_and_without_hidden_names(tool: MemoryTool) -> None:
    """What lies deeper is seen by viewing the directory that holds it."""
    tool.create("/memories/garden/old/peas.md", "none")
    tool.create("/memories/.hidden", "none")
    assert tool.view("/memories").split("\n") == [
        "/memories",
        "/memories/garden/",
        "/memories/garden/beans.md",
        "/memories/garden/old/",
    ]
    assert tool.view("/memories/garden").split("\n")[-1] == "/memories/garden/old/peas.md"


def test_a_file_is_shown_with_numbers_whole_or_in_part(tool: MemoryTool) -> None:
    """Lines are counted from 1, and -1 is the end."""
    assert tool.view("/memories/garden/beans.md", (1, 2)) == "     1\tsown in May\n     2\tnear the gate"
    assert tool.view("/memories/garden/beans.md", (2, -1)).startswith("     2\tnear the gate")
    with pytest.raises(ConfigError, match="no lines 3 to 9"):
        tool.view("/memories/garden/beans.md", (3, 9))


def test_a_text_is_replaced_where_it_stands_once(tool: MemoryTool) -> None:
    """One that is absent, empty, or stands twice is refused, and the file stays."""
    before = tool.view("/memories/garden/beans.md")
    for wrong in ("June", "", "e"):
        with pytest.raises(ConfigError, match="The text to replace"):
            tool.str_replace("/memories/garden/beans.md", wrong, "x")
    assert tool.view("/memories/garden/beans.md") == before
    tool.str_replace("/memories/garden/beans.md", "May", "June")
    assert "sown in June" in tool.view("/memories/garden/beans.md")


def test_a_line_is_inserted_after_another(tool: MemoryTool, tmp_path: Path) -> None:
    """0 is the beginning, the last number the end; a number beyond it is refused."""
    tool.insert("/memories/garden/beans.md", 0, "# Beans")
    tool.insert("/memories/garden/beans.md", 3, "watered\n")
    held = (tmp_path / "memories/garden/beans.md").read_text()
    assert held == "# Beans\nsown in May\nnear the gate\nwatered\n"
    with pytest.raises(ConfigError, match="has no line 9"):
        tool.insert("/memories/garden/beans.md", 9, "x")


def test_what_is_deleted_is_gone_and_the_root_stays(tool: MemoryTool) -> None:
    """A directory goes with all that it holds."""
    with pytest.raises(ConfigError, match="itself stays"):
        tool.delete("/memories")
    tool.delete("/memories/garden")
    assert tool.view("/memories") == "/memories"
    with pytest.raises(ConfigError, match="does not exist"):
        tool.delete("/memories/garden")


def test_a_rename_never_writes_over_what_is_there(tool: MemoryTool) -> None:
    """It moves files and directories, makes the way to them, and refuses a directory in itself."""
    tool.create("/memories/other.md", "kept")
    for aim in ("/memories/other.md", "/memories/garden/in/itself"):
        with pytest.raises(ConfigError, match="cannot be moved"):
            tool.rename("/memories/garden", aim)
    tool.rename("/memories/garden/beans.md", "/memories/a/b.md")
    assert "near the gate" in tool.view("/memories/a/b.md")


@pytest.mark.parametrize(
    "path",
    [
        "/memories/../secret",
        "/memories/%2e%2e/secret",
        "/memories/garden/../../secret",
        "/etc/passwd",
        "memories/beans.md",
        "/memories2/x",
        "/memories/\0x",
        "",
        "/",
    ],
)
def test_nothing_outside_can_be_named(tool: MemoryTool, path: str) -> None:
    """Whatever the command."""
    commands: list[Callable[[], str]] = [
        lambda: tool.view(path),
        lambda: tool.create(path, "x"),
        lambda: tool.delete(path),
        lambda: tool.rename("/memories/garden", path),
    ]
    for command in commands:
        with pytest.raises(ConfigError, match="is not below /memories"):
            command()


def test_a_link_that_leads_out_is_not_followed(tool: MemoryTool, tmp_path: Path) -> None:
    """Somebody else may have laid it into the folder."""
    (tmp_path / "secret").write_text("not for agents")
    (tmp_path / "memories/out").symlink_to(tmp_path)
    with pytest.raises(ConfigError, match="is not below"):
        tool.view("/memories/out/secret")


def test_a_directory_is_no_file(tool: MemoryTool) -> None:
    """It cannot be written, edited or inserted into."""
    commands: list[Callable[[], str]] = [
        lambda: tool.create("/memories/garden", "x"),
        lambda: tool.str_replace("/memories/garden", "a", "b"),
        lambda: tool.insert("/memories/garden", 0, "a"),
    ]
    for command in commands:
        with pytest.raises(ConfigError, match="is a directory"):
            command()


@given(st.lists(st.text(st.characters(blacklist_characters="\n")), min_size=1, max_size=5), st.data())
def test_inserting_is_inserting_into_the_list_of_lines(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], data: st.DataObject
) -> None:
    """Whatever the lines hold."""
    folder = tmp_path_factory.mktemp("tool")
    tool, place = MemoryTool(folder), data.draw(st.integers(0, len(lines)))
    tool.create("/memories/x", "\n".join(lines) + "\n")
    tool.insert("/memories/x", place, "NEW")
    shown = [line.partition("\t")[2] for line in tool.view("/memories/x").split("\n")]
    assert shown == [*lines[:place], "NEW", *lines[place:], ""]
