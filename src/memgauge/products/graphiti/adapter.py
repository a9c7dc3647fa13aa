"""Graphiti on FalkorDB inside a file: episodes as they were said, and facts that its model draws between names.

Every turn is one episode under an id of ours, and a fact names the episodes that it rests on, so that lineage is
Graphiti's own. Each scope is a graph: Graphiti writes a group to a graph of its own, and has to be told to read it
from there. Names (entity nodes) are left out: they rest on links, not on statements.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from memgauge.records import Change, Form, Hit, Memory, Operation, Receipt, ScoreKind
from memgauge.systems.adapters.endpoints import endpoint
from memgauge.systems.adapters.folders import StoreFolders
from memgauge.systems.adapters.loops import PrivateLoop, on_loop
from memgauge.systems.adapters.product_store import OnDisk, OnLoop, best_first, hashed, installed, product
from memgauge.systems.adapters.vectors import open_vectors
from memgauge.systems.protocol import Capabilities, EventTime

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.records import Scope, Turn

EPISODES, FACTS = "episodes", "facts"


class Graphiti(OnLoop, OnDisk):
    """Keeps turns as Graphiti's episodes, and the facts that its model draws from them."""

    name = "graphiti"
    pin = "graphiti-core==0.31.1"
    promises = Capabilities(
        event_time=EventTime.USED, score_kind=ScoreKind.FUSED, reports_changes=True, declares_sources=True
    )
    interventions: tuple[str, ...] = (
        "telemetry off",
        "FalkorDBLite in the place of a server, a graph a scope",
        "sim_min_score 0, limit k",
        "episodes and facts merged by their scores; names left out",
        "update by saving the changed node or edge",
    )

    def __init__(self, *, model: str = "gpt-4.1-mini", embedder: str = "hashed", path: str = "") -> None:
        """Open the graphs at *path*, or an empty store in a temporary folder.

        Raises:
            MissingExtraError: Graphiti is not installed here.
            ConfigError: No address of a model is named.
        """
        os.environ["GRAPHITI_TELEMETRY_ENABLED"] = "false"
        self.version = installed(self.name, self.pin)
        self._asked = endpoint(self.name)
        self._model = model
        self._vectors = open_vectors(embedder)
        self._home = StoreFolders(self.name, path)
        self._loop = PrivateLoop(self.name)
        self._open()

    @on_loop
    async def _open(self) -> None:
        self._graphs: dict[str, Any] = {}
        self._db = product("redislite.async_falkordb_client").AsyncFalkorDB(
            str(self._home.root / "graphs.rdb"),
            serverconfig={"set-proc-title": "no"},  # its title would cover the mark by which it is found and ended
        )

    async def _graph(self, scope: Scope) -> Any:
        """Return Graphiti on the graph of one scope."""
        group = hashed(scope)
        if group not in self._graphs:
            driver = product("graphiti_core.driver.falkordb_driver").FalkorDriver(
                falkor_db=self._db, database=group
            )
            await driver.build_indices_and_constraints()
            self._graphs[group] = product("graphiti_core").Graphiti(
                graph_driver=driver,
                llm_client=self._llm(),
                embedder=self._embedder(),
                cross_encoder=_no_reranker(),
            )
        return self._graphs[group]

    def _llm(self) -> Any:
        config = product("graphiti_core.llm_client.config").LLMConfig(
            api_key=self._asked.key,
            base_url=self._asked.url,
            model=self._model,
            small_model=self._model,
            temperature=0,
        )
        return product("graphiti_core.llm_client.openai_generic_client").OpenAIGenericClient(config=config)

    def _embedder(self) -> Any:
        vectors = self._vectors

        async def create(_: Any, input_data: Any) -> list[float]:
            return vectors.embed([input_data if isinstance(input_data, str) else input_data[0]])[0]

        async def create_batch(_: Any, input_data_list: list[str]) -> list[list[float]]:
            return vectors.embed(input_data_list)

        client = product("graphiti_core.embedder.client").EmbedderClient
        return type("Local", (client,), {"create": create, "create_batch": create_batch})()

    @on_loop
    async def _shut(self) -> None:
        server = self._db.client
        for graph in self._graphs.values():
            await graph.llm_client.client.close()
        self._graphs.clear()
        retries = product("redis.asyncio.retry").Retry(product("redis.backoff").NoBackoff(), 0)
        server.set_retry(retries)  # else it calls again, for seconds, what has just gone
        try:
            await server.execute_command("SHUTDOWN", "SAVE")
        except (ConnectionError, OSError, product("redis.exceptions").ConnectionError):
            pass  # the server hangs up when it has gone
        await server.close()

    @on_loop
    async def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Add every turn as an episode under its own id."""
        changes: list[Change] = []
        for turn in turns:
            changes += await self._add(turn, scope)
        return Receipt(tuple(changes))

    async def _add(self, turn: Turn, scope: Scope) -> list[Change]:
        graph = await self._graph(scope)
        known = {edge.uuid for edge in await self._edges(scope)}
        nodes = product("graphiti_core.nodes")
        said_at = (turn.at or datetime(1970, 1, 1)).replace(tzinfo=UTC)  # noqa: DTZ001 - the zone follows
        episode = nodes.EpisodicNode(
            uuid=turn.id,
            name=turn.id,
            group_id=hashed(scope),
            labels=[],
            source=nodes.EpisodeType.message,
            content=f"{turn.speaker}: {turn.text}",
            source_description=turn.session,
            created_at=said_at,
            valid_at=said_at,
        )
        await episode.save(graph.driver)
        done = await graph.add_episode(
            name=turn.id,
            episode_body=episode.content,
            source_description=turn.session,
            reference_time=said_at,
            group_id=hashed(scope),
            uuid=turn.id,
        )
        changes = [Change(Operation.ADD, turn.id)]
        for edge in done.edges:
            op = Operation.UPDATE if edge.uuid in known else Operation.ADD
            # What this episode contradicts comes back too, and does not rest on it.
            changes.append(Change(op if turn.id in edge.episodes else Operation.INVALIDATE, edge.uuid))
        return changes

    def _notes(self) -> tuple[str, ...]:
        return ("episodes and facts merged by reciprocal rank score, then by channel and id",)

    @on_loop
    async def _hits(self, query: str, scope: Scope, k: int) -> list[Hit]:
        """Search episodes by words and facts by words and meaning."""
        graph = await self._graph(scope)
        config = product("graphiti_core.search.search_config")
        wanted = config.SearchConfig(
            edge_config=config.EdgeSearchConfig(
                search_methods=[config.EdgeSearchMethod.bm25, config.EdgeSearchMethod.cosine_similarity],
                sim_min_score=0,
            ),
            episode_config=config.EpisodeSearchConfig(search_methods=[config.EpisodeSearchMethod.bm25]),
            limit=k,
        )
        ranked = await graph.search_(query, config=wanted, group_ids=[hashed(scope)], driver=graph.driver)
        facts = zip(map(_fact, ranked.edges), ranked.edge_reranker_scores, strict=True)
        episodes = zip(map(_episode, ranked.episodes), ranked.episode_reranker_scores, strict=True)
        return best_first([Hit(memory, float(score)) for memory, score in (*facts, *episodes)])[:k]

    @on_loop
    async def dump(self, scope: Scope) -> list[Memory]:
        """List episodes and facts."""
        return [*map(_episode, await self._episodes(scope)), *map(_fact, await self._edges(scope))]

    async def _edges(self, scope: Scope) -> list[Any]:
        graph, edges = await self._graph(scope), product("graphiti_core.edges").EntityEdge
        try:
            return list(await edges.get_by_group_ids(graph.driver, [hashed(scope)]))
        except product("graphiti_core.errors").GroupsEdgesNotFoundError:
            return []

    async def _episodes(self, scope: Scope) -> list[Any]:
        graph, nodes = await self._graph(scope), product("graphiti_core.nodes").EpisodicNode
        return list(await nodes.get_by_group_ids(graph.driver, [hashed(scope)]))

    @on_loop
    async def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Replace the text of an episode or a fact; what was drawn from an episode stays."""
        graph = await self._graph(scope)
        for edge in [edge for edge in await self._edges(scope) if edge.uuid == memory]:
            edge.fact = text
            await edge.generate_embedding(graph.embedder)
            await edge.save(graph.driver)
        for episode in [node for node in await self._episodes(scope) if node.uuid == memory]:
            episode.content = text
            await episode.save(graph.driver)
        return Receipt((Change(Operation.UPDATE, memory),))

    @on_loop
    async def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Remove episodes with what Graphiti removes along with them, and facts."""
        graph, counted = await self._graph(scope), 0
        for memory in dict.fromkeys(memories):
            episodes = [node for node in await self._episodes(scope) if node.uuid == memory]
            facts = [edge for edge in await self._edges(scope) if edge.uuid == memory]
            if episodes:
                await graph.remove_episode(memory)
            for fact in facts:
                await fact.delete(graph.driver)
            counted += bool(episodes or facts)
        return counted

    @on_loop
    async def erase(self, scope: Scope) -> None:
        """Remove everything of a scope."""
        graph = await self._graph(scope)
        await graph.driver.execute_query("MATCH (n) DETACH DELETE n")
        await self._db.client.execute_command("SAVE")


def _no_reranker() -> Any:
    """Stand in for the reranker that Graphiti wants even where none is used."""

    async def rank(_: Any, query: str, passages: list[str]) -> list[tuple[str, float]]:  # noqa: ARG001 - Graphiti's signature
        return [(passage, 0.0) for passage in passages]

    client = product("graphiti_core.cross_encoder.client").CrossEncoderClient
    return type("Unused", (client,), {"rank": rank})()


def _episode(node: Any) -> Memory:
    return Memory(
        node.uuid, node.content, Form.UNKNOWN, (node.uuid,), event_at=_local(node.valid_at), channel=EPISODES
    )


def _fact(edge: Any) -> Memory:
    return Memory(
        edge.uuid,
        edge.fact,
        Form.EDGE,
        tuple(edge.episodes),
        event_at=_local(edge.reference_time),
        valid_from=_local(edge.valid_at),
        valid_to=_local(edge.invalid_at),
        channel=FACTS,
    )


def _local(at: datetime | None) -> datetime | None:
    """Take the zone away again that Graphiti wants."""
    return at.replace(tzinfo=None) if at is not None else None
