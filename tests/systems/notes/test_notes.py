"""Three memories made of files: by the memory tool, by grep, and as notes that only grow."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import ConfigError
from memgauge.records import Memory, Operation, Scope, Turn, Verdict
from memgauge.systems import check, open_system
from memgauge.systems.notes.claude_md import ClaudeMd
from memgauge.systems.notes.grep import Grep, by_count, keywords
from memgauge.systems.notes.memory_tool import MemoryToolFolder
from memgauge.systems.notes.tool import MemoryTool

if TYPE_CHECKING:
    from memgauge.systems.notes.folder import NotesInFiles

NOON = datetime(2024, 5, 1, 12)  # noqa: DTZ001 - turns carry naive local times
ADA, BOB = Scope("ada"), Scope("bob")
SAID = [
    ("s1", "I planted beans"),
    ("s1", "near the gate"),
    ("s2", "Beans again, beans and peas"),
    ("s2", "a robin"),
]
TURNS = [
    Turn(f"t{n}", "Ada", text, session, NOON + timedelta(days=int(session[1])))
    for n, (session, text) in enumerate(SAID)
]
Notes = TypeVar("Notes", bound="NotesInFiles")
KINDS = ("memory-tool", "grep", "claude-md", "claude-md:read=whole")


def told(system: Notes) -> Notes:
    """Write the turns."""
    system.ingest(TURNS, ADA)
    return system


def ids(system: NotesInFiles, query: str, k: int = 60) -> list[str]:
    """Return the ids of the lines that a search brings."""
    return [hit.memory.id for hit in system.search(query, ADA, k).hits]


def files_of(system: NotesInFiles) -> dict[str, str]:
    """Return the files of all scopes by name."""
    (root,) = system.storage_paths()
    return {path.name: path.read_text() for path in sorted(Path(root).rglob("*.md"))}


@pytest.mark.parametrize("ref", KINDS)
def test_each_keeps_every_promise(ref: str) -> None:
    """The conformance check finds nothing that fails or could not fail."""
    report = check(lambda: open_system(ref))
    assert report.conforms
    assert {each.verdict for each in report.checks} == {Verdict.PASS, Verdict.UNSUPPORTED}


@pytest.mark.parametrize("kind", [MemoryToolFolder, Grep])
def test_a_session_is_a_file_under_its_day(kind: type[NotesInFiles]) -> None:
    """Files sort as they were begun, and each line says who spoke and when."""
    files = files_of(told(kind()))
    assert list(files) == ["00001-s1.md", "00002-s2.md"]
    assert files["00001-s1.md"].startswith("# 2 May 2024\n- Ada (2 May 2024): I planted beans <!-- ")


def test_notes_are_one_file_in_sections_by_day() -> None:
    """A heading stands where a day begins, and once."""
    (text,) = files_of(told(ClaudeMd())).values()
    headed = [line for line in text.split("\n") if line.startswith("## ")]
    assert headed == ["## 2 May 2024", "## 3 May 2024"]


@pytest.mark.parametrize("kind", [MemoryToolFolder, Grep, ClaudeMd])
def test_a_named_folder_is_read_again_by_whoever_opens_it(kind: type[Any], tmp_path: Path) -> None:
    """Nothing is known but what stands in the files, a line by hand among them stays."""
    first = told(kind(path=str(tmp_path)))
    listed, found = list(first.dump(ADA)), ids(first, "beans")
    first.close()
    place = next(tmp_path.rglob("*.md"))
    place.write_text(place.read_text() + "- by hand\n")
    again = kind(path=str(tmp_path))
    assert (list(again.dump(ADA)), ids(again, "beans")) == (listed, found)
    again.ingest([replace(TURNS[0], id="t9")], ADA)
    assert "- by hand\n" in place.read_text()


@pytest.mark.parametrize("kind", [MemoryToolFolder, Grep, ClaudeMd])
def test_what_is_told_again_is_not_written_again(kind: type[NotesInFiles]) -> None:
    """Files stay byte for byte."""
    system = told(kind())
    before = files_of(system)
    receipt = system.ingest(TURNS, ADA)
    assert {change.op for change in receipt.changes or ()} == {Operation.NOOP}
    assert files_of(system) == before


@pytest.mark.parametrize("kind", [MemoryToolFolder, Grep])
def test_what_is_changed_or_deleted_is_in_no_file(kind: type[Any]) -> None:
    """The old words go, the others stay, and a file without lines goes with its last."""
    system = told(kind())
    system.update("t0", "I planted leeks", ADA)
    assert system.delete(["t2", "t3", "absent"], ADA) == 2
    files = files_of(system)
    assert list(files) == ["00001-s1.md"]
    assert "leeks" in files["00001-s1.md"]
    assert "eans" not in files["00001-s1.md"]
    assert [memory.id for memory in system.dump(ADA)] == ["t0", "t1"]


def test_notes_that_only_grow_keep_both_wordings() -> None:
    """What is said anew is a line below, from the same turn; neither is lost, and neither is written twice."""
    system = told(ClaudeMd())
    for _ in range(2):
        system.ingest([replace(TURNS[0], text="I planted leeks")], ADA)
    lines = {memory.id: memory.sources for memory in system.dump(ADA)}
    assert lines["t0"] == lines["t0#2"] == ("t0",)
    assert len(lines) == 5


def test_an_erased_scope_leaves_no_file_and_the_others_theirs() -> None:
    """A folder is a scope."""
    system = told(Grep())
    system.ingest([replace(TURNS[1], text="of Bob")], BOB)
    system.erase(ADA)
    assert [text.count("of Bob") for text in files_of(system).values()] == [1]
    assert list(system.dump(ADA)) == []


def test_grep_shows_lines_by_the_words_that_they_hold() -> None:
    """Small words count for nothing, parts of words do, and of equals the newest comes first."""
    assert ids(told(Grep()), "Where do the pea and the bean grow?") == ["t2", "t0"]
    assert ids(told(Grep(match="all")), "the peas and beans") == ["t2"]
    assert ids(told(Grep(match="all")), "what is the?") == []


def test_grep_takes_a_regular_expression_and_what_is_none_as_it_stands() -> None:
    """Lines count by how often they match."""
    assert ids(told(Grep(match="regex")), r"beans?\b") == ["t2", "t0"]
    assert ids(told(Grep(match="regex")), "beans (") == []


def test_notes_read_whole_begin_at_their_end() -> None:
    """The question does not matter, and there are no scores."""
    system = told(ClaudeMd(read="whole"))
    assert ids(system, "beans", 3) == ["t3", "t2", "t1"]
    assert {hit.score for hit in system.search("x", ADA, 9).hits} == {None}


@given(st.integers(0, 200), st.sampled_from(["grep", "whole"]))
def test_a_context_fits_and_is_in_the_order_of_the_file(budget: int, read: str) -> None:
    """It holds whole lines alone."""
    system = ClaudeMd(read=read)
    told(system)
    context = system.context("beans and a robin", ADA, budget)
    assert len(context) <= budget
    lines = [memory.text for memory in system.dump(ADA)]
    held = context.split("\n") if context else []
    assert held == [line for line in lines if line in held]
    system.close()


def test_the_memory_tool_shows_what_the_memory_wrote() -> None:
    """An agent that is handed the folder sees the same lines."""
    system = told(MemoryToolFolder())
    (scope,) = Path(next(iter(system.storage_paths()))).iterdir()
    assert "robin" in MemoryTool(scope).view("/memories/00002-s2.md")


def test_names_of_sessions_may_be_anything() -> None:
    """Sessions that differ lie in different files, whatever stands in their names."""
    system = Grep()
    for place, session in enumerate(["../x", "a/b", "a b", "", "..", "x" * 300, "\ud800"]):
        system.ingest([replace(TURNS[0], id=f"u{place}", session=session)], ADA)
    assert len(files_of(system)) == 7


def test_ways_that_there_are_not_are_named() -> None:
    """With those that there are."""
    with pytest.raises(ConfigError, match="any, all or regex"):
        Grep(match="fuzzy")
    with pytest.raises(ConfigError, match="grep or whole"):
        ClaudeMd(read="half")


def test_what_is_counted_is_ordered_by_count_and_then_the_newest() -> None:
    """What holds nothing is left out; a question of small words asks for nothing."""
    counted = [(Memory(name, name), count) for name, count in (("a", 1), ("b", 0), ("c", 2), ("d", 1))]
    assert [(memory.id, score) for memory, score in by_count(counted)] == [("c", 2.0), ("d", 1.0), ("a", 1.0)]
    assert keywords("Where is the Gate, the gate?") == ("gate",)
