"""Files are called by where they lie and taken for what they are declared to be, or named like."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.studies.erasure.places import LookedRoots, kind_of, places
from memgauge.systems.environments.products import product, product_names

if TYPE_CHECKING:
    from pathlib import Path

KINDS = {"store", "index", "history", "log", "cache", "write-ahead log", "backup"}


@pytest.mark.parametrize(
    ("shown", "kind"),
    [
        ("store/memory.db-wal", "write-ahead log"),
        ("store/2031-05.bak", "backup"),
        ("store/server.log", "log"),
        ("store/history.db", "history"),
        ("beside the store/cache/one.bin", "cache"),
        ("store/vectors.faiss", "index"),
        ("store/memory.json", "store"),
    ],
)
def test_names_say_what_files_are(shown: str, kind: str) -> None:
    """Where nobody has declared it."""
    assert kind_of(shown, {}, "store") == kind


def test_what_a_product_declares_comes_first() -> None:
    """Wherever below the store a pattern fits."""
    declared = product("mem0").places
    assert kind_of("store/store-1/history.db", declared, "store") == "history"
    assert kind_of("store/store-1/qdrant/collection/memories/storage.sqlite", declared, "?") == "store"


@pytest.mark.parametrize("name", product_names())
def test_every_declared_place_is_of_a_known_kind(name: str) -> None:
    """The word before the colon."""
    assert {meaning.partition(":")[0] for meaning in product(name).places.values()} <= KINDS


def test_each_file_is_looked_at_once(tmp_path: Path) -> None:
    """A file of the store that was seen being written, and one elsewhere, by where it lies."""
    store, beside = tmp_path / "store", tmp_path / "beside.log"
    (store / "deep").mkdir(parents=True)
    (store / "deep" / "rows.json").write_text("{}", "utf-8")
    beside.write_text("", "utf-8")
    seen = list(places(LookedRoots((store,)), [store / "deep" / "rows.json", beside]))
    assert seen[0].shown == "store/deep/rows.json"
    assert [place.kind for place in seen] == ["store", "log"]
