from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from memgauge.products.a_mem.adapter import AMem
from memgauge.records import ScoreKind
from support.products import ALICE, BOB, told

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CHROMA = """
COLLECTIONS = {}

class Client:
    def __init__(self, settings=None):
        pass
    def reset(self):
        COLLECTIONS.clear()
"""
RETRIEVERS = """
import chromadb

class ChromaRetriever:
    def __init__(self, collection_name="memories", model_name=""):
        self.client, self.name = chromadb.Client(), collection_name
        chromadb.COLLECTIONS.setdefault(collection_name, {})
        self.rows = chromadb.COLLECTIONS[collection_name]
    def search(self, query, k):
        if chromadb.COLLECTIONS.get(self.name) is not self.rows:
            raise RuntimeError("Collection does not exist.")
        found = list(self.rows.items())[:k]
        return {"ids": [[key for key, _ in found]], "documents": [[text for _, text in found]],
                "distances": [[0.5] * len(found)]}
"""
SYSTEM = """
from transformers import AutoModel
from .retrievers import ChromaRetriever

class Note:
    def __init__(self, content):
        self.content = content

class AgenticMemorySystem:
    def __init__(self, llm_model):
        ChromaRetriever(collection_name="memories").client.reset()
        self.retriever, self.memories = ChromaRetriever(collection_name="memories"), {}
    def add_note(self, content, time=None, id=None):
        assert time == "202305081000"
        self.memories[id], self.retriever.rows[id] = Note(content), content
    def update(self, id, content):
        self.memories[id].content = self.retriever.rows[id] = content
    def delete(self, id):
        self.retriever.rows.pop(id, None)
        return self.memories.pop(id, None) is not None
"""


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Write a checkout that has the shape of the real one, with the collection that all systems share."""
    files = {
        "agentic_memory/__init__.py": "",
        "agentic_memory/memory_system.py": SYSTEM,
        "agentic_memory/retrievers.py": RETRIEVERS,
        "chromadb/__init__.py": CHROMA,
        "chromadb/config.py": "class Settings:\n    def __init__(self, **options):\n        pass\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "ANONYMIZED_TELEMETRY", "LITELLM_LOCAL_MODEL_COST_MAP"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/v1")
    for name in ("sentence_transformers", "transformers"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield str(tmp_path)
    for name in [one for one in sys.modules if one.partition(".")[0] in {"agentic_memory", "chromadb"}]:
        del sys.modules[name]


def test_every_turn_is_a_note_of_its_own(clone: str) -> None:
    """Ids and times are the turns', and notes can be changed and removed."""
    system = AMem(checkout=clone)
    assert not system.search("sing", ALICE, 5).hits
    told(system, "I sing.", "I dance.")
    assert [(one.id, one.text, one.sources) for one in system.dump(ALICE)] == [
        ("t0", "I sing.", ("t0",)),
        ("t1", "I dance.", ("t1",)),
    ]
    ranking = system.search("sing", ALICE, 1)
    assert (len(ranking.hits), ranking.score_kind) == (1, ScoreKind.DISTANCE)
    assert not system.search("sing", ALICE, 0).hits
    system.update("t0", "I hum.", ALICE)
    assert system.delete(["t1", "t1", "other"], ALICE) == 1
    assert [one.text for one in system.dump(ALICE)] == ["I hum."]
    system.erase(ALICE)
    assert not list(system.dump(ALICE))
    system.reset()
    assert not system.search("sing", ALICE, 5).hits
    assert system.capabilities().needs == ("llm",)
    system.close()


def test_a_second_scope_empties_the_first_unless_it_is_patched(clone: str) -> None:
    """That is how the product is; the remedy is declared."""
    system = AMem(checkout=clone)
    told(system, "I sing.")
    told(system, "I dance.", scope=BOB)
    with pytest.raises(RuntimeError, match="does not exist"):
        system.search("sing", ALICE, 5)
    patched = AMem(checkout=clone, patched=True)
    told(patched, "I sing.")
    told(patched, "I dance.", scope=BOB)
    assert [hit.memory.text for hit in patched.search("sing", ALICE, 5).hits] == ["I sing."]
    assert any("never cleared" in one for one in patched.capabilities().interventions)
    assert not any("never cleared" in one for one in system.capabilities().interventions)
