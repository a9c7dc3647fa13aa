"""What the adapters of stores say without their products; and with them, where their environments exist."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime, timedelta
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError, MissingExtraError
from memgauge.products.chroma.adapter import Chroma
from memgauge.products.faiss.adapter import Faiss
from memgauge.products.lancedb.adapter import LanceDB, _where
from memgauge.products.langgraph.adapter import langgraph, namespace
from memgauge.products.memori.adapter import Memori
from memgauge.products.mempalace.adapter import MemPalace
from memgauge.products.qdrant.adapter import Qdrant, _is_id
from memgauge.products.sqlite_vec.adapter import SqliteVec
from memgauge.records import Operation, Receipt, Scope, Turn, Verdict
from memgauge.systems.catalogue import open_system
from memgauge.systems.conformance import check
from memgauge.systems.environments import product
from memgauge.systems.environments.places import environment_of
from memgauge.systems.protocol import Durable, Erasable, Expiring, Mutable, implements
from support import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.systems.protocol import MemorySystem

STORES: dict[str, Callable[[], MemorySystem]] = {
    "chroma": Chroma,
    "faiss": Faiss,
    "lancedb": LanceDB,
    "langgraph": langgraph,
    "memori": Memori,
    "mempalace": MemPalace,
    "qdrant": Qdrant,
    "sqlite-vec": SqliteVec,
}
KNOWN = {
    "langgraph": {"expiry (expiring)": Verdict.FAIL},
    "basic-memory": {"any text is accepted": Verdict.ERROR},
}
"""Promises known to be broken: an ended item is returned until somebody sweeps; 20,000 words take minutes."""
SERVERS = ("server-memory", "basic-memory")


@pytest.mark.parametrize("name", STORES)
def test_an_absent_product_is_named(name: str) -> None:
    """What to install is said, in the version that was tried."""
    if find_spec(product(name).module) is not None:
        pytest.skip(f"{name} is installed beside memgauge")
    with pytest.raises(MissingExtraError, match=f"memgauge systems install {name}"):
        STORES[name]()


def test_adapters_import_without_anything_of_ours() -> None:
    """A product's Python has none of our dependencies: standard library and this package are enough."""
    modules = [
        "memgauge.systems.mcp.declared",
        *(f"memgauge.products.{name.replace('-', '_')}.adapter" for name in STORES),
    ]
    code = f"import sys; sys.path[:0] = [{str(ROOT / 'src')!r}]; import {', '.join(modules)}"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("name", [*STORES, *SERVERS])
def test_the_product_keeps_its_promises(name: str) -> None:
    """In its own environment every promise holds but those that are known to be broken."""
    if environment_of(product(name)) is None:
        pytest.skip(f"{name} is not installed; `memgauge systems install {name}` makes its environment")
    broken = {one.name: one.verdict for one in check(lambda: open_system(name), timeout_s=600).broken}
    assert broken == KNOWN.get(name, {})


@pytest.mark.slow
@pytest.mark.parametrize("name", STORES)
def test_what_was_stored_is_there_when_it_is_opened_again(name: str) -> None:
    """Rows are read as they were written, and the same row once more is said to change nothing."""
    if environment_of(product(name)) is None:
        pytest.skip(f"{name} is not installed; `memgauge systems install {name}` makes its environment")
    system, scope, turn = open_system(name), Scope("alice"), Turn("t1", "user", "My dog is Rex.", "s1")
    system.ingest([turn], scope)
    again = system.ingest([turn], scope) or Receipt()
    assert [change.op for change in again.changes or ()] == [Operation.NOOP]
    system.flush(scope, 60)
    if implements(system, Durable):
        system.reopen()
    assert [memory.text for memory in system.dump(scope)] == ["My dog is Rex."]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["faiss", "langgraph", "qdrant", "sqlite-vec"])
def test_what_was_erased_is_in_no_file(name: str) -> None:
    """Bytes go with what they said; where a store keeps them, the suite says so of it."""
    if environment_of(product(name)) is None:
        pytest.skip(f"{name} is not installed; `memgauge systems install {name}` makes its environment")
    scope = Scope("alice")
    system = lasting = open_system(name)
    system.ingest([Turn(f"t{n}", "user", f"My number {n} is Zqbadoku{n}.", "s1") for n in range(30)], scope)
    system.flush(scope, 60)
    assert implements(system, Erasable)
    system.erase(scope)
    assert implements(lasting, Durable)
    lasting.reopen()
    files = [file for root in lasting.storage_paths() for file in (root.rglob("*") if root.is_dir() else [root])]
    assert not [file for file in files if file.is_file() and b"Zqbadoku" in file.read_bytes()]


@pytest.mark.slow
@pytest.mark.parametrize("again", ["changed", "handed over again"])
def test_langgraph_keeps_the_end_of_what_is_put_again(again: str) -> None:
    """Other words, and the same ones once more, end when the first did."""
    if environment_of(product("langgraph")) is None:
        pytest.skip("langgraph is not installed; `memgauge systems install langgraph` makes its environment")
    system = ending = changing = open_system("langgraph")
    scope, turn = Scope("alice"), Turn("t1", "user", "My code is 1234.", "s1")
    assert implements(ending, Expiring)
    assert implements(changing, Mutable)
    ends = datetime.fromisoformat("2030-01-05T11:00")
    ending.ingest_expiring(turn, scope, ends)
    if again == "changed":
        changing.update("t1", "My code is 5678.", scope)
    else:
        system.ingest([turn], scope)
    ending.sweep(ends - timedelta(hours=1))
    assert len(list(system.dump(scope))) == 1
    ending.sweep(ends + timedelta(hours=1))
    assert list(system.dump(scope)) == []


def test_every_scope_is_a_namespace_of_its_own() -> None:
    """Namespaces are equally deep, so that none lies within another, and no label is empty or holds a dot."""
    scopes = [
        Scope("a.b"),
        Scope("a"),
        Scope("a", agent="b"),
        Scope("a", agent=""),
        Scope("", "a/b", None, "none"),
    ]
    found = [namespace(scope) for scope in scopes]
    assert len(set(found)) == len(scopes)
    assert {len(one) for one in found} == {5}
    assert all(label and "." not in label for one in found for label in one)


def test_langgraph_has_two_stores() -> None:
    """Another one, or a path for the one that keeps nothing, is a mistake that is named."""
    with pytest.raises(ConfigError, match="no store 'redis'"):
        langgraph(store="redis")
    with pytest.raises(ConfigError, match="keeps nothing at a path"):
        langgraph(store="memory", path="somewhere")


def test_ids_are_quoted() -> None:
    """An id cannot end the condition that it stands in."""
    assert _where(Scope("a"), ["it's", "' OR '1' = '1"]).endswith("AND id IN ('it''s', ''' OR ''1'' = ''1')")
    assert " AND " not in _where(Scope("a"))


def test_only_uuids_are_ids_of_points() -> None:
    """Anything else cannot be there, and is not asked for."""
    assert [_is_id(text) for text in ("0b0e7e2c-95e6-5b8a-8a76-3b0d2ad4a9a6", "no-such-memory", "")] == [
        *(True, False, False)
    ]
