from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from memgauge.products.memos import adapter as memos
from memgauge.products.memos.adapter import MemOS
from memgauge.records import Operation
from memgauge.systems.adapters.product_store import product
from support.products import ALICE, BOB, told


class Memory:
    """What the adapter calls of MemOS: items by id, in the order in which they came."""

    def __init__(self, config: SimpleNamespace) -> None:
        self.config = config
        self.items: dict[str, SimpleNamespace] = {}
        self.embedder: Any = None
        self.vector_db = SimpleNamespace(client=SimpleNamespace(close=lambda: None))

    def add(self, items: list[dict[str, Any]]) -> None:
        """Keep items, each in the place of one with its id."""
        assert self.embedder.embed([one["memory"] for one in items])
        for one in items:
            sources = [SimpleNamespace(**source) for source in one["metadata"]["sources"]]
            metadata = SimpleNamespace(sources=sources)
            self.items[one["id"]] = SimpleNamespace(id=one["id"], memory=one["memory"], metadata=metadata)

    def extract(self, messages: list[dict[str, str]]) -> list[SimpleNamespace]:
        """Find one item in a message, or none."""
        text = messages[0]["content"]
        return [] if text.endswith("?") else [SimpleNamespace(id=f"x{len(self.items)}", memory=text.upper())]

    def search(self, query: str, k: int) -> list[SimpleNamespace]:
        """Return the first items."""
        return list(self.items.values())[:k]

    def get_all(self) -> list[SimpleNamespace]:
        """Return all items."""
        return list(self.items.values())

    def get_by_ids(self, ids: list[str]) -> list[SimpleNamespace]:
        """Return some items."""
        return [self.items[one] for one in ids if one in self.items]

    def delete(self, ids: list[str]) -> None:
        """Remove items."""
        for one in ids:
            del self.items[one]

    def delete_all(self) -> None:
        """Remove everything."""
        self.items.clear()


@pytest.fixture(autouse=True)
def double(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in for the product."""
    modules: dict[str, Any] = {
        "memos.configs.memory": SimpleNamespace(GeneralTextMemoryConfig=SimpleNamespace),
        "memos.memories.textual.general": SimpleNamespace(GeneralTextMemory=Memory),
    }
    monkeypatch.setattr(memos, "product", lambda name: modules.get(name) or product(name))
    monkeypatch.setattr("memgauge.systems.adapters.product_store.version", lambda _: "2.0.33")
    monkeypatch.setenv("MEMOS_BASE_PATH", "")
    monkeypatch.delenv("MEMOS_BASE_PATH")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")


def test_the_raw_lane_keeps_turns_in_a_store_for_each_scope() -> None:
    """Items name their turns, and can be changed, removed and erased."""
    system = MemOS()
    told(system, "I sing.", "I dance.")
    assert [(one.text, one.sources) for one in system.dump(ALICE)] == [("I sing.", ("t0",)), ("I dance.", ("t1",))]
    assert len(system.search("sing", ALICE, 1).hits) == 1
    assert not list(system.dump(BOB))
    first = system.row_id("t0", ALICE)
    system.update(first, "I hum.", ALICE)
    assert system.delete([first, "no id"], ALICE) == 1
    system.erase(ALICE)
    assert not list(system.dump(ALICE))
    assert not system.capabilities().needs
    system.close()


def test_the_extraction_lane_credits_the_turn_that_it_was_shown() -> None:
    """What a model finds in a turn is an addition that names it."""
    system = MemOS(lane="extract")
    receipts = told(system, "I sing.", "Do you?")
    assert [[change.op for change in receipt.changes or ()] for receipt in receipts] == [[Operation.ADD], []]
    assert [(one.text, one.sources) for one in system.dump(ALICE)] == [("I SING.", ("t0",))]
    assert system.capabilities().needs == ("llm",)
    system.close()


def test_a_model_without_a_name_is_asked_all_the_same() -> None:
    """What needs a model says so, whatever the model is called: else nobody would see a stand-in behind it."""
    system = MemOS(lane="extract", model="")
    assert system.capabilities().needs == ("llm",)
    system.close()
