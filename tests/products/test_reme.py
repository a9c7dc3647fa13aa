from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from memgauge.errors import CallFailed
from memgauge.products.reme import adapter as reme
from memgauge.products.reme.adapter import ReMe
from memgauge.products.reme.notes import read_note
from memgauge.systems.protocol import Erasable, implements
from support.products import ALICE, BOB, opened, told

SETTINGS = {
    "jobs": {name: {"backend": "base"} for name in ("write", "delete", "search", "auto_memory", "dream_cron")},
    "components": {"as_llm": {}, "agent_wrapper": {}, "keyword_index": {}, "file_store": {}},
}


class Workspace:
    """What the adapter calls of ReMe: jobs on files, of which a search sees what was indexed."""

    def __init__(self, **settings: Any) -> None:
        self.settings, self.folder = settings, Path(settings["workspace_dir"])
        self.indexed: dict[str, str] = {}

    async def start(self) -> None:
        """Make the folder."""
        self.folder.mkdir(parents=True, exist_ok=True)

    async def close(self) -> None:
        """Close."""

    async def run_job(self, name: str, /, **given: Any) -> SimpleNamespace:
        """Do what a job does, and answer as one."""
        metadata: dict[str, Any] = {}
        if name == "write":
            file = self.folder / given["path"]
            file.parent.mkdir(parents=True, exist_ok=True)
            fields = yaml.safe_dump(given["metadata"])
            file.write_text(f"---\n{fields}---\n\n{given['content']}\n", encoding="utf-8")
        elif name == "delete":
            (self.folder / given["path"]).unlink()
        elif name == "put_index":
            self._index([Path(change["path"]) for change in given["changes"]])
        elif name == "scan":
            self._index(list(self.folder.glob("daily/*/*.md")))
        elif not given["query"].isprintable():
            return SimpleNamespace(success=False, answer="Error: no such query", metadata={})
        else:
            metadata = {"results": self._found(given["query"])[: given["limit"]]}
        return SimpleNamespace(success=True, answer="", metadata=metadata)

    def _index(self, files: list[Path]) -> None:
        for file in files:
            path = str(file.relative_to(self.folder))
            self.indexed.pop(path, None)
            if file.exists():
                self.indexed[path] = file.read_text("utf-8")

    def _found(self, query: str) -> list[dict[str, Any]]:
        """Find every note with a word of the query, in two pieces each."""
        words = query.split()
        counts = {path: sum(text.count(word) for word in words) for path, text in self.indexed.items()}
        ranked = sorted((path for path in counts if counts[path]), key=lambda path: -counts[path])
        return [{"path": path, "scores": {"score": counts[path]}} for path in ranked for _ in range(2)]


@pytest.fixture(autouse=True)
def spaces(monkeypatch: pytest.MonkeyPatch) -> list[Workspace]:
    """Stand in for the product, and note which workspaces are made."""
    made: list[Workspace] = []

    def make(**settings: Any) -> Workspace:
        made.append(Workspace(**settings))
        return made[-1]

    module = SimpleNamespace(ReMe=make, resolve_app_config=lambda log_config: dict(SETTINGS))
    monkeypatch.setattr(reme, "product", lambda _: module)
    monkeypatch.setattr("memgauge.systems.adapters.product_store.version", lambda _: "0.4.2.0")
    monkeypatch.setattr("memgauge.systems.adapters.rows._counted", {ReMe})
    return made


def test_a_turn_is_a_note_in_the_folder_of_its_day(spaces: list[Workspace]) -> None:
    """With its source and its time; scopes are workspaces, and one that was never written is not made."""
    system = ReMe()
    told(system, "I sing.", "I sing and sing.")
    assert [(row.text, row.sources) for row in sorted(system.dump(ALICE), key=lambda row: row.sources)] == [
        ("I sing.", ("t0",)),
        ("I sing and sing.", ("t1",)),
    ]
    assert {path.parent.name for path in spaces[0].folder.glob("daily/*/*.md")} == {"2023-05-08"}
    assert [hit.memory.sources for hit in system.search("sing", ALICE, 5).hits] == [("t1",), ("t0",)]
    assert not system.search("sing", BOB, 5).hits
    assert not list(system.dump(BOB))
    assert len(spaces) == 1
    system.close()


def test_what_changes_is_indexed_anew(spaces: list[Workspace]) -> None:
    """A changed note is found by its new words alone, a deleted one by none."""
    system = ReMe()
    told(system, "I sing.", "I dance.")
    first = system.row_id("t0", ALICE)
    system.update(first, "I hum.", ALICE)
    assert not system.search("sing", ALICE, 5).hits
    assert [hit.memory.id for hit in system.search("hum", ALICE, 5).hits] == [first]
    assert system.delete(["*", "", f"{first[:5]}*", f"../*/{first}"], ALICE) == 0
    assert system.delete([first, "other"], ALICE) == 1
    assert not system.search("hum", ALICE, 5).hits
    system.erase(ALICE)
    assert not spaces[0].folder.exists()
    system.close()


def test_a_store_that_is_opened_again_is_read_from_its_files(spaces: list[Workspace]) -> None:
    """Its own steps look for what is not indexed."""
    system = ReMe()
    told(system, "I sing.")
    system.reopen()
    assert [hit.memory.sources for hit in system.search("sing", ALICE, 5).hits] == [("t0",)]
    assert len(spaces) == 2
    system.close()


def test_nothing_that_asks_a_model_is_started(spaces: list[Workspace]) -> None:
    """Neither its jobs nor its components; and it says that no vectors stand behind it."""
    system = ReMe()
    told(system, "I sing.")
    assert set(spaces[0].settings["jobs"]) == {"write", "delete", "search", "put_index", "scan"}
    assert set(spaces[0].settings["components"]) == {"keyword_index", "file_store"}
    assert system.capabilities().stand_ins == ()
    assert not [each for each in system.capabilities().interventions if each.startswith("vectors by")]
    system.close()


def test_a_job_that_fails_is_a_failure() -> None:
    """ReMe answers that it failed; an empty query, which it refuses, finds nothing."""
    system = ReMe()
    told(system, "I sing.")
    assert not system.search("  ", ALICE, 5).hits
    with pytest.raises(CallFailed, match="search: Error: no such query"):
        system.search("a\x00b", ALICE, 5)
    system.close()


@pytest.mark.parametrize("text", ["Two\n---\nlines", "", "---\nno: front matter", "  blanks  "])
def test_a_note_is_read_as_it_was_written(tmp_path: Path, text: str) -> None:
    """Fences in a text are text."""
    note = tmp_path / "n1.md"
    note.write_text(f"---\nsource: t1\nat: '2023-05-08T10:00:00'\n---\n\n{text}\n", encoding="utf-8")
    row = read_note(note)
    assert (row.id, row.text, row.source, row.at) == ("n1", text, "t1", "2023-05-08T10:00:00")


def test_a_note_without_fields_is_all_text(tmp_path: Path) -> None:
    """Somebody may have put it there by hand."""
    note = tmp_path / "n1.md"
    note.write_text("I sing.\n", encoding="utf-8")
    assert (read_note(note).text, read_note(note).source) == ("I sing.", "")


@pytest.mark.slow
def test_the_installed_product_finds_what_it_was_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where its environment exists."""
    monkeypatch.undo()
    with opened("reme") as system:
        told(system, "I keep bees.", "I play chess.")
        assert system.search("Who has bees?", ALICE, 1).hits[0].memory.sources == ("t0",)
        erasable: object = system
        assert implements(erasable, Erasable)
        erasable.erase(ALICE)
        assert not system.search("bees", ALICE, 5).hits
