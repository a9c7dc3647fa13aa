"""Cognee: every turn is a document of a dataset, whose chunks and summaries are searched with their distances.

A chunk names its document, whose id is ours, and a summary names its chunk, so that lineage is Cognee's own. A
scope is a dataset. Datasets are kept apart by access control, which ``access_control=false`` switches off: then a
search reads every dataset, whatever it is asked.
"""

from __future__ import annotations

import gc
import json
import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from uuid import NAMESPACE_URL, UUID, uuid5

from memgauge.records import Form, Hit, Memory, Receipt, ScoreKind
from memgauge.systems.adapters.endpoints import endpoint
from memgauge.systems.adapters.folders import StoreFolders
from memgauge.systems.adapters.loops import PrivateLoop, on_loop
from memgauge.systems.adapters.product_store import OnDisk, hashed, installed, product
from memgauge.systems.adapters.vectors import open_vectors
from memgauge.systems.protocol import Capabilities, Consistency
from memgauge.text.jsons import json_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.records import Scope, Turn

CHANNELS = {"CHUNKS": Form.UNKNOWN, "SUMMARIES": Form.SUMMARY}
EVERYTHING = 10_000
_SOURCES = "memgauge-sources.json"


class Cognee(OnDisk):
    """Keeps turns as documents of Cognee, with what its model draws from them."""

    name = "cognee"
    pin = "cognee==1.6.5"
    promises = Capabilities(consistency=Consistency.FLUSH, score_kind=ScoreKind.DISTANCE, declares_sources=True)
    interventions: tuple[str, ...] = (
        "telemetry off",
        "databases in its own process, and not in two more for each dataset",
        "tokens counted with the tables that its packages hold",
        "chunks and summaries merged by their distances",
        "listed by a search for everything",
        "update by forgetting a document and adding it again",
    )
    _first: ClassVar[StoreFolders | None] = None
    """What Cognee read when it was imported: the databases of a process lie there, whoever opens them."""

    def __init__(
        self,
        *,
        model: str = "gpt-4.1-mini",
        embedder: str = "hashed",
        access_control: bool = True,
        path: str = "",
    ) -> None:
        """Open the store at *path*, or an empty one in a temporary folder; a process has one.

        Raises:
            MissingExtraError: Cognee is not installed here.
            ConfigError: No address of a model is named.
        """
        self.version = installed(self.name, self.pin)
        asked = endpoint(self.name)
        self._model, self._access_control = model, access_control
        self.interventions += () if access_control else ("access control off",)
        self._vectors = open_vectors(embedder)
        is_first = Cognee._first is None
        self._home = Cognee._first or StoreFolders(self.name, path)
        Cognee._first = self._home
        os.environ.update(
            _settings(self._home.root)
            | {
                "LLM_PROVIDER": "custom",
                "LLM_MODEL": f"openai/{model}",
                "LLM_ENDPOINT": asked.url,
                "LLM_API_KEY": asked.key,
                "EMBEDDING_DIMENSIONS": str(self._vectors.dim),
                "ENABLE_BACKEND_ACCESS_CONTROL": str(access_control).lower(),
            }
        )
        self._product = product("cognee")
        if is_first:
            gc.freeze()  # hundreds of thousands of objects that stay
        self._embed_here()
        self._loop = PrivateLoop(self.name)
        self._open()

    def _open(self) -> None:
        file = self._home.root / _SOURCES
        known: dict[str, Any] = json_file(file) if file.is_file() else {}
        self._turns: dict[str, str] = known.get("turns", {})
        """The turn of every document."""
        self._datasets: set[str] = set(known.get("datasets", ()))
        self._waiting: set[str] = set()
        self._documents: dict[str, str] = {}
        """The document of every chunk that was seen."""

    def _write(self) -> None:
        known = {"turns": self._turns, "datasets": sorted(self._datasets)}
        (self._home.root / _SOURCES).write_text(json.dumps(known))

    def _embed_here(self) -> None:
        """Let Cognee's embedding engine be the embedder that is named here."""
        vectors = self._vectors
        folder = "cognee.infrastructure.databases.vector.embeddings"
        engine = product(f"{folder}.OpenAICompatibleEmbeddingEngine").OpenAICompatibleEmbeddingEngine
        result = product(f"{folder}.EmbeddingEngine").EmbeddingResult

        async def embed_text(_: Any, text: list[str]) -> Any:
            return result(vectors.embed(text), tokens=0)

        engine.embed_text = embed_text

    @on_loop
    async def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Add one document a turn; what is drawn from them is drawn by ``flush``."""
        await self._add({turn.id: turn.text for turn in turns}, scope)
        return Receipt()

    async def _add(self, texts: Mapping[str, str], scope: Scope) -> None:
        dataset, item = hashed(scope), product("cognee.tasks.ingestion.data_item").DataItem
        self._datasets.add(dataset)
        self._waiting.add(dataset)
        items = []
        for turn, text in texts.items():
            document = uuid5(NAMESPACE_URL, f"{dataset}/{turn}")
            self._turns[str(document)] = turn
            items.append(item(text or " ", label=turn, data_id=document, literal_text=True))
        await self._product.add(items, dataset_name=dataset)
        self._write()

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Let Cognee draw chunks, summaries and a graph from what was added."""
        dataset = hashed(scope)
        if dataset in self._waiting:
            self._loop.run(self._product.cognify([dataset]), timeout_s)
            self._waiting.discard(dataset)

    def _notes(self) -> tuple[str, ...]:
        return ("chunks and summaries merged by distance",)

    def _hits(self, query: str, scope: Scope, k: int) -> list[Hit]:
        near = self._near(query, scope, k)
        return sorted(near, key=lambda hit: (hit.score, hit.memory.channel, hit.memory.id))[:k]

    def dump(self, scope: Scope) -> Iterator[Memory]:
        """List chunks and summaries."""
        return (hit.memory for hit in self._near("everything", scope, EVERYTHING))

    @on_loop
    async def _near(self, query: str, scope: Scope, k: int) -> list[Hit]:
        dataset, hits = hashed(scope), list[Hit]()
        if self._access_control and dataset not in self._datasets:
            return hits  # a dataset that does not exist cannot be asked
        for channel, form in CHANNELS.items():
            rows = await self._ask(query, dataset, channel, k)
            hits += [Hit(self._memory(row, channel, form), float(row["score"])) for row in rows]
        return hits

    async def _ask(self, query: str, dataset: str, channel: str, k: int) -> list[dict[str, Any]]:
        kind = getattr(self._product.SearchType, channel)
        asked = {"datasets": [dataset]} if dataset in self._datasets else {}
        rows: list[dict[str, Any]] = []
        for part in await self._product.search(query, query_type=kind, top_k=k, **asked):
            rows += part["search_result"] if isinstance(part, dict) and "search_result" in part else [part]
        return rows

    def _memory(self, row: dict[str, Any], channel: str, form: Form) -> Memory:
        if channel == "CHUNKS":
            self._documents[str(row["id"])] = str(row["document_id"])
        document = self._documents.get(str(row["id"] if channel == "CHUNKS" else row["source_chunk_id"]), "")
        turn = self._turns.get(document)
        return Memory(str(row["id"]), str(row["text"]), form, (turn,) if turn else (), channel=channel.lower())

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Replace the document of a chunk."""
        list(self.dump(scope))  # so that every chunk's document is known
        if document := self._documents.get(memory):
            turn = self._turns[document]
            self._forget(document, scope)
            self._loop.run(self._add({turn: text}, scope))
            self.flush(scope, 300)
        return Receipt()

    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Forget the documents of chunks, with all that was drawn from them."""
        rows = {memory.id: memory for memory in self.dump(scope)}
        gone = [memory for memory in dict.fromkeys(memories) if memory in rows]
        turns = {turn for memory in gone for turn in rows[memory].sources}
        for document in [key for key, turn in self._turns.items() if turn in turns]:
            if document in set(self._documents.values()):
                self._forget(document, scope)
        return len(gone)

    def _forget(self, document: str, scope: Scope) -> None:
        self._loop.run(self._product.forget(data_id=UUID(document), dataset=hashed(scope)))
        self._documents = {chunk: whole for chunk, whole in self._documents.items() if whole != document}

    def erase(self, scope: Scope) -> None:
        """Forget a dataset."""
        dataset = hashed(scope)
        if dataset in self._datasets:
            self._loop.run(self._product.forget(dataset=dataset))
            self._datasets.discard(dataset)
            self._waiting.discard(dataset)
            self._write()

    @on_loop
    async def _shut(self) -> None:
        """Close the databases and wait for it: one that closes late harms the next one of its name."""
        folder = "cognee.infrastructure.databases"
        modules = (
            (f"{folder}.graph.get_graph_engine", "_create_graph_engine"),
            (f"{folder}.vector.create_vector_engine", "_create_vector_engine"),
        )
        engines = [product(module).__dict__[cached] for module, cached in modules]
        for each in engines:
            each.cache_clear()
        gc.collect()  # what a failed call holds is closed once that has gone
        for each in engines:
            await each.cache_await_closed()

    def reset(self) -> None:
        """Forget every dataset, as Cognee does it; its tables stay."""
        if (self._home.root / "system").exists():
            self._shut()
            self._loop.run(self._product.forget(everything=True))
        (self._home.root / _SOURCES).unlink(missing_ok=True)
        self._open()

    def close(self) -> None:
        """Stop the loop; a temporary folder goes with the process, which holds it open."""
        self._loop.close()


def _settings(root: Path) -> dict[str, str]:
    """Return what Cognee reads when it is imported: folders, no telemetry, tables of tokens that are at hand."""
    litellm = find_spec("litellm")
    held = Path(litellm.origin).parent if litellm and litellm.origin else None
    tables = held / "litellm_core_utils" / "tokenizers" if held else root
    return {
        "TELEMETRY_DISABLED": "1",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "TIKTOKEN_CACHE_DIR": str(tables),
        "DATA_ROOT_DIRECTORY": str(root / "data"),
        "SYSTEM_ROOT_DIRECTORY": str(root / "system"),
        "CACHE_ROOT_DIRECTORY": str(root / "cache"),
        "COGNEE_LOGS_DIR": str(root / "logs"),
        "LOG_LEVEL": "ERROR",
        "COGNEE_SKIP_CONNECTION_TEST": "true",
        "GRAPH_DATABASE_SUBPROCESS_ENABLED": "false",
        "VECTOR_DB_SUBPROCESS_ENABLED": "false",
        "EMBEDDING_PROVIDER": "openai_compatible",
        "EMBEDDING_MODEL": "text-embedding-3-small",  # unknown names are looked up at a hub, again and again
        "EMBEDDING_ENDPOINT": "http://127.0.0.1:9/v1",
        "EMBEDDING_API_KEY": "unused",
    }
