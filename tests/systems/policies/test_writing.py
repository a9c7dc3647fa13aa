"""What a built-in memory keeps beside turns."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import DataNotFoundError, UnknownNameError
from memgauge.records import Form, Memory, Receipt, Scope
from memgauge.runs.play.plan import plan
from memgauge.runs.record.manifest import Limits
from memgauge.systems.catalogue import open_system
from memgauge.systems.conformance.check import check
from memgauge.systems.storefile import spell_store
from support.handmade import conversation

if TYPE_CHECKING:
    from pathlib import Path

HERE = Scope("c1")
TURNS = tuple(conversation().turns())


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Write a store of two memories, one of which needs two turns."""
    path = tmp_path / "mine.jsonl"
    memories = (
        Memory("both", "Mist the grey cat sleeps on a piano.", Form.CANONICAL, ("t1", "t3")),
        Memory("porto", "Ben lives in Porto.", Form.SUMMARY, ("t4",)),
    )
    path.write_text(spell_store({"store": "mine"}, {"c1": memories}))
    return path


def test_a_memory_appears_when_the_last_of_its_turns_was_said(store: Path) -> None:
    """Not before, in no other scope, and again after everything was forgotten and said anew."""
    system = open_system(f"bm25:store={store}")
    system.ingest(TURNS[:2], HERE)
    assert [memory.id for memory in system.dump(HERE)] == ["t1", "t2"]
    receipt = system.ingest(TURNS[2:3], HERE) or Receipt()
    assert [change.memory for change in receipt.changes or ()] == ["t3", "both"]
    system.ingest(TURNS, Scope("c2"))
    assert not any(memory.form is Form.CANONICAL for memory in system.dump(Scope("c2")))
    found = system.search("the piano of Mist", HERE, 5).hits
    assert {hit.memory.form for hit in found} == {Form.RAW, Form.CANONICAL}
    system.reset()
    system.ingest(TURNS, HERE)
    assert [memory.id for memory in system.dump(HERE)][-2:] == ["both", "porto"]


def test_a_parser_lives_in_the_stream(tmp_path: Path) -> None:
    """What a system parses while it listens is what the same store holds that was written beforehand."""
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.studies.targets.stores import write_store

    dataset = open_dataset("synthetic:tiny")
    case = next(dataset.cases())
    scope = Scope(case.conversation.id)
    filed = open_system(f"bm25:store={write_store(dataset, 'facts-5', tmp_path)}")
    online = open_system("bm25:store=facts-5")
    for system in (filed, online):
        for turn in case.conversation.turns():
            system.ingest([turn], scope)
    assert list(filed.dump(scope)) == list(online.dump(scope))
    assert any(memory.form is Form.CANONICAL for memory in online.dump(scope))


def test_another_store_is_another_run(store: Path) -> None:
    """The content of the file is part of the identity, not only its path."""
    (before,) = plan(["synthetic:tiny"], [f"tfidf:store={store}"]).cells
    store.write_text(store.read_text().replace("Porto", "Lisbon"))
    (after,) = plan(["synthetic:tiny"], [f"tfidf:store={store}"]).cells
    assert before.manifest.identity != after.manifest.identity
    (plain,) = plan(["synthetic:tiny"], ["tfidf"], limits=Limits()).cells
    assert plain.manifest.system.source == ""


def test_memories_with_stores_keep_their_promises() -> None:
    """Parsing beside turns passes the same conformance check as keeping turns alone."""
    assert check(lambda: open_system("bm25:store=facts-5")).broken == ()


def test_a_store_that_does_not_exist_is_refused() -> None:
    """A path without a file, and a list of stop words that nobody wrote."""
    with pytest.raises(DataNotFoundError, match="Cannot read"):
        open_system("bm25:store=nowhere.jsonl")
    with pytest.raises(UnknownNameError, match="stop words"):
        open_system("bm25:stop=latin")


def test_stop_words_and_stems_go_together() -> None:
    """A query of stop words alone finds nothing."""
    system = open_system("bm25:stop=lucene,stem=english")
    system.ingest(TURNS, HERE)
    assert system.search("the of and", HERE, 5).hits == ()
    assert system.search("adopting", HERE, 5).hits[0].memory.id == "t1"


def test_what_descends_from_a_turn_goes_with_it(store: Path) -> None:
    """Deleting a turn deletes what descends from it alone, and an expiring turn's facts expire with it."""
    system = open_system(f"bm25:store={store}")
    system.ingest(TURNS, HERE)
    assert system.delete(["t4"], HERE) == 1  # type: ignore[attr-defined] # an optional ability of the protocol
    assert not {"t4", "porto"} & {memory.id for memory in system.dump(HERE)}
    assert system.delete(["t1"], HERE) == 1  # type: ignore[attr-defined]
    assert "both" in {memory.id for memory in system.dump(HERE)}
    later = datetime(2024, 5, 1)  # noqa: DTZ001 - naive as in conversations
    system.reset()
    system.ingest_expiring(TURNS[3], HERE, later)  # type: ignore[attr-defined]
    assert system.search("Porto", HERE, 5, as_of=later).hits == ()
    assert len(system.search("Porto", HERE, 5).hits) == 2


def test_a_memory_never_takes_the_place_of_a_turn(tmp_path: Path) -> None:
    """A foreign store may use the same names."""
    path = tmp_path / "foreign.jsonl"
    path.write_text(spell_store({"store": "x"}, {"c1": (Memory("t1", "A cat.", Form.CANONICAL, ("t1",)),)}))
    system = open_system(f"bm25:store={path}")
    system.ingest(TURNS[:1], HERE)
    assert [memory.id for memory in system.dump(HERE)] == ["t1", "stored:t1"]
