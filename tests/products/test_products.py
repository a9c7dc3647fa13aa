"""What the other adapters do without their product, and what their products do where they are installed."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError, MissingExtraError
from memgauge.products.a_mem.adapter import AMem
from memgauge.products.cognee.adapter import Cognee
from memgauge.products.graphiti.adapter import Graphiti
from memgauge.products.hindsight.adapter import Hindsight
from memgauge.products.langmem.adapter import LangMem
from memgauge.products.letta.adapter import Letta
from memgauge.products.memos.adapter import MemOS
from memgauge.records import Form, Lineage, Receipt
from memgauge.runs.record.lineage import LineageLedger
from memgauge.systems.catalogue import open_system
from memgauge.systems.conformance import check
from memgauge.systems.environments.products import product
from support.products import ALICE, BOB, opened, told, turn

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.systems.protocol import MemorySystem

MODEL = {"langmem": LangMem, "graphiti": Graphiti, "cognee": Cognee}
PINS = {adapter.name: adapter.pin for adapter in (LangMem, Letta, MemOS, Graphiti, Cognee, Hindsight)}


@pytest.mark.parametrize("adapter", [*MODEL.values(), Letta, MemOS], ids=lambda one: one.name)
def test_a_product_that_is_absent_is_named_with_its_pin(
    adapter: Callable[[], MemorySystem], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The remedy is an environment of its own."""

    def absent(_: str) -> str:
        raise PackageNotFoundError

    monkeypatch.setattr("memgauge.systems.adapters.product_store.version", absent)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    with pytest.raises(MissingExtraError, match="memgauge systems install"):
        adapter()


@pytest.mark.parametrize("name", MODEL)
def test_a_model_that_is_not_named_is_asked_for(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is opened before."""
    monkeypatch.setattr("memgauge.systems.adapters.product_store.version", lambda _: "1")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigError, match=f"{name} asks a language model"):
        MODEL[name]()


def test_a_mem_wants_a_checkout_and_memos_a_lane() -> None:
    """Both say what would be right."""
    with pytest.raises(ConfigError, match="agiresearch/A-mem"):
        AMem()
    with pytest.raises(ConfigError, match="raw or extract"):
        MemOS(lane="cooked")


@pytest.mark.parametrize("name", PINS)
def test_the_pin_that_is_told_is_the_one_that_is_installed(name: str) -> None:
    """An adapter and its product's file name one version."""
    assert PINS[name] in product(name).packages


@pytest.mark.slow
@pytest.mark.parametrize(
    "ref",
    [
        "graphiti",
        "cognee",
        "letta",
        "memos",
        "memos:lane=extract",
        "mem0",
        "mem0:lane=extract",
        "hindsight:start=600",
        "hindsight:lane=extract,start=600",
    ],
)
def test_every_memory_names_its_turn(ref: str) -> None:
    """What the product declares is what was written, and another scope holds nothing."""
    texts = ["My home city is Rome.", "I bought a red bicycle.", "The old gate needs paint."]
    with opened(ref) as system:
        told(system, *texts)
        stored = list(system.dump(ALICE))
        assert {one.sources for one in stored} == {("t0",), ("t1",), ("t2",)}
        hits = system.search("Where is the red bicycle?", ALICE, 60).hits
        assert hits[0].memory.sources == ("t1",)
        assert not list(system.dump(BOB))


@pytest.mark.slow
def test_langmem_says_what_it_adds_replaces_and_removes() -> None:
    """Its receipts unite sources where a memory is replaced."""
    texts = [
        "My home city is Rome.",
        "My home city is Oslo.",
        "I bought a red bicycle.",
        "I no longer have the red bicycle.",
    ]
    with opened("langmem") as system:
        ledger, operations = LineageLedger(), []
        for place, text in enumerate(texts):
            receipt = system.ingest([turn(f"t{place}", text)], ALICE) or Receipt()
            ledger.wrote([turn(f"t{place}", text)], receipt)
            operations += [str(change.op) for change in receipt.changes or ()]
        (kept,) = [ledger.keep(one) for one in system.dump(ALICE)]
    assert operations == ["add", "update", "add", "delete"]
    assert (kept.memory.text, kept.sources, kept.lineage) == (texts[1], ("t0", "t1"), Lineage.EXACT)


@pytest.mark.slow
def test_graphiti_ends_a_fact_that_is_contradicted_and_forgets_with_an_episode() -> None:
    """A fact has an end of its own, and goes with the first episode that it rests on."""
    with opened("graphiti") as system:
        told(system, "My home city is Rome.", "My home city is Oslo.")
        facts = {one.text: one for one in system.dump(ALICE) if one.form is Form.EDGE}
        assert facts["My home city is Rome."].valid_to is not None
        assert facts["My home city is Oslo."].valid_to is None
        assert system.delete(["t1"], ALICE) == 1  # type: ignore[attr-defined] # it deletes
        left = {one.text: one for one in system.dump(ALICE) if one.form is Form.EDGE}
        assert set(left) == {"My home city is Rome."}
        assert left["My home city is Rome."].valid_to is not None  # still ended by what is gone


KNOWN = {
    "mem0": {"any text is accepted"},
    "mem0-1": set(),
    "langmem": set(),
    "memos": set(),
    "graphiti": {"top 10 begins top 60", "any text is accepted", "update (mutable)", "delete (mutable)"},
}
"""Promises that a product is known not to keep."""


@pytest.mark.slow
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("name", KNOWN)
def test_the_product_keeps_its_promises(name: str) -> None:
    """Beside a scripted model every promise holds but those that are known to be broken."""
    with opened(name):
        broken = {one.name for one in check(lambda: open_system(name), timeout_s=600).broken}
    assert broken == KNOWN[name]
