"""Letta's archival memory on a Postgres inside a folder: passages as they were said, tagged with their turns.

Only the store of passages is driven: an agent keeps core blocks and messages in its context and is not asked here.
Letta 0.16.8 is the last that is this server; later packages of the name are another product. Its tables are made
without the migrations that the package lacks. A process has one database.
"""

from __future__ import annotations

import atexit
import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from uuid import NAMESPACE_URL, uuid5

from memgauge.records import ScoreKind
from memgauge.systems.adapters.folders import scratch
from memgauge.systems.adapters.loops import PrivateLoop, on_loop
from memgauge.systems.adapters.postgres import Postgres, make_cluster
from memgauge.systems.adapters.product_store import EVERYTHING, OnDisk, hashed, product, spelled
from memgauge.systems.adapters.rows import RowStore, StoredTurn

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

    from memgauge.records import Scope
    from memgauge.systems.adapters.folders import StoreFolders

TURN, ROLE = "turn:", "role:"


class Letta(OnDisk, RowStore):
    """Keeps turns as passages of one Letta agent a scope."""

    name = "letta"
    pin = "letta==0.16.8"
    promises = replace(RowStore.promises, score_kind=ScoreKind.NONE)
    interventions = (
        "the Postgres of pgserver, a server a process, on a socket; tables made from the models",
        "ids of passages are made from the turns",
        "only archival memory is asked, without its agent",
        "connections to the database are kept: by default Letta makes one for each session of it",
        "reset deletes agents and passages: a process has one database",
    )
    _first: ClassVar[StoreFolders | None] = None
    """Where the database of this process lies, whoever opens it."""
    _postgres: ClassVar[Postgres | None] = None
    """Its server, whose address Letta reads once."""

    def __init__(self, *, embedder: str = "hashed", path: str = "") -> None:
        """Open the database at *path*, or an empty one in a temporary folder.

        Raises:
            MissingExtraError: Letta is not installed here.
        """
        self._loop = PrivateLoop(self.name)
        self._agents: dict[str, Any] = {}
        super().__init__(embedder=embedder, path=path)

    def _open(self) -> None:
        """Start Postgres on the folder, and make what is not there yet."""
        Letta._first = self._home = Letta._first or self._home
        Letta._postgres = self._server = Letta._postgres or _cluster(self._home.root / "postgres")
        atexit.register(self._server.stop)
        address = self._server.start().replace("@/", "@localhost/")
        os.environ["LETTA_PG_URI"] = f"{address}&sslmode=disable"  # a pool asks for TLS, which a socket has not
        os.environ["LETTA_DISABLE_SQLALCHEMY_POOLING"] = "false"
        os.environ.setdefault("LETTA_DIR", scratch("letta"))
        os.environ.setdefault("OPENAI_API_KEY", "unused")
        self._embed_here()
        self._passages = product("letta.services.passage_manager").PassageManager()
        self._managed = product("letta.services.agent_manager").AgentManager()
        self._make()
        self._agents.clear()

    @on_loop
    async def _make(self) -> None:
        """Make the tables, and the one user in whose name all is done."""
        base = product("letta.orm").Base
        text = product("sqlalchemy").text
        async with product("letta.server.db").engine.begin() as connection:
            await connection.execute(text("CREATE EXTENSION IF NOT EXISTS vector"))
            await connection.execute(text("CREATE SEQUENCE IF NOT EXISTS message_seq_id"))
            await connection.run_sync(base.metadata.create_all)
            numbered = "ALTER TABLE messages ALTER COLUMN sequence_id SET DEFAULT nextval('message_seq_id')"
            await connection.execute(text(numbered))
        await (
            product("letta.services.organization_manager")
            .OrganizationManager()
            .create_default_organization_async()
        )
        self._actor = await product("letta.services.user_manager").UserManager().create_default_actor_async()

    def _embed_here(self) -> None:
        """Let the client that Letta asks for vectors be the embedder that is named here."""
        vectors = self._vectors

        async def request_embeddings(_: Any, inputs: list[str], *__: Any) -> list[list[float]]:
            return vectors.embed(inputs)

        product("letta.llm_api.openai_client").OpenAIClient.request_embeddings = request_embeddings

    def _shut(self) -> None:
        self._server.stop()
        atexit.unregister(self._server.stop)

    @on_loop
    async def _put(self, rows: Sequence[StoredTurn], scope: Scope) -> None:
        for row in await self._known(scope, [row.id for row in rows]):
            await self._remove(row.id)
        agent, archive = await self._agent(scope), await self._archive(scope)
        made = product("letta.schemas.passage").Passage
        for row in rows:
            at = datetime.fromisoformat(row.at).replace(tzinfo=UTC) if row.at else None
            passage = made(
                id=row.id,
                organization_id=self._actor.organization_id,
                archive_id=archive.id,
                text=row.text,
                embedding=self._vectors.embed([row.text])[0],
                embedding_config=agent.embedding_config,
                tags=[f"{TURN}{row.source}", f"{ROLE}{row.role}"],
                **({"created_at": at} if at else {}),
            )
            await self._passages.create_agent_passage_async(passage, actor=self._actor)

    async def _agent(self, scope: Scope) -> Any:
        """Return the agent of a scope, made when it is first asked."""
        key = hashed(scope)
        if key not in self._agents:
            agents = await self._managed.list_agents_async(actor=self._actor, name=key)
            self._agents[key] = agents[0] if agents else await self._new_agent(key)
        return self._agents[key]

    def _new_agent(self, key: str) -> Coroutine[Any, Any, Any]:
        schemas, nowhere = "letta.schemas", "http://127.0.0.1:9/v1"
        embedding = product(f"{schemas}.embedding_config").EmbeddingConfig(
            embedding_endpoint_type="openai",
            embedding_endpoint=nowhere,
            embedding_model="memgauge",
            embedding_dim=self._vectors.dim,
        )
        model = product(f"{schemas}.llm_config").LLMConfig(
            model="unused", model_endpoint_type="openai", model_endpoint=nowhere, context_window=32_000
        )
        wanted = product(f"{schemas}.agent").CreateAgent(
            name=key, llm_config=model, embedding_config=embedding, include_base_tools=False, memory_blocks=[]
        )
        made: Coroutine[Any, Any, Any] = self._managed.create_agent_async(wanted, actor=self._actor)
        return made

    @on_loop
    async def _nearest(self, query: str, scope: Scope, k: int) -> list[tuple[StoredTurn, float | None]]:
        """Search passages by meaning; Letta gives no scores."""
        return [(row, None) for row in await self._asked(scope, k, query)]

    async def _asked(self, scope: Scope, limit: int, query: str = "") -> list[StoredTurn]:
        agent = await self._agent(scope)
        near = (
            {"query_text": query, "embed_query": True, "embedding_config": agent.embedding_config} if query else {}
        )
        passages = await self._managed.query_agent_passages_async(
            actor=self._actor, agent_id=agent.id, limit=limit, ascending=True, **near
        )
        return [_row(passage) for passage, *_ in passages]

    @on_loop
    async def _rows(self, scope: Scope, ids: Sequence[str] | None = None) -> list[StoredTurn]:
        return await (self._asked(scope, EVERYTHING) if ids is None else self._known(scope, ids))

    async def _known(self, scope: Scope, ids: Sequence[str]) -> list[StoredTurn]:
        """Look passages up one by one: a list of all costs a vector for each."""
        archive, rows = await self._archive(scope), []
        for name in ids:
            try:
                passage = await self._passages.get_agent_passage_by_id_async(name, actor=self._actor)
            except product("letta.orm.errors").NoResultFound:
                continue
            if passage.archive_id == archive.id:
                rows.append(_row(passage))
        return rows

    async def _archive(self, scope: Scope) -> Any:
        agent, archives = await self._agent(scope), self._passages.archive_manager
        return await archives.get_or_create_default_archive_for_agent_async(agent_state=agent, actor=self._actor)

    @on_loop
    async def _drop(self, ids: Sequence[str], scope: Scope) -> None:  # noqa: ARG002 - ids are global in Letta
        for name in ids:
            await self._remove(name)

    async def _remove(self, passage: str) -> None:
        await self._passages.delete_agent_passage_by_id_async(passage, actor=self._actor)

    @on_loop
    async def _erase(self, scope: Scope) -> None:
        """Delete the passages of an agent, and the agent."""
        await self._remove_agent(await self._agent(scope))
        del self._agents[hashed(scope)]

    async def _remove_agent(self, agent: Any) -> None:
        passages = await self._managed.query_agent_passages_async(
            actor=self._actor, agent_id=agent.id, limit=EVERYTHING
        )
        for passage, *_ in passages:
            await self._remove(passage.id)
        await self._managed.delete_agent_async(agent.id, actor=self._actor)

    def row_id(self, turn: str, scope: Scope) -> str:
        """Make the id of a passage in the form that Letta wants."""
        return f"passage-{uuid5(NAMESPACE_URL, f'{spelled(scope)} {turn}')}"

    @on_loop
    async def reset(self) -> None:
        """Delete every agent with its passages."""
        for agent in await self._managed.list_agents_async(actor=self._actor, limit=EVERYTHING):
            await self._remove_agent(agent)
        self._agents.clear()

    def close(self) -> None:
        """Stop Postgres; a temporary folder goes with the process, which has one database."""
        self._shut()
        self._loop.close()


def _cluster(data: Path) -> Postgres:
    """Return the server of the cluster at *data*, which is made where there is none."""
    programs = Path(str(product("pgserver").__file__)).parent / "pginstall"
    if not data.exists():
        make_cluster(programs, data)
    return Postgres(programs, data, scratch("letta-pg"))


def _row(passage: Any) -> StoredTurn:
    at = passage.created_at
    told_at = at.replace(tzinfo=None).isoformat() if at else ""
    return StoredTurn(passage.id, passage.text, _tagged(passage, TURN), told_at, _tagged(passage, ROLE))


def _tagged(passage: Any, kind: str) -> str:
    return next((tag.removeprefix(kind) for tag in passage.tags or () if tag.startswith(kind)), "")
