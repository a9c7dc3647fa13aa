"""Calls of memory systems that speak memgauge's own protocol."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from memgauge.records import Receipt, Scope, Turn
from memgauge.systems.catalogue import open_system
from memgauge.text.pseudonyms import Pseudonyms
from memgauge.watch import watch
from support.watched import rows_of

if TYPE_CHECKING:
    from pathlib import Path

NAMES = Pseudonyms(b"s")


def test_a_system_of_ours_is_recorded_and_works_as_before(tmp_path: Path) -> None:
    """Turns, hits, changes and removals are rows; the owner is written as spans of the same key name it."""
    plain, scope = open_system("bm25"), Scope("ada", tenant="shop", session="s1")
    memory = watch(plain, tmp_path, salt="s")
    turn = Turn("t1", "Ada", "I like tea", "s1", datetime(2026, 1, 1))  # noqa: DTZ001 - local time of a conversation
    receipt = memory.ingest([turn], scope)
    ranking = memory.search("tea", scope, 3)
    assert ranking == plain.search("tea", scope, 3)
    memory.reset()
    ingested, searched, reset = rows_of(tmp_path)
    owner = f"{NAMES.name('tenant', 'shop')}/{NAMES.name('user', 'ada')}"
    assert (ingested["operation"], ingested["scope"]) == ("upsert", owner)
    assert ingested["session"] == NAMES.name("session", "s1")
    changed = [change.memory for change in (receipt or Receipt()).changes or ()]
    assert [record[0] for record in ingested.get("records", [])] == [
        NAMES.name("memory", name) for name in changed
    ]
    (hit,) = ranking.hits
    assert searched["records"] == [
        [
            NAMES.name("memory", hit.memory.id),
            NAMES.text_hash(hit.memory.text),
            len(hit.memory.text),
            None,
            hit.score,
        ]
    ]
    assert (searched["asked"], searched["query_hash"]) == (3, NAMES.text_hash("tea"))
    assert reset["operation"] == "drop_store"


def test_the_usual_tenant_is_none(tmp_path: Path) -> None:
    """A scope without a tenant of its own is named by its user alone; a search by place is as one by name."""
    memory = watch(open_system("bm25"), tmp_path, salt="s")
    memory.search(query="tea", scope=Scope("ada"), k=1)
    (row,) = rows_of(tmp_path)
    assert row["scope"] == NAMES.name("user", "ada")
    assert (row["outcome"], row["returned"]) == ("empty", 0)
