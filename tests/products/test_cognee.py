from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

import pytest

from memgauge.products.cognee import adapter as cognee
from memgauge.products.cognee.adapter import Cognee
from memgauge.records import Form, ScoreKind
from memgauge.systems.adapters.product_store import product
from support.products import ALICE, BOB, told, turn


class Product:
    """What the adapter calls of Cognee: documents by dataset, of which ``cognify`` makes a chunk and a summary."""

    SearchType = SimpleNamespace(CHUNKS="CHUNKS", SUMMARIES="SUMMARIES")

    def __init__(self) -> None:
        self.added: dict[str, dict[str, str]] = {}
        self.ready: dict[str, dict[str, str]] = {}
        self.calls = self.closed = self.awaited = 0
        self.engine: Any = type("Engine", (), {})
        """Cognee's client of an embedding service."""

    async def add(self, items: list[Any], *, dataset_name: str) -> None:
        """Keep documents."""
        self.calls += 1
        self.added.setdefault(dataset_name, {}).update({str(one.data_id): one.data for one in items})

    async def cognify(self, datasets: list[str]) -> None:
        """Make what was added searchable."""
        for name in datasets:
            self.ready[name] = dict(self.added[name])

    async def search(
        self, query: str, *, query_type: str, top_k: int, datasets: list[str] | None = None
    ) -> list[Any]:
        """Return chunks or summaries of the datasets asked for, or of all."""
        rows = []
        for name in datasets or list(self.ready):
            for key, text in self.ready.get(name, {}).items():
                own = {"id": f"{query_type}-{key}", "text": text, "score": 0.1 * len(text)}
                chunk = {"document_id": key} if query_type == "CHUNKS" else {"source_chunk_id": f"CHUNKS-{key}"}
                rows.append({**own, **chunk})
        return [{"search_result": rows[:top_k]}] if datasets else rows[:top_k]

    async def forget(self, *, dataset: str = "", data_id: object = None, everything: bool = False) -> None:
        """Forget a document, a dataset or all."""
        for kept in (self.added, self.ready):
            if everything:
                kept.clear()
            elif data_id is None:
                kept.pop(dataset, None)
            else:
                kept[dataset].pop(str(data_id), None)

    def cache_clear(self) -> None:
        """Count how often databases were let go."""
        self.closed += 1

    async def cache_await_closed(self) -> None:
        """Count how often that was waited for."""
        self.awaited += 1


@pytest.fixture(autouse=True)
def double(monkeypatch: pytest.MonkeyPatch) -> Product:
    """Stand in for the product."""
    made = Product()
    kept = {"_create_graph_engine": made, "_create_vector_engine": made}
    modules = {
        "cognee": made,
        "OpenAICompatibleEmbeddingEngine": SimpleNamespace(OpenAICompatibleEmbeddingEngine=made.engine),
        "EmbeddingEngine": SimpleNamespace(EmbeddingResult=lambda rows, tokens: (rows, tokens)),
        "data_item": SimpleNamespace(DataItem=lambda data, **told: SimpleNamespace(data=data, **told)),
        "get_graph_engine": SimpleNamespace(**kept),
        "create_vector_engine": SimpleNamespace(**kept),
    }
    monkeypatch.setattr(cognee, "product", lambda name: modules.get(name.rpartition(".")[2]) or product(name))
    monkeypatch.setattr("memgauge.systems.adapters.product_store.version", lambda _: "1.6.5")
    monkeypatch.setattr(Cognee, "_first", None)
    monkeypatch.setattr(os, "environ", {**os.environ, "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"})
    return made


def test_chunks_and_summaries_lead_back_to_their_turns(double: Product) -> None:
    """A chunk by its document, a summary by its chunk; the nearest comes first."""
    system = Cognee()
    told(system, "I sing in Oslo.", "I dance.")
    stored = {(one.text, one.channel): one for one in system.dump(ALICE)}
    assert len(stored) == 4
    assert stored["I dance.", "summaries"].sources == ("t1",)
    assert stored["I dance.", "summaries"].form is Form.SUMMARY
    ranking = system.search("dance", ALICE, 3)
    assert [hit.memory.text for hit in ranking.hits] == ["I dance.", "I dance.", "I sing in Oslo."]
    assert ranking.score_kind is ScoreKind.DISTANCE
    assert not system.search("dance", ALICE, 0).hits
    assert not list(system.dump(BOB))
    system.flush(ALICE, 60)
    assert "telemetry off" in system.capabilities().interventions
    assert os.environ["LLM_ENDPOINT"] == "http://127.0.0.1:9/v1"
    system.close()
    assert double.ready


def test_turns_that_come_together_are_added_together(double: Product) -> None:
    """One call adds what one call was given; every turn stays a document of its own."""
    system = Cognee()
    turns = [turn(f"t{number}", f"I sing {number} songs.") for number in range(3)]
    system.ingest(turns, ALICE)
    system.flush(ALICE, 60)
    assert double.calls == 1
    assert {one.sources for one in system.dump(ALICE)} == {(one.id,) for one in turns}
    system.close()


def test_nothing_is_looked_up_and_no_database_is_a_process_of_its_own() -> None:
    """The embedding model has a name whose tokens are counted with a table at hand."""
    system = Cognee()
    assert os.environ["EMBEDDING_MODEL"].startswith("text-embedding-3")
    assert os.environ["GRAPH_DATABASE_SUBPROCESS_ENABLED"] == "false"
    assert os.environ["VECTOR_DB_SUBPROCESS_ENABLED"] == "false"
    assert any("databases in its own process" in one for one in system.capabilities().interventions)
    system.close()


def test_documents_are_replaced_forgotten_and_erased(double: Product) -> None:
    """What was drawn from a document goes with it."""
    system = Cognee()
    told(system, "I sing.", "I dance.")
    chunk = next(one for one in system.dump(ALICE) if one.text == "I sing." and one.channel == "chunks")
    system.update(chunk.id, "I hum.", ALICE)
    system.update("unknown", "I run.", ALICE)
    assert {one.text for one in system.dump(ALICE)} == {"I hum.", "I dance."}
    gone = [one.id for one in system.dump(ALICE) if one.text == "I hum." and one.channel == "chunks"]
    assert system.delete([*gone, "unknown"], ALICE) == 1
    assert {one.text for one in system.dump(ALICE)} == {"I dance."}
    system.erase(BOB)
    system.erase(ALICE)
    assert not list(system.dump(ALICE))
    assert not double.ready
    system.close()


def test_what_is_known_of_documents_survives_a_reopening(double: Product) -> None:
    """It lies beside the databases; a reset forgets it and every dataset."""
    system = Cognee()
    told(system, "I sing.")
    system.reopen()
    assert (double.closed, double.awaited) == (2, 2)
    assert {one.sources for one in system.dump(ALICE)} == {("t0",)}
    (system.storage_paths()[0] / "system").mkdir()
    system.reset()
    assert (double.closed, double.awaited) == (4, 4)
    assert not double.ready
    assert not list(system.dump(ALICE))
    system.close()


def test_without_access_control_every_dataset_is_read() -> None:
    """That is how the product is where it is switched off."""
    system = Cognee(access_control=False)
    told(system, "I sing.")
    assert {hit.memory.text for hit in system.search("sing", BOB, 10).hits} == {"I sing."}
    assert "access control off" in system.capabilities().interventions
    system.close()


def test_vectors_are_those_of_the_embedder_that_is_named(double: Product) -> None:
    """Cognee's engine is asked and answers with them."""
    system = Cognee()
    rows, tokens = system._loop.run(double.engine().embed_text(["a garden"]))
    assert (len(rows[0]), tokens) == (256, 0)
    system.close()
