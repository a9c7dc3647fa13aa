from __future__ import annotations

import os
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from memgauge.products.graphiti import adapter as graphiti
from memgauge.products.graphiti.adapter import Graphiti
from memgauge.records import Form, Operation
from support.products import ALICE, BOB, told

HANGS_UP = "SHUTDOWN"


class NoEdgesError(Exception):
    """A group holds none."""


class Store:
    """Nodes and edges of all groups, and what a server is told."""

    def __init__(self) -> None:
        self.episodes: dict[tuple[str, str], Any] = {}
        self.edges: dict[tuple[str, str], Any] = {}
        self.told: list[tuple[str, ...]] = []
        self.retries: tuple[object, int] | None = None

    def set_retry(self, retries: tuple[object, int]) -> None:
        """Note how often a call is tried again."""
        self.retries = retries

    async def execute_command(self, *words: str) -> None:
        """Obey, and hang up where told to end."""
        self.told.append(words)
        if words[0] == HANGS_UP:
            raise ConnectionError

    async def close(self) -> None:
        """Close the connection."""


class Node(SimpleNamespace):
    """A node or an edge that is kept where it is saved."""

    async def save(self, driver: Any) -> None:
        """Keep it."""
        (driver.store.edges if hasattr(self, "fact") else driver.store.episodes)[driver.group, self.uuid] = self

    async def delete(self, driver: Any) -> None:
        """Drop it."""
        del driver.store.edges[driver.group, self.uuid]

    async def generate_embedding(self, embedder: Any) -> None:
        """Ask for a vector."""
        assert len(await embedder.create([self.fact])) == 256
        assert len(await embedder.create(self.fact)) == 256
        assert len(await embedder.create_batch([self.fact])) == 1

    @classmethod
    async def get_by_group_ids(cls, driver: Any, groups: list[str]) -> list[Any]:
        """List episodes of a group."""
        return [one for (group, _), one in driver.store.episodes.items() if group in groups]


class Edge:
    """How edges are listed."""

    @staticmethod
    async def get_by_group_ids(driver: Any, groups: list[str]) -> list[Any]:
        """List facts of a group, or complain where there are none."""
        found = [one for (group, _), one in driver.store.edges.items() if group in groups]
        if not found:
            raise NoEdgesError
        return found


class Graph:
    """What the adapter calls of Graphiti: one fact an episode, which ends the one before."""

    def __init__(self, *, graph_driver: Any, llm_client: Any, embedder: Any, cross_encoder: Any) -> None:
        self.driver, self.llm_client, self.embedder, self.reranker = (
            graph_driver,
            llm_client,
            embedder,
            cross_encoder,
        )

    async def add_episode(self, *, uuid: str, group_id: str, reference_time: datetime, **_: Any) -> Any:
        """Draw a fact, and end the last one."""
        before = [one for (group, _), one in self.driver.store.edges.items() if group == group_id][-1:]
        for one in before:
            one.invalid_at = reference_time
        text = self.driver.store.episodes[group_id, uuid].content
        dates = {"reference_time": reference_time, "valid_at": reference_time, "invalid_at": None}
        edge = Node(uuid=f"fact-{uuid}", fact=f"fact of {text}", episodes=[uuid], **dates)
        await edge.save(self.driver)
        return SimpleNamespace(edges=[edge, *before])

    async def search_(self, query: str, *, config: Any, group_ids: list[str], driver: Any) -> Any:
        """Return everything, scored by place."""
        edges = [one for (group, _), one in driver.store.edges.items() if group in group_ids]
        episodes = [one for (group, _), one in driver.store.episodes.items() if group in group_ids]
        return SimpleNamespace(
            edges=edges[: config.limit],
            edge_reranker_scores=[1 / (place + 1) for place in range(len(edges[: config.limit]))],
            episodes=episodes[: config.limit],
            episode_reranker_scores=[1 / (place + 1) for place in range(len(episodes[: config.limit]))],
        )

    async def remove_episode(self, uuid: str) -> None:
        """Remove an episode and the fact that began with it."""
        self.driver.store.episodes.pop((self.driver.group, uuid))
        self.driver.store.edges.pop((self.driver.group, f"fact-{uuid}"), None)


@pytest.fixture(autouse=True)
def double(monkeypatch: pytest.MonkeyPatch) -> Store:
    """Stand in for Graphiti and its database."""
    store = Store()

    class Driver:
        """A graph of one group."""

        def __init__(self, *, falkor_db: Any, database: str) -> None:
            self.store, self.group = store, database

        async def build_indices_and_constraints(self) -> None:
            """Build."""

        async def execute_query(self, _: str) -> None:
            """Remove everything of the group."""
            for kept in (store.episodes, store.edges):
                for key in [key for key in kept if key[0] == self.group]:
                    del kept[key]

    async def closed() -> None:
        """Close the client of the model."""

    client = SimpleNamespace(client=SimpleNamespace(close=closed))
    methods = SimpleNamespace(bm25=1, cosine_similarity=2)
    shapes = dict.fromkeys(
        ("SearchConfig", "EdgeSearchConfig", "EpisodeSearchConfig", "LLMConfig"), SimpleNamespace
    )
    module = SimpleNamespace(
        AsyncFalkorDB=lambda _, serverconfig: SimpleNamespace(client=store, config=serverconfig),
        FalkorDriver=Driver,
        Graphiti=Graph,
        OpenAIGenericClient=lambda config: client,
        EmbedderClient=object,
        CrossEncoderClient=object,
        ConnectionError=ConnectionError,
        Retry=lambda pause, times: (pause, times),
        NoBackoff=lambda: None,
        EpisodicNode=Node,
        EpisodeType=SimpleNamespace(message="message"),
        EntityEdge=Edge,
        GroupsEdgesNotFoundError=NoEdgesError,
        EdgeSearchMethod=methods,
        EpisodeSearchMethod=methods,
        **shapes,
    )
    monkeypatch.setattr(graphiti, "product", lambda _: module)
    monkeypatch.setattr("memgauge.systems.adapters.product_store.version", lambda _: "0.31.1")
    monkeypatch.setattr(os, "environ", {**os.environ, "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"})
    return store


def test_episodes_and_facts_lead_back_to_their_turns(double: Store) -> None:
    """A fact rests on episodes, has a time of its own, and one that it contradicts is named as ended."""
    system = Graphiti()
    first, second = told(system, "I sing.", "I dance.")
    assert [(change.op, change.memory) for change in first.changes or ()] == [
        (Operation.ADD, "t0"),
        (Operation.ADD, "fact-t0"),
    ]
    assert (second.changes or ())[-1].op is Operation.INVALIDATE
    stored = {one.id: one for one in system.dump(ALICE)}
    assert stored["fact-t0"].sources == ("t0",)
    assert stored["fact-t0"].valid_to == datetime(2023, 5, 8, 10)  # noqa: DTZ001 - naive like turns
    assert (stored["t0"].text, stored["t0"].form) == ("user: I sing.", Form.UNKNOWN)
    assert [hit.memory.id for hit in system.search("sing", ALICE, 3).hits] == ["t0", "fact-t0", "t1"]
    assert not system.search("sing", ALICE, 0).hits
    assert not list(system.dump(BOB))
    assert system.capabilities().needs == ("llm",)
    system.close()
    assert double.told[-1] == ("SHUTDOWN", "SAVE")
    assert double.retries == (None, 0)


def test_an_episode_goes_with_its_fact_and_a_fact_alone(double: Store) -> None:
    """Both can be changed too, one without the other."""
    system = Graphiti()
    told(system, "I sing.", "I dance.", "I run.")
    system.update("t0", "I hum.", ALICE)
    system.update("fact-t1", "I leap.", ALICE)
    texts = {one.id: one.text for one in system.dump(ALICE)}
    assert (texts["t0"], texts["fact-t1"]) == ("I hum.", "I leap.")
    assert system.delete(["t0", "fact-t1", "other"], ALICE) == 2
    assert {one.id for one in system.dump(ALICE)} == {"t1", "t2", "fact-t2"}
    system.erase(ALICE)
    assert not list(system.dump(ALICE))
    before = system.storage_paths()
    system.reopen()
    assert system.storage_paths() == before
    system.reset()
    assert system.storage_paths() != before
    system.close()
    assert double.told.count(("SAVE",)) == 1


def test_no_reranker_is_asked() -> None:
    """Graphiti wants one all the same; this one gives every passage the same score."""
    system = Graphiti()
    told(system, "I sing.")
    (graph,) = system._graphs.values()
    assert system._loop.run(graph.reranker.rank("q", ["a"])) == [("a", 0.0)]
    assert graphiti._local(None) is None
    assert graphiti._local(datetime(2023, 5, 8, tzinfo=UTC)) == datetime(2023, 5, 8)  # noqa: DTZ001 - naive like turns
    system.close()
