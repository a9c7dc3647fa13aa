"""MemPalace's adapter against a palace in a dictionary."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.products.mempalace import adapter as mempalace
from memgauge.products.mempalace.adapter import MemPalace
from memgauge.systems.adapters import rows
from support.products import ALICE, BOB, told

if TYPE_CHECKING:
    from collections.abc import Sequence


class Palace:
    """What the adapter calls of MemPalace: drawers by id, and a search that counts shared words in its vectors."""

    def __init__(self) -> None:
        self.drawers: dict[str, tuple[str, dict[str, Any]]] = {}
        self.closed: list[str] = []
        self.get_embedding_function: Any = None

    def get_collection(self, path: str) -> Palace:
        """Open the drawers; another folder is another palace."""
        if path in self.closed:
            return self
        self.drawers = {}
        return self

    def get_backend(self, name: str) -> Palace:
        """Name the store."""
        assert name == "chroma"
        return self

    def close_palace(self, ref: SimpleNamespace) -> None:
        """Let go of a folder."""
        self.closed.append(ref.local_path)

    PalaceRef = staticmethod(SimpleNamespace)

    def upsert(self, *, ids: Sequence[str], documents: Sequence[str], metadatas: Sequence[dict[str, Any]]) -> None:
        """File drawers."""
        self.drawers |= {name: (text, filed) for name, text, filed in zip(ids, documents, metadatas, strict=True)}

    def get(
        self, *, include: object, ids: Sequence[str] | None = None, where: dict[str, str] | None = None
    ) -> SimpleNamespace:
        """List drawers, by id, by wing or by both."""
        chosen = [
            (name, *drawer)
            for name, drawer in self.drawers.items()
            if (ids is None or name in ids) and (where is None or drawer[1]["wing"] == where["wing"])
        ]
        names, texts, filed = zip(*chosen, strict=True) if chosen else ((), (), ())
        return SimpleNamespace(ids=list(names), documents=list(texts), metadatas=list(filed))

    def delete(self, *, ids: Sequence[str] | None = None, where: dict[str, str] | None = None) -> None:
        """Remove drawers, by id or by wing."""
        for name in self.get(include=(), ids=ids, where=where).ids:
            del self.drawers[name]

    def search_memories(self, query: str, path: str, *, wing: str, n_results: int) -> dict[str, Any]:
        """Order a wing by the products of vectors."""
        embed = self.get_embedding_function()
        (asked,) = embed.embed_query(input=[query])
        listed = self.get(include=(), where={"wing": wing})
        scored = [
            (sum(a * b for a, b in zip(asked, embed(input=[text])[0], strict=True)), name, text)
            for name, text in zip(listed.ids, listed.documents, strict=True)
        ]
        best = sorted(scored, key=lambda drawer: -drawer[0])[:n_results]
        return {"results": [{"drawer_id": name, "text": text} for _, name, text in best]}


@pytest.fixture
def palace(monkeypatch: pytest.MonkeyPatch) -> Palace:
    """Stand a dictionary in the place of the product."""
    palace = Palace()
    monkeypatch.setattr(mempalace, "product", lambda _: palace)
    monkeypatch.setattr(rows, "installed", lambda *_: "3.11.0")
    monkeypatch.setattr(rows, "_counted", {MemPalace})
    return palace


def test_a_turn_is_a_drawer_in_the_wing_of_its_scope(palace: Palace) -> None:
    """Beside it stand its turn, its time and its role, and a room that all turns share."""
    system = MemPalace()
    told(system, "the beans came up")
    ((name, (text, filed)),) = palace.drawers.items()
    assert text == "the beans came up"
    assert filed["source"] == "t0"
    assert filed["room"] == "turns"
    assert filed["wing"] in name
    assert filed["authored_at"] == filed["at"] == "2023-05-08T10:00:00"


def test_wings_are_apart_though_turns_have_the_same_ids(palace: Palace) -> None:
    """A palace has one store of ids."""
    system = MemPalace()
    told(system, "the beans came up")
    told(system, "a robin sang", scope=BOB)
    assert len(palace.drawers) == 2
    assert [memory.text for memory in system.dump(ALICE)] == ["the beans came up"]
    system.erase(ALICE)
    assert [memory.text for memory in system.dump(BOB)] == ["a robin sang"]


def test_the_order_is_the_products_and_no_score_is_told(palace: Palace) -> None:
    """It orders by vectors and words together, and says how near the vectors are alone."""
    system = MemPalace()
    told(system, "the beans came up", "a robin sang")
    ranking = system.search("which robin sang?", ALICE, 5)
    assert [hit.memory.sources for hit in ranking.hits] == [("t1",), ("t0",)]
    assert {hit.score for hit in ranking.hits} == {None}


def test_drawers_are_changed_dropped_and_read_again(palace: Palace) -> None:
    """An id keeps its turn, what is gone is not counted twice, and a closed palace is opened again."""
    system = MemPalace()
    told(system, "the beans came up", "a robin sang")
    first, second = (memory.id for memory in system.dump(ALICE))
    system.update(first, "the peas came up", ALICE)
    assert system.delete([second], BOB) == 0
    assert system.delete([second, second, "absent"], ALICE) == 1
    system.reopen()
    assert [(memory.text, memory.sources) for memory in system.dump(ALICE)] == [("the peas came up", ("t0",))]
    assert palace.closed
    system.reset()
    assert list(system.dump(ALICE)) == []
