from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError
from memgauge.products.memoryos.adapter import MemoryOS
from memgauge.records import Form, Scope
from support.products import ALICE, BOB, told, turn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CODE = """
import json, os

def gpt_knowledge_extraction(pages, client, model=""):
    return {"private": "- likes tea", "assistant_knowledge": "- serves tea"}

def gpt_user_profile_analysis(pages, client, model="", existing_user_profile=""):
    return "A person who likes tea a lot."

class Short:
    def __init__(self):
        self.max_capacity, self.memory = 10, []
    def get_all(self):
        return list(self.memory)

class Kept:
    def __init__(self):
        self.sessions, self.user, self.assistant, self.profile = {}, [], [], "None"
    def get_user_knowledge(self):
        return self.user
    def get_assistant_knowledge(self):
        return self.assistant

class Memoryos:
    def __init__(self, user_id, data_storage_path, **options):
        self.folder = os.path.join(data_storage_path, "users", user_id)
        os.makedirs(self.folder, exist_ok=True)
        self.short_term_memory = Short()
        self.mid_term_memory = self.user_long_term_memory = self.assistant_long_term_memory = self.kept = Kept()
        self.updater = self.retriever = self
        print("opened")
    def add_memory(self, user_input, agent_response, timestamp=None):
        pair = {"user_input": user_input, "agent_response": agent_response, "timestamp": timestamp or ""}
        self.short_term_memory.memory.append(pair)
    def process_short_term_to_mid_term(self):
        assert self.short_term_memory.max_capacity == 1
        pages = [{**pair, "page_id": f"p{place}", "page_embedding": [1.0] + [0.0] * 255}
                 for place, pair in enumerate(self.short_term_memory.memory)
                 if pair["user_input"] and pair["agent_response"]]
        self.short_term_memory.memory.clear()
        self.kept.sessions["s"] = {"details": pages + pages[:1]}
        if pages:
            found = gpt_knowledge_extraction(pages, None)
            entry = lambda text: {"knowledge": text, "knowledge_embedding": [0.0] * 256}
            self.kept.user, self.kept.assistant = [entry(found["private"])], [entry(found["assistant_knowledge"])]
            self.kept.profile = gpt_user_profile_analysis(pages, None)
    def retrieve_context(self, query, user_id, **thresholds):
        pages = self.kept.sessions.get("s", {"details": []})["details"]
        return {"retrieved_pages": pages, "retrieved_user_knowledge": self.kept.user,
                "retrieved_assistant_knowledge": self.kept.assistant}
    def get_user_profile_summary(self):
        return self.kept.profile
"""


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Write a checkout that has the shape of the real one: what is called, and what it forgets."""
    package = tmp_path / "clone" / "memoryos-pypi"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from .memoryos import Memoryos\n")
    (package / "memoryos.py").write_text(CODE)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    yield str(package.parent)
    for name in [name for name in sys.modules if name.startswith("memgauge_memoryos")]:
        del sys.modules[name]


def test_without_a_checkout_it_says_what_to_clone() -> None:
    """There is no package of it."""
    with pytest.raises(ConfigError, match="BAI-LAB/MemoryOS"):
        MemoryOS()


def test_pages_knowledge_and_profile_know_their_turns(clone: str) -> None:
    """A page by its words and time, a line and the profile by the pages that were shown."""
    system = MemoryOS(checkout=clone)
    pair = [turn("a", "I like tea."), turn("b", "Here is tea.", "assistant")]
    system.ingest(pair, ALICE)
    assert [one.channel for one in system.dump(ALICE)] == ["short-term"]
    system.flush(ALICE, 60)
    found = {one.channel: one for one in system.dump(ALICE)}
    assert set(found) == {"mid-term", "user knowledge", "assistant knowledge", "profile"}
    assert {one.sources for one in found.values()} == {("a", "b")}
    assert found["mid-term"].text == "I like tea.\nHere is tea."
    assert found["profile"].form is Form.PROFILE
    ranking = system.search("tea", ALICE, 60)
    assert len(ranking.hits) == 3
    assert len(system.search("tea", ALICE, 2).hits) == 2
    assert not system.search("tea", ALICE, 0).hits
    assert not list(system.dump(BOB))
    system.close()


def test_a_turn_alone_is_lost_unless_something_stands_beside_it(clone: str) -> None:
    """That is how the product is; the remedy is declared."""
    system = MemoryOS(checkout=clone)
    told(system, "I like tea.")
    assert not list(system.dump(ALICE))
    kept = MemoryOS(checkout=clone, alone="(silence)")
    told(kept, "I like tea.")
    kept.ingest([turn("b", "Here is tea.", "assistant")], BOB)
    kept.flush(BOB, 60)
    assert any("(silence)" in one for one in kept.capabilities().interventions)
    pages = [next(iter(kept.dump(scope))) for scope in (ALICE, BOB)]
    assert [page.text for page in pages] == ["I like tea.\n(silence)", "(silence)\nHere is tea."]
    system.close()
    kept.close()


def test_erasing_removes_the_folder_of_a_user(clone: str) -> None:
    """With a folder each, all of a scope goes; shared, what is known of the assistant stays behind."""
    for shared in (True, False):
        system = MemoryOS(checkout=clone, shared=shared)
        told(system, "I like tea.")
        (root,) = system.storage_paths()
        system.erase(ALICE)
        assert not [path for path in root.rglob("users/*") if path.is_dir()]
        assert ("a data folder for each scope" in system.capabilities().interventions) is not shared
        system.close()


def test_sources_survive_a_reopening_and_a_reset_forgets(clone: str, tmp_path: Path) -> None:
    """They are kept in a file beside the store."""
    system = MemoryOS(checkout=clone, path=str(tmp_path / "home"))
    system.ingest([turn("a", "I like tea."), turn("b", "Yes.")], ALICE)
    system.reopen()
    assert ["a", "b"] in system._sources.values()
    system.reset()
    assert not system._sources
    assert not list(system.dump(Scope("anyone")))
    system.close()
