"""Calls of LangGraph's stores, and of LangMem's manager of one."""

from __future__ import annotations

import asyncio
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from memgauge.text.pseudonyms import Pseudonyms
from memgauge.watch import counted, watch
from support.watched import PutOperation, SearchOperation, StoreItem, StoreLike, rows_of

if TYPE_CHECKING:
    from pathlib import Path

NAMES = Pseudonyms(b"s")
ADA, BOB = ("memories", "ada"), ("memories", "bob")


def test_a_key_names_an_item_within_its_namespace(tmp_path: Path) -> None:
    """The same key of two users is two memories, and a value has one hash however its fields are ordered."""
    store = watch(StoreLike(), tmp_path, salt="s")
    store.put(ADA, "k", {"text": "tea", "n": 1})
    store.put(BOB, "k", {"n": 1, "text": "tea"})
    store.search(ADA, query="tea")
    store.put(ADA, "k", None)
    store.delete(BOB, "k")
    first, second, searched, removed, deleted = rows_of(tmp_path)
    assert (first["operation"], first["scope"]) == ("upsert", NAMES.name("user", "memories.ada"))
    assert first["records"][0][0] != second["records"][0][0]
    assert first["records"][0][1] == second["records"][0][1]
    assert searched["records"][0][:2] == first["records"][0][:2]
    assert (removed["operation"], removed["records"][0][0]) == ("delete", first["records"][0][0])
    assert (deleted["operation"], deleted["records"][0][0]) == ("delete", second["records"][0][0])


def test_a_search_above_several_users_is_nobodys(tmp_path: Path) -> None:
    """It would look like a leak; a host says which label names a user, and then what lies below is that one's."""
    for folder, whose in (("whole", ".".join), ("second", itemgetter(1))):
        store = watch(StoreLike(), tmp_path / folder, salt="s", whose=whose)
        store.put((*ADA, "notes"), "k", {"text": "tea"})
        store.search(ADA)
        store.put(BOB, "k", {"text": "cocoa"})
        store.search(("memories",))
    whole, second = (rows_of(tmp_path / folder) for folder in ("whole", "second"))
    assert [row.get("scope", "") for row in whole] == [
        NAMES.name("user", "memories.ada.notes"), "", NAMES.name("user", "memories.bob"), "",
    ]  # fmt: skip
    ada, bob = NAMES.name("user", "ada"), NAMES.name("user", "bob")
    assert [row.get("scope", "") for row in second] == [ada, ada, bob, ""]


def test_an_item_of_elsewhere_leaves_the_scope_of_a_search_as_it_was_asked(tmp_path: Path) -> None:
    """A store that returns another user's item is not excused by it."""

    class Leaking(StoreLike):
        def search(self, *args: Any, **kwargs: Any) -> list[StoreItem]:
            return [StoreItem(BOB, "k", {"text": "tea"})]

    watch(Leaking(), tmp_path, salt="s").search(ADA, query="tea")
    (row,) = rows_of(tmp_path)
    assert row["scope"] == NAMES.name("user", "memories.ada")


def test_a_batch_is_its_searches_and_puts(tmp_path: Path) -> None:
    """Each is a row, with what it returned; a batch that can be read only once is counted, and works."""
    store = watch(StoreLike(), tmp_path, salt="s")
    operations: list[SearchOperation | PutOperation] = [
        PutOperation(ADA, "k", {"text": "tea"}),
        SearchOperation(ADA, 4, "q"),
        PutOperation(ADA, "k", None),
    ]
    assert [type(each) for each in store.batch(operations)] == [type(None), list, type(None)]
    put, searched, removed = rows_of(tmp_path)
    assert [put["operation"], searched["operation"], removed["operation"]] == ["upsert", "search", "delete"]
    assert (searched["asked"], searched["returned"]) == (4, 1)
    assert store.batch(iter(operations))  # type: ignore[arg-type]
    assert counted(store) == {"written": 3, "unread": 1}


def test_a_store_that_is_only_awaited_is_one(tmp_path: Path) -> None:
    """Awaited methods alone are enough to know a store by, and are rows as the others are."""

    class Awaited:
        def __init__(self) -> None:
            store = StoreLike()
            self.aput, self.aget, self.asearch, self.adelete = store.aput, store.aget, store.asearch, store.adelete

    async def serve() -> None:
        store = watch(Awaited(), tmp_path, salt="s")
        await store.aput(ADA, "k", {"text": "tea"})
        assert [item.key for item in await store.asearch(ADA, query="tea")] == ["k"]
        await store.adelete(ADA, "k")

    asyncio.run(serve())
    assert [row["operation"] for row in rows_of(tmp_path)] == ["upsert", "search", "delete"]


def test_a_manager_says_what_it_put(tmp_path: Path) -> None:
    """LangMem's manager is known by `invoke`; its keys are enough, since it does not say where it searches."""

    class Manager:
        def invoke(self, input: Any, config: Any = None) -> list[dict[str, Any]]:  # noqa: A002 - as LangMem calls it
            return [{"namespace": ADA, "key": "k", "value": {"kind": "Memory", "content": {"content": "tea"}}}]

        def search(self, *, query: str | None = None, limit: int = 10) -> list[StoreItem]:
            return [StoreItem(ADA, "k", {"kind": "Memory", "content": {"content": "tea"}}, 0.5)]

        def put(self, key: str, value: Any) -> None:
            """Store."""

        def get(self, key: str) -> None:
            """Return nothing."""

        def delete(self, key: str) -> None:
            """Remove."""

    manager = watch(Manager(), tmp_path, salt="s")
    manager.invoke({"messages": []})
    manager.search(query="tea")
    manager.delete("k")
    invoked, searched, deleted = rows_of(tmp_path)
    assert {row["dialect"] for row in (invoked, searched, deleted)} == {"langmem"}
    assert invoked["scope"] == NAMES.name("user", "memories.ada")
    assert "scope" not in searched
    assert invoked["records"][0][:2] == searched["records"][0][:2]
    assert deleted["records"][0][0] == invoked["records"][0][0]
