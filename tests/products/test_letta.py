from __future__ import annotations

import os
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.products.letta import adapter as letta
from memgauge.products.letta.adapter import Letta
from support.postgres import write_programs
from support.products import ALICE, BOB, told

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


class AbsentError(Exception):
    """There is no such passage."""


class Server:
    """What the adapter calls of Letta and Postgres: agents by name, passages by id."""

    def __init__(self) -> None:
        self.agents: dict[str, SimpleNamespace] = {}
        self.passages: dict[str, SimpleNamespace] = {}
        self.statements: list[str] = []
        self.archive_manager = self.engine = self
        self.client: Any = type("Client", (), {})
        """Letta's client of an embedding service."""

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[Server]:
        """Begin a transaction."""
        yield self

    async def execute(self, statement: str) -> None:
        """Run a statement."""
        self.statements.append(statement)

    async def run_sync(self, _: object) -> None:
        """Make tables."""

    async def create_default_organization_async(self) -> None:
        """Make an organisation."""

    async def create_default_actor_async(self) -> SimpleNamespace:
        """Make a user."""
        return SimpleNamespace(organization_id="org")

    async def list_agents_async(self, *, actor: object, name: str = "", limit: int = 0) -> list[Any]:
        """List agents, all or one by name."""
        return [one for one in self.agents.values() if name in {"", one.name}]

    async def create_agent_async(self, wanted: SimpleNamespace, *, actor: object) -> SimpleNamespace:
        """Make an agent."""
        self.agents[wanted.name] = SimpleNamespace(
            id=wanted.name, name=wanted.name, embedding_config=wanted.embedding_config
        )
        return self.agents[wanted.name]

    async def delete_agent_async(self, agent: str, *, actor: object) -> None:
        """Remove an agent."""
        del self.agents[agent]

    async def get_or_create_default_archive_for_agent_async(self, *, agent_state: Any, actor: object) -> Any:
        """Return the archive of an agent."""
        return SimpleNamespace(id=agent_state.id)

    async def create_agent_passage_async(self, passage: SimpleNamespace, *, actor: object) -> None:
        """Keep a passage."""
        assert len(passage.embedding) == 256
        self.passages[passage.id] = passage

    async def get_agent_passage_by_id_async(self, passage: str, *, actor: object) -> SimpleNamespace:
        """Return a passage, or complain."""
        if passage not in self.passages:
            raise AbsentError
        return self.passages[passage]

    async def delete_agent_passage_by_id_async(self, passage: str, *, actor: object) -> None:
        """Remove a passage."""
        del self.passages[passage]

    async def query_agent_passages_async(
        self, *, agent_id: str, limit: int, **_: Any
    ) -> list[tuple[Any, float, Any]]:
        """Return passages of an agent."""
        own = [one for one in self.passages.values() if one.archive_id == agent_id]
        return [(one, 0.0, {}) for one in own[:limit]]


@pytest.fixture(autouse=True)
def double(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Server:
    """Stand in for the product; its Postgres is a script."""
    made = Server()
    base = SimpleNamespace(metadata=SimpleNamespace(create_all=None))
    itself = dict.fromkeys(("PassageManager", "AgentManager", "OrganizationManager", "UserManager"), lambda: made)
    shapes = dict.fromkeys(("Passage", "EmbeddingConfig", "LLMConfig", "CreateAgent"), SimpleNamespace)
    module = SimpleNamespace(
        __file__=str(write_programs(tmp_path / "pginstall").with_name("__init__.py")),
        Base=base,
        text=str,
        engine=made,
        OpenAIClient=made.client,
        NoResultFound=AbsentError,
        **itself,
        **shapes,
    )
    monkeypatch.setattr(letta, "product", lambda _: module)
    monkeypatch.setattr("memgauge.systems.adapters.product_store.version", lambda _: "0.16.8")
    monkeypatch.setattr(Letta, "_first", None)
    monkeypatch.setattr(Letta, "_postgres", None)
    monkeypatch.setattr("memgauge.systems.adapters.rows._counted", {Letta})
    monkeypatch.setattr(os, "environ", {**os.environ})
    return made


def test_passages_are_tagged_with_their_turns(double: Server) -> None:
    """One agent a scope; passages can be changed and removed."""
    system = Letta()
    told(system, "I sing.", "I dance.")
    assert [(one.text, one.sources) for one in system.dump(ALICE)] == [("I sing.", ("t0",)), ("I dance.", ("t1",))]
    assert all(one.event_at is not None for one in system.dump(ALICE))
    assert len(system.search("sing", ALICE, 1).hits) == 1
    assert not list(system.dump(BOB))
    system.update(system.row_id("t0", ALICE), "I hum.", ALICE)
    assert {one.text for one in system.dump(ALICE)} == {"I hum.", "I dance."}
    assert system.delete([system.row_id("t1", ALICE)], BOB) == 0
    assert system.delete([system.row_id("t1", ALICE), "other"], ALICE) == 1
    address = os.environ["LETTA_PG_URI"]
    assert address.startswith("postgresql://postgres:memgauge@localhost/postgres?host=/")
    assert address.endswith("&sslmode=disable")
    assert os.environ["LETTA_DISABLE_SQLALCHEMY_POOLING"] == "false"
    assert len(system._loop.run(double.client().request_embeddings(["a"], None))[0]) == 256
    (served,) = system.storage_paths()[0].glob("postgres/postmaster.pid")
    system.close()
    assert not served.exists()
    assert double.statements[0] == "CREATE EXTENSION IF NOT EXISTS vector"


def test_an_erased_scope_loses_its_agent_and_a_reset_all(double: Server) -> None:
    """Agents that another process made are found by their names."""
    system = Letta()
    told(system, "I sing.")
    told(system, "I dance.", scope=BOB)
    system.erase(ALICE)
    assert [one.text for one in double.passages.values()] == ["I dance."]
    address = os.environ["LETTA_PG_URI"]
    system.reopen()
    assert os.environ["LETTA_PG_URI"] == address, "Letta reads it once"
    assert [one.text for one in system.dump(BOB)] == ["I dance."]
    system.reset()
    assert not double.agents
    assert not double.passages
    system.close()
