from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from memgauge.products.langmem import adapter as langmem
from memgauge.products.langmem.adapter import LangMem
from memgauge.records import Operation
from support.products import ALICE, BOB, told


class Store:
    """What the adapter calls of LangGraph's store."""

    def __init__(self) -> None:
        self.items: dict[tuple[tuple[str, ...], str], SimpleNamespace] = {}

    def put(self, namespace: tuple[str, ...], key: str, value: dict[str, Any]) -> None:
        """Keep an item."""
        self.items[namespace, key] = SimpleNamespace(key=key, value=value, score=0.5)

    def get(self, namespace: tuple[str, ...], key: str) -> SimpleNamespace | None:
        """Return an item, or nothing."""
        return self.items.get((namespace, key))

    def delete(self, namespace: tuple[str, ...], key: str) -> None:
        """Remove an item."""
        del self.items[namespace, key]

    def search(self, namespace: tuple[str, ...], *, query: str = "", limit: int) -> list[SimpleNamespace]:
        """Return the items of a namespace."""
        return [item for (where, _), item in self.items.items() if where == namespace][:limit]


class Manager:
    """A manager that keeps one memory, replaces it, and removes it where it is told to forget."""

    def __init__(self, asked: Any, *, namespace: tuple[str, ...], store: Store, enable_deletes: bool) -> None:
        assert asked.base_url == "http://127.0.0.1:9/v1"
        assert enable_deletes
        self.namespace, self.store = namespace, store

    def invoke(self, told: dict[str, Any]) -> list[dict[str, Any]]:
        """Read one message, and say what was put."""
        text = told["messages"][0]["content"]
        if "Forget" in text:
            self.store.delete(self.namespace, "one")
            return []
        self.store.put(self.namespace, "one", {"kind": "Memory", "content": {"content": text}})
        return [{"key": "one"}]


@pytest.fixture(autouse=True)
def double(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in for LangMem, its model and its store."""
    module = SimpleNamespace(ChatOpenAI=SimpleNamespace, create_memory_store_manager=Manager)
    monkeypatch.setattr(langmem, "product", lambda _: module)
    monkeypatch.setattr("memgauge.systems.adapters.product_store.version", lambda _: "0.0.30")
    monkeypatch.setattr("memgauge.systems.adapters.rows._counted", {LangMem})
    monkeypatch.setattr(LangMem, "_open", lambda self: setattr(self, "_store", Store()))
    monkeypatch.setattr(LangMem, "_shut", lambda self: None)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")


def test_puts_are_told_and_removals_are_found() -> None:
    """The manager is silent about what it removes."""
    system = LangMem()
    receipts = told(system, "I sing.", "I dance.")
    assert [(one.text, one.sources) for one in system.dump(ALICE)] == [("I dance.", ())]
    receipts += told(system, "Forget it.")
    operations = [change.op for receipt in receipts for change in receipt.changes or ()]
    assert operations == [Operation.ADD, Operation.UPDATE, Operation.DELETE]
    assert not list(system.dump(BOB))
    assert system.offers() == ("mutable", "erasable", "durable")
    assert not system.capabilities().declares_sources
    assert system._index()["fields"] == ["content.content"]


def test_memories_can_be_changed_and_removed_beside_the_manager() -> None:
    """They keep the shape that the manager gives them."""
    system = LangMem()
    told(system, "I sing.")
    system.update("one", "I hum.", ALICE)
    assert [hit.memory.text for hit in system.search("hum", ALICE, 5).hits] == ["I hum."]
    assert system.delete(["one", "other"], ALICE) == 1
    assert not list(system.dump(ALICE))
