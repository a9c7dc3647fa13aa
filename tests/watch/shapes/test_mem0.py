"""Calls of mem0, in its old and new spelling, and of its clients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from memgauge.text.pseudonyms import Pseudonyms
from memgauge.watch import watch
from memgauge.watch.shapes.mem0 import MEM0
from support.watched import Mem0Like, rows_of

if TYPE_CHECKING:
    from pathlib import Path

NAMES = Pseudonyms(b"s")


def test_every_operation_is_a_row(tmp_path: Path) -> None:
    """What is added, changed, found, removed and wiped is there in this order, under pseudonyms of the salt."""
    memory = watch(Mem0Like(), tmp_path, salt="s")
    memory.add("Ada likes tea", user_id="ada", run_id="r", agent_id="a")
    memory.update("m0", data="Ada likes cocoa")
    hits = memory.search("q", filters={"user_id": "ada"}, top_k=3)["results"]
    memory.delete("m0")
    memory.delete_all("ada")
    memory.search("q", filters={"user_id": "ada"})
    added, updated, searched, deleted, wiped, empty = rows_of(tmp_path)
    user = NAMES.name("user", "ada")
    assert (added["operation"], added["scope"]) == ("upsert", user)
    assert (added["session"], added["agent"]) == (NAMES.name("session", "r"), NAMES.name("agent", "a"))
    text = NAMES.text_hash("Ada likes cocoa")
    assert updated["records"] == [[NAMES.name("memory", "m0"), text, 15, None, None]]
    assert searched["records"] == [[NAMES.name("memory", "m0"), text, 15, None, hits[0]["score"]]]
    assert (searched["asked"], searched["returned"], searched["context_tokens"]) == (3, 1, 4)
    assert (deleted["operation"], deleted["records"][0][0]) == ("delete", NAMES.name("memory", "m0"))
    assert (wiped["operation"], wiped["scope"]) == ("wipe", user)
    assert (empty["outcome"], empty["returned"]) == ("empty", 0)


@pytest.mark.parametrize(
    "given",
    [
        {"user_id": "ada"},
        {"filters": {"user_id": "ada"}},
        {"filters": {"AND": [{"user_id": "ada"}, {"categories": {"in": ["food"]}}]}},
        {"filters": {"user_id": "ada"}, "user_id": None},
    ],
)
def test_an_owner_is_found_beside_the_call_and_in_filters(given: dict[str, Any]) -> None:
    """All spellings that name one owner name the same one."""
    (call,) = MEM0.readers["search"].read({"query": "q"} | given, [])
    assert call.owner.user == "ada"


@pytest.mark.parametrize(
    "filters",
    [
        {"OR": [{"user_id": "ada"}, {"user_id": "bob"}]},
        {"user_id": {"in": ["ada", "bob"]}},
        {"user_id": "*"},
        {"NOT": [{"user_id": "ada"}]},
        "ada",
    ],
)
def test_several_owners_are_none(filters: Any) -> None:
    """A search of several users, or of all but some, belongs to none of them."""
    (call,) = MEM0.readers["search"].read({"query": "q", "filters": filters}, {"results": []})
    assert call.owner.user == ""


def test_an_addition_that_removes_is_two_operations() -> None:
    """What an extraction did is told apart by its events; what it left alone is no record."""
    events = [("a", "ADD"), ("b", "UPDATE"), ("c", "DELETE"), ("d", "NONE")]
    result = {"results": [{"id": name, "memory": name, "event": event} for name, event in events]}
    written, removed = MEM0.readers["add"].read({"messages": [], "user_id": "ada"}, result)
    assert (written.operation, [memory for memory, *_ in written.records or ()]) == ("upsert", ["a", "b"])
    assert (removed.operation, [memory for memory, *_ in removed.records or ()]) == ("delete", ["c"])
    assert removed.owner.user == "ada"


def test_an_addition_that_is_only_promised_has_unknown_records() -> None:
    """A client whose service works on later names no memories, so that none are invented."""
    (call,) = MEM0.readers["add"].read({"messages": []}, {"results": [{"status": "PENDING", "event_id": "e"}]})
    assert call.records is None
