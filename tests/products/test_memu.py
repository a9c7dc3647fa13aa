from __future__ import annotations

import asyncio
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from memgauge.errors import CallFailed, ConfigError
from memgauge.products.memu import adapter as memu
from memgauge.products.memu.adapter import MemU
from memgauge.systems.protocol import Durable, implements
from memgauge.text.jsons import json_file
from support.products import ALICE, BOB, opened, told, turn


class Row(SimpleNamespace):
    """An item or a resource."""

    def model_dump(self, include: set[str]) -> dict[str, Any]:
        """Return some of its fields."""
        return {name: getattr(self, name) for name in include}


class Service:
    """What the adapter calls of memU: two repositories and a few workflows; an empty query it refuses."""

    def __init__(self, **settings: Any) -> None:
        self.settings, self._llm_clients = settings, dict[str, Any]()
        self.retrieve_config = SimpleNamespace(item=SimpleNamespace(top_k=5))
        self.resources, self.items, self._numbers = dict[str, Row](), dict[str, Row](), count()
        self.database = SimpleNamespace(
            resource_repo=SimpleNamespace(create_resource=self._resource, resources=self.resources),
            memory_item_repo=SimpleNamespace(create_item=self._item, list_items=self._listed),
        )
        self.propagated: list[bool] = []

    def _resource(self, *, url: str, user_data: dict[str, str], **_: Any) -> Row:
        name = f"r{next(self._numbers)}"
        return self.resources.setdefault(name, Row(id=name, url=url, **user_data))

    def _item(self, *, resource_id: str, summary: str, user_data: dict[str, str], **_: Any) -> Row:
        name = f"i{next(self._numbers)}"
        return self.items.setdefault(name, Row(id=name, resource_id=resource_id, summary=summary, **user_data))

    def _listed(self, where: dict[str, str]) -> dict[str, Row]:
        return {name: item for name, item in self.items.items() if item.user_id == where["user_id"]}

    async def retrieve(self, queries: list[dict[str, Any]], where: dict[str, str]) -> dict[str, Any]:
        """Rank by the product of vectors."""
        text = queries[-1]["content"]["text"]
        if not text.strip():
            raise CallFailed("EMPTY")
        own = list(self._listed(where).values())
        vectors, _ = await self._llm_clients["embedding"].embed([text, *(item.summary for item in own)])
        scores = [sum(a * b for a, b in zip(vectors[0], vector, strict=True)) for vector in vectors[1:]]
        ranked = sorted(zip(own, scores, strict=True), key=lambda pair: -pair[1])
        return {
            "items": [{**vars(item), "score": score} for item, score in ranked[: self.retrieve_config.item.top_k]]
        }

    async def memorize(self, *, resource_url: str, user: dict[str, str], **_: Any) -> None:
        """Make an item of each sentence."""
        (message,) = json_file(Path(resource_url), "Write it.")
        made = self._resource(url=resource_url, user_data=user)
        for sentence in message["content"].split(". "):
            self._item(resource_id=made.id, summary=sentence, user_data=user)
        await asyncio.sleep(0)

    async def update_memory_item(self, *, memory_id: str, memory_content: str, propagate: bool, **_: Any) -> None:
        """Change a text."""
        self.items[memory_id].summary = memory_content
        self.propagated.append(propagate)

    async def delete_memory_item(self, *, memory_id: str, propagate: bool, **_: Any) -> None:
        """Remove an item."""
        del self.items[memory_id]
        self.propagated.append(propagate)

    async def clear_memory(self, where: dict[str, str]) -> None:
        """Remove what is a user's."""
        for name in self._listed(where):
            del self.items[name]


@pytest.fixture(autouse=True)
def services(monkeypatch: pytest.MonkeyPatch) -> list[Service]:
    """Stand in for the product, and note which services are made."""
    made: list[Service] = []

    def make(**settings: Any) -> Service:
        made.append(Service(**settings))
        return made[-1]

    monkeypatch.setattr(memu, "product", lambda _: SimpleNamespace(MemoryService=make))
    monkeypatch.setattr("memgauge.systems.adapters.product_store.version", lambda _: "1.5.1")
    return made


def test_a_turn_is_an_item_of_its_resource(services: list[Service]) -> None:
    """A turn that comes again changes its item, also where its id could be no name of a file."""
    system = MemU()
    told(system, "I sing.", "I dance on Mondays.")
    assert [(memory.text, memory.sources) for memory in system.dump(ALICE)] == [
        ("I sing.", ("t0",)),
        ("I dance on Mondays.", ("t1",)),
    ]
    system.ingest([turn("a/b c", "I run.")], BOB)
    assert [memory.sources for memory in system.dump(BOB)] == [("a/b c",)]
    for text, done in (("I hum.", "update"), ("I hum.", "noop")):
        receipt = system.ingest([turn("t0", text)], ALICE)
        assert [change.op.value for change in receipt.changes or ()] == [done]
    assert len(services[0].items) == 3
    assert [hit.memory.sources for hit in system.search("on Mondays", ALICE, 1).hits] == [("t1",)]
    assert services[0].settings["memorize_config"] == {"memory_categories": []}
    system.close()


def test_what_is_not_a_users_is_not_touched(services: list[Service]) -> None:
    """Neither changed nor deleted nor erased; and no model is asked by the raw lane."""
    system = MemU()
    told(system, "I sing.")
    (first,) = [memory.id for memory in system.dump(ALICE)]
    assert system.delete([first], BOB) == 0
    assert [change.op.value for change in system.update(first, "I hum.", BOB).changes or ()] == ["noop"]
    system.erase(BOB)
    assert [memory.text for memory in system.dump(ALICE)] == ["I sing."]
    assert system.delete([first, "other"], ALICE) == 1
    assert services[0].propagated == [False]
    system.close()


def test_what_its_model_reads_is_of_the_turn(services: list[Service], monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn is a conversation of one message; each item names it, and a change goes on to the categories."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    system = MemU(lane="extract", model="small")
    (receipt,) = told(system, "I sing. I dance.")
    assert [memory.sources for memory in system.dump(ALICE)] == [("t0",), ("t0",)]
    assert [change.memory for change in receipt.changes or ()] == [memory.id for memory in system.dump(ALICE)]
    system.delete([memory.id for memory in system.dump(ALICE)], ALICE)
    assert services[0].propagated == [True, True]
    assert services[0].settings["llm_profiles"]["default"]["chat_model"] == "small"
    assert system.capabilities().needs == ("llm",)
    system.close()


def test_it_offers_no_reopening_and_has_two_lanes() -> None:
    """Nothing outlives its process."""
    system: object = MemU()
    assert not implements(system, Durable)
    with pytest.raises(ConfigError, match="raw or extract"):
        MemU(lane="cooked")


@pytest.mark.slow
@pytest.mark.parametrize("ref", ["memu", "memu:lane=extract"])
def test_the_installed_product_finds_what_it_was_told(ref: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where its environment exists; in both lanes a memory names its turn."""
    monkeypatch.undo()
    with opened(ref) as system:
        told(system, "I keep bees.", "I play chess.")
        assert system.search("Who has bees?", ALICE, 1).hits[0].memory.sources == ("t0",)
        assert not system.search("bees", BOB, 5).hits
