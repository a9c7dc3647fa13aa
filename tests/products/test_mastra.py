from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.errors import CallFailed, MissingExtraError
from memgauge.products.mastra import adapter as mastra
from memgauge.products.mastra.adapter import Mastra
from memgauge.products.mastra.child import NodeMemory
from memgauge.systems.mcp import hosting
from support.products import ALICE, BOB, opened, recalls_and_forgets, told, turn

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PROGRAM = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["op"] == "embed":
        print("a library prints this")
        print(json.dumps({"embed": asked["texts"]}), flush=True)
        print(json.dumps({"result": json.loads(sys.stdin.readline())}), flush=True)
    elif asked["op"] == "refuse":
        print(json.dumps({"error": "no such thread"}), flush=True)
    else:
        sys.exit("out of memory")
"""
"""A process that speaks as memory.cjs does."""


class Messages:
    """What memory.cjs answers, from one table of messages a file."""

    def __init__(self) -> None:
        self.files: dict[str, dict[str, dict[str, Any]]] = {}
        self.alone: set[str] = set()
        """Ids that recall returns without having found them, as it does where two have one time."""

    def call(self, embed: Callable[[list[str]], list[list[float]]], op: str, *, file: str, **given: Any) -> Any:
        """Do *op* on the messages of *file*."""
        rows = self.files.setdefault(file, {})
        own = [row for row in rows.values() if row["scope"] == given.get("scope")]
        if op == "put":
            assert len(embed([row["text"] for row in given["rows"]])[0]) == 256
            rows.update({row["id"]: {**row, "scope": given["scope"]} for row in given["rows"]})
        elif op == "search":
            scored = [{**row, "score": None if row["id"] in self.alone else len(row["text"]) / 100} for row in own]
            return sorted(scored, key=lambda row: row["at"])[: given["k"]]
        elif op == "list":
            return [row for row in own if given["ids"] is None or row["id"] in given["ids"]]
        elif op == "drop":
            for name in given["ids"]:
                del rows[name]
        elif op == "erase":
            self.files[file] = {name: row for name, row in rows.items() if row["scope"] != given["scope"]}
        return None


@pytest.fixture
def messages(monkeypatch: pytest.MonkeyPatch) -> Messages:
    """Stand in for Node and what runs on it."""
    made = Messages()
    monkeypatch.setattr(mastra, "_node", lambda: made)
    monkeypatch.setattr(hosting, "package_version", lambda *_: "1.31.0")
    monkeypatch.setattr("memgauge.systems.adapters.rows._counted", {Mastra})
    return made


@pytest.fixture
def child(tmp_path: Path) -> NodeMemory:
    """Start the process."""
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    return NodeMemory([sys.executable, "program.py"], {}, tmp_path)


def test_turns_are_messages_a_millisecond_apart(messages: Messages) -> None:
    """Scopes are threads, and a changed message keeps its source and its time."""
    system = Mastra()
    told(system, "I sing.", "I dance.")
    times = [row["at"] for rows in messages.files.values() for row in rows.values()]
    assert times == ["2023-05-08T10:00:00.001000+00:00", "2023-05-08T10:00:00.002000+00:00"]
    assert [(memory.text, memory.sources) for memory in system.dump(ALICE)] == [
        ("I sing.", ("t0",)),
        ("I dance.", ("t1",)),
    ]
    assert not list(system.dump(BOB))
    system.update(system.row_id("t0", ALICE), "I hum.", ALICE)
    assert [memory.event_at.minute for memory in system.dump(ALICE) if memory.event_at] == [0, 0]
    assert system.delete([system.row_id("t1", ALICE)], BOB) == 0
    assert system.delete([system.row_id("t1", ALICE)], ALICE) == 1
    system.erase(ALICE)
    assert not list(system.dump(ALICE))
    system.close()


def test_hits_are_ranked_by_the_scores_of_the_vector_query(messages: Messages) -> None:
    """What recall returns in the order of time; what it returns unfound stands last and has no score."""
    system = Mastra()
    told(system, "I sing.", "I dance on Mondays.", "I run a long way at night, and alone.")
    messages.alone = {system.row_id("t2", ALICE)}
    hits = system.search("Mondays", ALICE, 3).hits
    assert [(hit.memory.sources, hit.score) for hit in hits] == [(("t1",), 0.19), (("t0",), 0.07), (("t2",), None)]
    system.close()


def test_a_role_that_mastra_does_not_take_comes_back_as_it_was(messages: Messages) -> None:
    """A message of ``system`` would be dropped: it is stored as the user's, and remembered as what it was."""
    system = Mastra()
    system.ingest([turn("t0", "It rains.", "system")], ALICE)
    assert [row["role"] for rows in messages.files.values() for row in rows.values()] == ["user"]
    assert [memory.channel for memory in system.dump(ALICE)] == ["system"]
    system.close()


def test_without_its_packages_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Node of the machine alone is not Mastra."""
    monkeypatch.setattr(hosting, "package_version", lambda *_: "")
    with pytest.raises(MissingExtraError, match="memgauge systems install mastra"):
        Mastra()


def test_a_call_may_ask_back_for_vectors(child: NodeMemory) -> None:
    """Between a call and its result; what a library prints is not heard."""
    assert child.call(lambda texts: [[float(len(text))] for text in texts], "embed", texts=["ab", "c"]) == [
        [2.0],
        [1.0],
    ]
    with pytest.raises(CallFailed, match="refuse: no such thread"):
        child.call(lambda _: [], "refuse")
    assert not child.is_gone
    child.close()
    assert child.is_gone


def test_the_last_words_of_a_process_are_said(child: NodeMemory) -> None:
    """A call that it does not survive fails with what it wrote."""
    with pytest.raises(CallFailed, match="during crash: out of memory"):
        child.call(lambda _: [], "crash")


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    """And what brings it."""
    with pytest.raises(MissingExtraError, match="no-node cannot be started"):
        NodeMemory(["no-node"], {}, tmp_path)


@pytest.mark.slow
def test_the_installed_product_recalls_what_it_was_told() -> None:
    """Where its environment exists: of turns with one time, each is found; and nothing of an erased scope."""
    with opened("mastra") as system:
        recalls_and_forgets(system)
