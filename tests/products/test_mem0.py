from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from memgauge.errors import ConfigError, MissingExtraError
from memgauge.products.mem0 import adapter as mem0
from memgauge.products.mem0.adapter import Mem0, _message, _owner
from memgauge.products.mem0_1.adapter import Mem0Classic
from memgauge.records import Form, Lineage, Operation, Receipt, Scope
from memgauge.runs.record.lineage import LineageLedger
from support.products import ALICE, BOB, opened, told, turn


class Product:
    """What the adapter calls of Mem0, kept in a list: enough to see what it is told, and what it makes of it."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.config = config
        self.rows: list[dict[str, Any]] = []
        self.prompts: list[str] = []
        self.vector_store = self.client = self.llm = self
        self.embedding_model: Any = None

    def close(self) -> None:
        """Do nothing."""

    def generate_response(self, messages: list[dict[str, Any]], **_: Any) -> str:
        """Remember what was asked."""
        self.prompts.append(messages[-1]["content"])
        return "{}"

    def add(self, messages: list[dict[str, Any]], *, infer: bool, metadata: dict[str, Any], **owner: Any) -> Any:
        """Add one row a message."""
        if infer:
            self.llm.generate_response([{"role": "user", "content": "## Observation Date\n2026-11-21\n"}])
        row = {"id": f"m{len(self.rows)}", "memory": messages[0]["content"], "metadata": metadata, "owner": owner}
        assert self.embedding_model.embed(row["memory"]) == self.embedding_model.embed_batch([row["memory"]])[0]
        self.rows.append(row)
        return {"results": [{"id": row["id"], "event": "ADD"}]}

    def search(self, query: str, *, top_k: int = 0, limit: int = 0, **options: Any) -> Any:
        """Return rows in the order of their addition."""
        return {"results": [{**row, "score": 0.5} for row in self._own(options)[: top_k or limit]]}

    def get_all(self, **options: Any) -> Any:
        """Return all rows of an owner."""
        return {"results": self._own(options)}

    def _own(self, options: dict[str, Any]) -> list[dict[str, Any]]:
        wanted = options.get("filters") or {key: options[key] for key in ("user_id",) if key in options}
        return [row for row in self.rows if row["owner"] == wanted]

    def get(self, memory: str) -> Any:
        """Return a row by its id, whoever has it."""
        return next((row for row in self.rows if row["id"] == memory), None)

    def update(self, memory: str, text: str) -> None:
        """Replace a text."""
        next(row for row in self.rows if row["id"] == memory)["memory"] = text

    def delete(self, memory: str) -> None:
        """Remove a row."""
        self.rows = [row for row in self.rows if row["id"] != memory]

    def delete_all(self, **owner: Any) -> None:
        """Remove the rows of an owner."""
        self.rows = [row for row in self.rows if row["owner"] != owner]

    def history(self, memory: str) -> list[dict[str, Any]]:
        """Tell of an addition and a deletion."""
        return [
            {"event": "ADD", "new_memory": "x", "old_memory": None},
            {"event": "DELETE", "new_memory": None, "old_memory": "x"},
        ]


@pytest.fixture
def double(monkeypatch: pytest.MonkeyPatch) -> list[Product]:
    """Stand in for Mem0 2.x, and list what was opened."""
    made: list[Product] = []

    class Memory:
        @staticmethod
        def from_config(config: dict[str, Any]) -> Product:
            made.append(Product(config))
            return made[-1]

    module = ModuleType("mem0")
    module.Memory = Memory  # type: ignore[attr-defined]
    monkeypatch.setattr(mem0, "installed", lambda *_: "2.2.1")
    monkeypatch.setattr(mem0, "product", lambda _: module)
    monkeypatch.setenv("MEM0_TELEMETRY", "")
    monkeypatch.delenv("MEM0_DIR", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "unused")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    return made


def test_without_mem0_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is installed into an environment of its own."""
    monkeypatch.setattr("memgauge.systems.adapters.product_store.version", _absent)
    with pytest.raises(MissingExtraError, match=r"mem0ai==2\.2\.1"):
        Mem0()


def _absent(_: str) -> str:
    from importlib.metadata import PackageNotFoundError

    raise PackageNotFoundError


def test_the_other_major_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both are called mem0ai and differ in what they do."""
    monkeypatch.setattr(mem0, "installed", lambda *_: "1.0.11")
    with pytest.raises(ConfigError, match=r"drives Mem0 2\.x, and 1\.0\.11 is installed"):
        Mem0()
    monkeypatch.setattr(mem0, "installed", lambda *_: "2.2.1")
    with pytest.raises(ConfigError, match="systems install mem0-1"):
        Mem0Classic(lane="raw")


@pytest.mark.usefixtures("double")
def test_the_extraction_lane_wants_a_model_and_there_are_two_lanes() -> None:
    """Both mistakes are told before anything is opened."""
    with pytest.raises(ConfigError, match="OPENAI_BASE_URL"):
        Mem0(lane="extract")
    with pytest.raises(ConfigError, match="Take raw or extract"):
        Mem0(lane="cooked")


def test_the_raw_lane_names_its_turns(double: list[Product]) -> None:
    """Every memory declares the turn that it is, the receipt names it, and scopes are apart."""
    system = Mem0()
    receipts = told(system, "I sing.", "I dance.")
    assert [change.memory for receipt in receipts for change in receipt.changes or ()] == ["m0", "m1"]
    assert [(one.text, one.sources) for one in system.dump(ALICE)] == [("I sing.", ("t0",)), ("I dance.", ("t1",))]
    assert len(system.search("sing", ALICE, 1).hits) == 1
    assert not system.search("sing", ALICE, 0).hits
    assert not list(system.dump(BOB))
    system.update("m0", "I hum.", ALICE)
    assert system.delete(["m0", "m0", "other"], ALICE) == 1
    assert [entry.op for entry in system.history("m0", ALICE)] == [Operation.ADD, Operation.DELETE]
    system.erase(ALICE)
    assert not list(system.dump(ALICE))
    before = system.storage_paths()[0]
    system.reopen()
    assert system.storage_paths()[0] == before
    system.reset()
    assert not before.exists()
    assert not system.capabilities().needs
    system.close()
    assert len(double) == 3


def test_the_extraction_is_told_the_day_of_the_turn(
    double: list[Product], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mem0 writes today into its prompt; the adapter writes the day of the turn, and says so."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    system = Mem0(lane="extract")
    told(system, "I sing.")
    assert double[0].prompts == ["## Observation Date\n2023-05-08\n"]
    assert double[0].config["llm"]["config"]["openai_base_url"] == "http://127.0.0.1:9/v1"
    caps = system.capabilities()
    assert caps.needs == ("llm",)
    assert any("observation date" in one for one in caps.interventions)
    system.close()


def test_the_classic_takes_no_sources_from_metadata(
    double: list[Product], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An update replaces them there, so that receipts alone are believed."""
    monkeypatch.setattr(mem0, "installed", lambda *_: "1.0.11")
    system = Mem0Classic(lane="raw")
    told(system, "I sing.")
    assert [one.sources for one in system.dump(ALICE)] == [()]
    ranking = system.search("sing", ALICE, 5)
    assert len(ranking.hits) == 1
    assert not ranking.notes
    assert not system.capabilities().declares_sources
    assert any("receipt" in one for one in system._changed)
    system.close()
    assert double


def test_the_classic_knows_two_witnesses() -> None:
    """Another one is a mistake that says so."""
    with pytest.raises(ConfigError, match="receipt or metadata"):
        Mem0Classic(sources="hearsay")


def test_scopes_are_spelled_as_mem0_does() -> None:
    """A tenant stands before its user, and the default tenant is silent."""
    assert _owner(Scope("ada")) == {"user_id": "ada"}
    assert _owner(Scope("ada", "acme", "bot", "s1")) == {"user_id": "acme/ada", "agent_id": "bot", "run_id": "s1"}


def test_speakers_stand_before_their_words_where_a_model_reads_them() -> None:
    """Its extraction sees roles only; the raw lane stores words alone."""
    said = turn("t", "I sing.")
    assert _message(said, "extract") == {"role": "user", "content": "I sing."}
    from dataclasses import replace

    ada = replace(said, speaker="Ada", role="narrator")
    assert _message(ada, "extract") == {"role": "user", "content": "Ada: I sing."}
    assert _message(ada, "raw")["content"] == "I sing."


@pytest.mark.slow
def test_the_raw_lane_knows_the_turn_of_every_memory() -> None:
    """Lineage is exact for all of them, and their form is raw."""
    with opened("mem0") as system:
        texts = [f"Note {number} of the garden." for number in range(30)]
        receipts = told(system, *texts)
        ledger = LineageLedger()
        for place, receipt in enumerate(receipts):
            ledger.wrote([turn(f"t{place}", texts[place])], receipt)
        kept = [ledger.keep(memory) for memory in system.dump(ALICE)]
        assert {one.lineage for one in kept} == {Lineage.EXACT}
        assert {one.form for one in kept} == {Form.RAW}
        assert sorted(one.sources for one in kept) == sorted((f"t{place}",) for place in range(30))


@pytest.mark.slow
def test_the_classic_adds_updates_and_deletes_and_the_ledger_unites_sources() -> None:
    """An update keeps the turns that a memory came from before, though Mem0 forgets them."""
    with opened("mem0-1") as system:
        texts = (
            "My home city is Rome. I bought a red bicycle.",
            "My home city is Oslo.",
            "I also like the red bicycle.",
            "I play the old piano.",
            "I no longer have the old piano.",
        )
        ledger, operations = LineageLedger(), []
        for place, text in enumerate(texts):
            receipt = system.ingest([turn(f"t{place}", text)], ALICE) or Receipt()
            ledger.wrote([turn(f"t{place}", text)], receipt)
            operations += [str(change.op) for change in receipt.changes or ()]
        kept = {one.memory.text: one for one in map(ledger.keep, system.dump(ALICE))}
    assert {"add", "update", "delete"} <= set(operations)
    assert kept["My home city is Oslo."].sources == ("t0", "t1")
    assert kept["I bought a red bicycle. I also like the red bicycle."].sources == ("t0", "t2")
    assert {one.lineage for one in kept.values()} == {Lineage.EXACT}


@pytest.mark.slow
def test_relative_days_are_those_of_the_turn() -> None:
    """The intervention meets the real prompt."""
    with opened("mem0:lane=extract") as system:
        told(system, "I moved yesterday.")
        assert [one.text for one in system.dump(ALICE)] == ["I moved on 2023-05-07."]


@pytest.mark.slow
def test_what_the_classic_forgets_at_an_update_shows_where_its_metadata_is_believed() -> None:
    """After its model's update a memory names the last turn only, and after a plain one none at all."""
    with opened("mem0-1:sources=metadata") as system:
        told(system, "My home city is Rome.", "My home city is Oslo.")
        (kept,) = system.dump(ALICE)
        assert kept.sources == ("t1",)
        system.update(kept.id, "My home city is Bonn.", ALICE)  # type: ignore[attr-defined] # it updates
        (kept,) = system.dump(ALICE)
        assert not kept.sources


def test_no_user_reads_like_a_tenant_with_its_user() -> None:
    """Scopes that are two have two owners, however tenants and users are spelt."""
    scopes = [Scope("b/c", tenant="a"), Scope("c", tenant="a/b"), Scope("a/b/c"), Scope("a%2Fb/c"), Scope("c")]
    assert len({_owner(scope)["user_id"] for scope in scopes}) == len(scopes)
