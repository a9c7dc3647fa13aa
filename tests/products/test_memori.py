"""Memori's adapter against its tables, without what is above them."""

from __future__ import annotations

import re
import sqlite3
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.products.memori import adapter as memori
from memgauge.products.memori.adapter import Memori
from memgauge.records import Operation
from memgauge.systems.protocol import Mutable, implements
from support.products import ALICE, BOB, told

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TABLES = """
create table if not exists memori_entity (id integer primary key, external_id text unique);
create table if not exists memori_entity_fact
    (id integer primary key, entity_id integer, content text, uniq text, unique (entity_id, uniq));
"""


class Library:
    """What the adapter calls of Memori: entities and facts in SQLite, and a recall by the products of vectors."""

    def __init__(self) -> None:
        self.embed_texts: Any = None
        self.config = SimpleNamespace(storage=self, driver=self)
        self.driver = self.entity = self.adapter = self
        self.entity_fact = SimpleNamespace(create=self.add)

    def Memori(self, *, conn: Callable[[], sqlite3.Connection], use_rust_core: bool) -> Library:  # noqa: N802 - theirs
        """Open a database."""
        assert not use_rust_core
        self.connection = conn()
        self.connection.row_factory = sqlite3.Row
        return self

    def Recall(self, _: object) -> Library:  # noqa: N802 - theirs
        """Make what recalls."""
        return self

    def build(self) -> None:
        """Make the tables."""
        self.connection.executescript(TABLES)

    def close(self) -> None:
        """Let go."""

    def execute(self, statement: str, values: tuple[object, ...]) -> Any:
        """Ask the database, whose rows are told as mappings."""
        rows = self.connection.execute(statement, values).fetchall()
        return SimpleNamespace(mappings=lambda: SimpleNamespace(fetchall=lambda: rows))

    def create(self, name: str) -> int:
        """Make an entity, or return the one that there is."""
        self.connection.execute("insert or ignore into memori_entity (external_id) values (?)", (name,))
        return int(
            self.connection.execute("select id from memori_entity where external_id = ?", (name,)).fetchone()[0]
        )

    def add(self, entity: int, facts: Sequence[str], vectors: Sequence[Sequence[float]]) -> None:
        """Store facts; of those that are alike the first stays."""
        assert len(facts) == len(vectors)
        for fact in facts:
            self.connection.execute(
                "insert or ignore into memori_entity_fact (entity_id, content, uniq) values (?, ?, ?)",
                (entity, fact, self.generate_uniq([fact])),
            )
        self.connection.commit()

    def generate_uniq(self, terms: Sequence[str]) -> str:
        """Tell texts apart as Memori does."""
        return re.sub(r"[^a-z0-9]", "", "".join(terms).lower())

    def search_facts(self, query: str, limit: int, entity_id: int) -> list[SimpleNamespace]:
        """Order facts by the products of vectors."""
        (asked,) = self.embed_texts(query, model="theirs")
        rows = self.execute("select id, content from memori_entity_fact where entity_id = ?", (entity_id,))
        facts = [
            SimpleNamespace(
                id=row["id"],
                content=row["content"],
                rank_score=sum(a * b for a, b in zip(asked, self.embed_texts([row["content"]])[0], strict=True)),
            )
            for row in rows.mappings().fetchall()
        ]
        return sorted(facts, key=lambda fact: -fact.rank_score)[:limit]

    def delete_entity_memories(self, name: str) -> None:
        """Remove the facts of an entity."""
        self.connection.execute("delete from memori_entity_fact where entity_id = ?", (self.create(name),))
        self.connection.commit()


@pytest.fixture(autouse=True)
def library(monkeypatch: pytest.MonkeyPatch) -> Library:
    """Stand tables in the place of the product."""
    library = Library()
    monkeypatch.setattr(memori, "product", lambda _: library)
    monkeypatch.setattr(memori, "installed", lambda *_: "3.3.6")
    return library


def test_a_turn_is_a_fact_and_the_receipt_says_which() -> None:
    """Nothing else does: facts have no metadata."""
    system = Memori()
    receipts = told(system, "the beans came up", "a robin sang")
    named = [change.memory for receipt in receipts for change in receipt.changes or ()]
    assert [(memory.id, memory.sources) for memory in system.dump(ALICE)] == [(name, ()) for name in named]


@pytest.mark.parametrize("texts", [("a robin sang", "A robin sang!"), ("豆が出た", "鳥が鳴いた"), ("", " ")])
def test_what_memori_cannot_tell_apart_is_one_fact(texts: tuple[str, str]) -> None:
    """The second receipt names the first fact, and says that nothing was added."""
    system = Memori()
    first, second = told(system, *texts)
    assert [change.op for change in (*(first.changes or ()), *(second.changes or ()))] == [
        Operation.ADD,
        Operation.NOOP,
    ]
    assert [memory.text for memory in system.dump(ALICE)] == [texts[0]]


def test_a_search_brings_the_best_of_its_own_entity_with_the_blended_score() -> None:
    """Where nothing was written there is no entity, and asking makes none."""
    system = Memori()
    told(system, "the beans came up", "a robin sang")
    hits = system.search("which robin sang?", ALICE, 1).hits
    assert [hit.memory.text for hit in hits] == ["a robin sang"]
    assert hits[0].score is not None
    assert system.search("robin", BOB, 5).hits == ()
    assert list(system.dump(BOB)) == []


def test_an_entity_is_forgotten_and_the_others_are_not() -> None:
    """And one that was never there may be erased as well."""
    system = Memori()
    told(system, "the beans came up")
    told(system, "a robin sang", scope=BOB)
    system.erase(ALICE)
    system.erase(ALICE)
    assert list(system.dump(ALICE)) == []
    assert [memory.text for memory in system.dump(BOB)] == ["a robin sang"]


def test_facts_outlive_the_process_and_not_a_reset() -> None:
    """The database lies in the folder of the store."""
    system = Memori()
    told(system, "the beans came up")
    system.reopen()
    assert [memory.text for memory in system.dump(ALICE)] == ["the beans came up"]
    system.reset()
    assert list(system.dump(ALICE)) == []
    system.close()


def test_one_fact_cannot_be_changed() -> None:
    """The library has no call for it."""
    assert not implements(Memori(), Mutable)
