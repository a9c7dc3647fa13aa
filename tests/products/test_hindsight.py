"""Hindsight: its engine is played by a double, its Postgres by a script; where it is installed, by themselves."""

from __future__ import annotations

import os
from contextlib import closing, suppress
from datetime import datetime
from itertools import count
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.errors import CallFailed, ConfigError
from memgauge.products.hindsight import adapter as hindsight
from memgauge.products.hindsight import engine as engines
from memgauge.products.hindsight.adapter import Hindsight
from memgauge.products.hindsight.pg0 import unpacked
from memgauge.records import Operation
from support.products import ALICE, BOB, opened, recalls_and_forgets, told, turn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


PG0 = """#!/bin/sh
[ -e "$HOME/broken" ] && { echo "no space left" >&2; exit 1; }
mkdir -p "$HOME/.pg0/installation/18.1.0/bin" "$HOME/data"
echo "$@" >> "$HOME/said"
"""


class RefusedError(Exception):
    """What Hindsight raises of a bank that nobody made."""

    def __init__(self, status: int) -> None:
        super().__init__(f"HTTP {status}")
        self.status_code = status


class BankEngine:
    """What the adapter calls of Hindsight's engine: units of banks, cut from documents at full stops."""

    def __init__(self) -> None:
        self.banks: dict[str, dict[str, dict[str, Any]]] = {}
        self.asked: list[dict[str, Any]] = []
        self.said: list[str] = []
        self.refuses = 404
        self.draws: list[tuple[str, list[str]]] = []
        """Observations that come with the next document, each with what it is made of."""
        self._numbers = count()

    def start(self) -> str:
        """Start its Postgres."""
        self.said.append("started")
        return "postgresql://somewhere"

    async def initialize(self) -> None:
        """Connect."""
        self.said.append("connected")

    async def connect(self, address: str) -> BankEngine:
        """Open a connection to its Postgres, which is closed as the engine is."""
        self.said.append(f"to {address}")
        return self

    async def execute(self, statement: str) -> None:
        """Let Postgres do something."""
        self.said.append(statement)

    async def close(self) -> None:
        """Let go."""
        self.said.append("closed")

    def _bank(self, bank: str) -> dict[str, dict[str, Any]]:
        if bank not in self.banks:
            raise RefusedError(self.refuses)
        return self.banks[bank]

    async def retain_batch_async(
        self, bank: str, contents: list[dict[str, Any]], *, request_context: object
    ) -> None:
        """Keep documents in the place of those with their ids; one with the same text stays."""
        units = self.banks.setdefault(bank, {})
        for content in contents:
            pieces = [piece.strip() for piece in content["content"].split("|")]
            old = [name for name, unit in units.items() if unit["document_id"] == content["document_id"]]
            if [units[name]["text"] for name in old] == pieces:
                continue
            for name in old:
                del units[name]
            for piece in pieces:
                self.add(bank, piece, content)
            while self.draws:
                text, below = self.draws.pop()
                self.add(bank, text, {}, below)

    def add(self, bank: str, text: str, content: dict[str, Any], below: list[str] | None = None) -> None:
        """Keep one unit; an observation names those below it."""
        at = content.get("event_date")
        name = f"u{next(self._numbers)}"
        self.banks[bank][name] = {
            "id": name,
            "text": text,
            "document_id": content.get("document_id"),
            "mentioned_at": at.isoformat() if at else None,
            "fact_type": "observation" if below else "world",
            "metadata": content.get("metadata"),
            "source_memory_ids": below or [],
        }

    async def list_memory_units(
        self, bank: str, *, limit: int, offset: int, request_context: object, **chosen: str
    ) -> dict[str, Any]:
        """List units, the newest first."""
        units = [unit for unit in self._bank(bank).values() if chosen.items() <= unit.items()]
        return {"items": units[::-1][offset : offset + limit], "total": len(units)}

    async def recall_async(self, bank: str, query: str, **asked: Any) -> SimpleNamespace:
        """Return units that share a word, and what observations rest on."""
        self.asked.append(asked)
        words = set(query.lower().split())
        units = [unit for unit in self._bank(bank).values() if words & set(unit["text"].lower().split())]
        facts = [
            SimpleNamespace(
                **{name: value for name, value in unit.items() if name != "source_memory_ids"},
                source_fact_ids=unit["source_memory_ids"],
                scores=SimpleNamespace(final=1 / (1 + place)),
            )
            for place, unit in enumerate(units)
        ]
        sources = {
            name: SimpleNamespace(document_id=unit["document_id"]) for name, unit in self.banks[bank].items()
        }
        return SimpleNamespace(results=facts, source_facts=sources)

    async def update_memory_unit(self, bank: str, name: str, *, text: str, request_context: object) -> None:
        """Change the text of a unit."""
        self.banks[bank][name]["text"] = text

    async def delete_memory_units(self, names: list[str], *, bank_id: str, request_context: object) -> None:
        """Remove units."""
        for name in names:
            del self.banks[bank_id][name]

    async def delete_bank(self, bank: str, *, request_context: object) -> None:
        """Remove a bank."""
        self.banks.pop(bank, None)


@pytest.fixture
def double(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> BankEngine:
    """Stand in for the engine, for Postgres and for the tables of an empty store."""
    made = BankEngine()
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "PG_VERSION").write_text("18", encoding="utf-8")
    shapes = SimpleNamespace(
        RequestContext=lambda internal: internal,
        OperationValidationError=RefusedError,
        Budget=SimpleNamespace(HIGH="high"),
        connect=made.connect,
    )
    server = SimpleNamespace(start=made.start, stop=lambda: made.said.append("stopped"))
    monkeypatch.setattr(hindsight, "product", lambda _: shapes)
    monkeypatch.setattr(hindsight, "engine", lambda *_, **__: made)
    monkeypatch.setattr(hindsight, "tables", lambda *_: tmp_path / "tables")
    monkeypatch.setattr(hindsight, "programs", lambda: (tmp_path, tmp_path))
    monkeypatch.setattr(hindsight, "Postgres", lambda *_: server)
    monkeypatch.setattr("memgauge.systems.adapters.product_store.version", lambda _: "1.1.0")
    return made


@pytest.fixture
def store(double: BankEngine) -> Iterator[Hindsight]:
    """Open the raw lane."""
    with closing(Hindsight()) as system:
        yield system


def test_a_turn_is_a_document_whose_pieces_name_it(store: Hindsight, double: BankEngine) -> None:
    """With its time and its role; a store's folder holds a copy of the tables."""
    told(store, "I sing.|I dance.", "I hum.")
    memories = list(store.dump(ALICE))
    assert [(memory.text, memory.sources) for memory in memories] == [
        ("I sing.", ("t0",)),
        ("I dance.", ("t0",)),
        ("I hum.", ("t1",)),
    ]
    assert {(memory.event_at, memory.channel) for memory in memories} == {(datetime(2023, 5, 8, 10), "user")}  # noqa: DTZ001 - turns are naive
    (folder,) = store.storage_paths()
    assert (folder / "data" / "PG_VERSION").is_file()
    assert not list(store.dump(BOB))


def test_receipts_say_what_a_document_took_the_place_of(store: Hindsight) -> None:
    """The same again is nothing new; other words end the former pieces."""
    first, again, changed = (
        store.ingest([turn("t0", text)], ALICE).changes for text in ("I sing.", "I sing.", "I hum.")
    )
    assert first is not None
    (added,) = first
    assert [(change.op, change.memory) for change in again or ()] == [(Operation.NOOP, added.memory)]
    assert [change.op for change in changed or ()] == [Operation.DELETE, Operation.ADD]


def test_a_search_is_cut_to_k_and_knows_the_moment_of_asking(store: Hindsight, double: BankEngine) -> None:
    """A bank that nobody made holds nothing; whatever else is refused is a failure."""
    told(store, "bees and goats", "bees and hens", "bees and cows")
    at = datetime(2024, 1, 1)  # noqa: DTZ001 - turns are naive
    hits = store.search("bees", ALICE, 2, as_of=at).hits
    assert [(hit.memory.sources, hit.score) for hit in hits] == [(("t0",), 1.0), (("t1",), 0.5)]
    (asked,) = double.asked
    assert (asked["budget"], asked["question_date"].isoformat()) == ("high", "2024-01-01T00:00:00+00:00")
    assert not store.search("bees", BOB, 2).hits
    assert not store.search("bees", ALICE, 0).hits
    double.refuses = 403
    with pytest.raises(RefusedError):
        store.search("bees", BOB, 2)
    with pytest.raises(RefusedError):
        list(store.dump(BOB))


def test_memories_are_changed_and_removed_in_their_bank_alone(store: Hindsight) -> None:
    """Ids of another scope, or of nobody, change nothing."""
    told(store, "I sing.", "I dance.")
    sing, dance = (memory.id for memory in store.dump(ALICE))
    assert [store.update(sing, "I hum.", scope).changes[0].op for scope in (BOB, ALICE)] == [  # type: ignore[index] # it says what it did
        Operation.NOOP,
        Operation.UPDATE,
    ]
    assert [store.delete([dance, "absent"], scope) for scope in (BOB, ALICE)] == [0, 1]
    assert [memory.text for memory in store.dump(ALICE)] == ["I hum."]
    store.erase(ALICE)
    assert not list(store.dump(ALICE))


def test_observations_rest_on_the_turns_of_what_they_were_made_of(
    double: BankEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a list and in an answer; they are Hindsight's own and are not changed."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    with closing(Hindsight(lane="extract")) as system:
        told(system, "Ada keeps bees", "Ada keeps goats")
        (bank,) = double.banks
        double.draws = [("Ada keeps animals", [*double.banks[bank]])]
        changes = system.ingest([turn("t2", "Ada sings")], ALICE).changes
        assert [change.op for change in changes or ()] == [Operation.ADD, Operation.ADD]
        assert [change.op for change in system.ingest([turn("t2", "Ada sings")], ALICE).changes or ()] == [
            Operation.NOOP
        ]
        (observed,) = (memory for memory in system.dump(ALICE) if memory.channel == "observation")
        assert observed.sources == ("t0", "t1")
        hits = [hit.memory for hit in system.search("Ada keeps", ALICE, 9).hits]
        assert {memory.sources for memory in hits if memory.channel == "observation"} == {("t0", "t1")}
        assert system.update(observed.id, "no", ALICE).changes[0].op is Operation.NOOP  # type: ignore[index] # it says what it did
        assert system.capabilities().needs == ("llm",)


def test_statistics_are_gathered_when_a_session_ends(store: Hindsight, double: BankEngine) -> None:
    """Not when Postgres comes to it: what is found follows from them, and must not from how busy a machine is."""
    told(store, "I sing.")
    double.said.clear()
    store.flush(ALICE, 1)
    assert double.said == ["started", "to postgresql://somewhere", "ANALYZE", "closed"]
    assert any("statistics" in change for change in store.capabilities().interventions)


def test_a_store_is_closed_before_its_postgres(double: BankEngine) -> None:
    """Also where it is opened again or emptied."""
    with closing(Hindsight()) as system:
        system.reopen()
        system.reset()
    life = ["started", "connected", "closed", "stopped"]
    assert double.said == life * 3


def test_a_lane_that_is_none_is_named(double: BankEngine) -> None:
    """And the one that asks a model wants its address."""
    with pytest.raises(ConfigError, match="no lane 'deep'"):
        Hindsight(lane="deep")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("OPENAI_BASE_URL", raising=False)
        patch.delenv("OPENAI_API_KEY", raising=False)
        with pytest.raises(ConfigError, match="none is named"):
            Hindsight(lane="extract")


# Its Postgres.


def test_pg0_unpacks_once_and_stops_what_it_started(tmp_path: Path) -> None:
    """Into the folder that is given, heard on no port, where two would meet; what it says of a failure is said."""
    (tmp_path / "pg0").write_text(PG0, encoding="utf-8")
    (tmp_path / "pg0").chmod(0o755)
    (tmp_path / "own").mkdir()
    assert unpacked(tmp_path / "pg0", tmp_path / "own") == (
        tmp_path / "own" / ".pg0" / "installation" / "18.1.0",
        tmp_path / "own" / "data",
    )
    start, stop = (tmp_path / "own" / "said").read_text(encoding="utf-8").splitlines()
    assert start.startswith("start ")
    assert start.endswith(f"-c listen_addresses= -c unix_socket_directories={tmp_path / 'own'}")
    assert stop == "stop --name memgauge"
    (tmp_path / "own" / "broken").touch()
    with pytest.raises(CallFailed, match="pg0 start failed: no space left"):
        unpacked(tmp_path / "pg0", tmp_path / "own")


def test_an_engine_is_set_up_for_its_lane(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a model by the provider that is none; with the embedder that is named here."""
    made: dict[str, Any] = {}
    shapes = SimpleNamespace(
        clear_config_cache=lambda: None,
        MemoryEngine=made.update,
        Embeddings=object,
        SyncTaskBackend=SimpleNamespace,
    )
    monkeypatch.setattr(engines, "product", lambda _: shapes)
    monkeypatch.setattr(os, "environ", {**os.environ})
    vectors: Any = SimpleNamespace(dim=2, embed=lambda texts: [[1.0, 0.0] for _ in texts])
    asked: Any = SimpleNamespace(url="http://127.0.0.1:9/v1", key="unused")
    engines.engine("address", vectors, None, asked, migrates=False)
    assert (made["memory_llm_provider"], made["run_migrations"]) == ("none", False)
    assert os.environ["HINDSIGHT_API_LLM_PROVIDER"] == "none"
    engines.engine("address", vectors, "small", asked, migrates=True)
    assert (made["memory_llm_provider"], made["memory_llm_model"]) == ("openai", "small")
    embeddings = made["embeddings"]
    assert embeddings.dimension == 2
    with pytest.raises(StopIteration) as ended:
        embeddings.encode(["a"]).send(None)
    assert ended.value.value == [[1.0, 0.0]]
    with suppress(StopIteration):
        embeddings.initialize().send(None)


@pytest.mark.slow
def test_the_installed_product_recalls_what_it_was_told() -> None:
    """Where its environment exists: each turn is found, also after reopening; and nothing of an erased scope."""
    with opened("hindsight:start=600") as system:
        recalls_and_forgets(system)
