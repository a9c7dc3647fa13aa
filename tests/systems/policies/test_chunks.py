"""Chunks of consecutive turns, and the second look at them."""

from __future__ import annotations

from typing import Any

import pytest

from memgauge.errors import ConfigError, UnknownNameError
from memgauge.records import Operation, Scope, Turn, Verdict
from memgauge.systems import check, open_system
from memgauge.systems.conformance.bench import turns as garden
from memgauge.systems.policies.chunks import Chunked
from memgauge.text.dates import spell_date
from support.pipeline import ADA, day


def chunked(turns: int = 2, **how: Any) -> Chunked:
    """Open a memory of small chunks that needs no weights."""
    return Chunked(turns=turns, embedder="hashed", rerank="lexical", as_heard=False, **how)


def said(name: str, text: str, session: str = "s1") -> Turn:
    """Make one turn."""
    return Turn(name, "Ada", text, session, day(0))


def texts(system: Chunked, scope: Scope = ADA) -> list[str]:
    """List what is stored."""
    return [memory.text for memory in system.dump(scope)]


@pytest.mark.parametrize("ref", ["chunks:embedder=hashed,rerank=lexical", "chunks:embedder=hashed,turns=1"])
def test_it_keeps_every_promise(ref: str) -> None:
    """The conformance check finds nothing that fails or could not fail."""
    report = check(lambda: open_system(ref))
    assert report.conforms
    assert {one.verdict for one in report.checks} == {Verdict.PASS, Verdict.UNSUPPORTED}


def test_a_chunk_is_full_or_its_session_is_over() -> None:
    """Chunks hold so many turns of one session, whatever portions they come in."""
    turns = [said("t1", "a"), said("t2", "b"), said("t3", "c"), said("t4", "d", "s2"), said("t5", "e", "s2")]
    at_once, one_by_one = chunked(), chunked()
    at_once.ingest(turns, ADA)
    receipts = [one_by_one.ingest([turn], ADA) for turn in turns]
    assert texts(at_once) == texts(one_by_one) == ["a\nb", "c", "d\ne"]
    assert [memory.sources for memory in at_once.dump(ADA)] == [("t1", "t2"), ("t3",), ("t4", "t5")]
    assert [receipt.changes[0].op for receipt in receipts if receipt.changes] == [
        *(Operation.ADD, Operation.UPDATE, Operation.ADD, Operation.ADD, Operation.UPDATE)
    ]


def test_speakers_stand_before_their_words() -> None:
    """With their day, without it where that is asked for, and neither where the words are to stand alone."""
    forms: tuple[dict[str, Any], ...] = ({}, {"speaker": True}, {"as_heard": False})
    written = []
    for form in forms:
        system = Chunked(turns=2, embedder="hashed", rerank="lexical", **form)
        system.ingest([said("t1", "a"), said("t2", "b")], ADA)
        written += texts(system)
    date = spell_date(day(0).date())
    assert written == [f"Ada ({date}): a\nAda ({date}): b", "Ada: a\nAda: b", "a\nb"]


def test_scopes_have_chunks_of_their_own() -> None:
    """Turns of two users never stand in one chunk."""
    system = chunked()
    for number in range(3):
        for user in ("ada", "bob"):
            system.ingest([said(f"t{number}", f"{user}{number}")], Scope(user))
    assert texts(system, Scope("bob")) == ["bob0\nbob1", "bob2"]
    system.erase(ADA)
    system.ingest([said("t9", "new")], ADA)
    assert (texts(system), texts(system, Scope("bob"))) == (["new"], ["bob0\nbob1", "bob2"])


def test_a_turn_again_takes_its_old_place() -> None:
    """Also in a chunk that is full; nothing is stored twice."""
    system = chunked()
    turns = [said("t1", "a"), said("t2", "b"), said("t3", "c")]
    system.ingest(turns, ADA)
    system.ingest(turns, ADA)
    assert texts(system) == ["a\nb", "c"]
    system.ingest([said("t1", "x")], ADA)
    assert texts(system) == ["x\nb", "c"]


def test_what_was_deleted_or_changed_does_not_come_back_with_the_next_turn() -> None:
    """The chunk that was open is closed."""
    system = chunked(4)
    system.ingest([said("t1", "secret"), said("t2", "b")], ADA)
    assert system.delete(["t1/chunk"], ADA) == 1
    system.ingest([said("t3", "c")], ADA)
    assert texts(system) == ["c"]
    system.update("t3/chunk", "changed", ADA)
    system.ingest([said("t4", "d")], ADA)
    assert texts(system) == ["changed", "d"]
    system.sweep(day(9))
    system.ingest([said("t5", "e")], ADA)
    assert texts(system) == ["changed", "d", "e"]
    system.reset()
    system.ingest([said("t6", "f")], ADA)
    assert texts(system) == ["f"]


def test_the_second_look_orders_what_the_first_found() -> None:
    """Words that stand together lead, and a chunk that no second look reached follows without a score."""
    system = chunked(1, candidates=2)
    lines = ["violin green case", "my green violin", "violin violin", "green green", "a cello"]
    system.ingest([said(f"t{n}", line) for n, line in enumerate(lines)], ADA)
    hits = system.search("green violin", ADA, 9).hits
    assert hits[0].memory.text == "my green violin"
    assert [hit.score is None for hit in hits][:3] == [False, False, True]
    for k in range(1, 6):
        assert system.search("green violin", ADA, k).hits == hits[:k]


def test_the_top_begins_the_longer_list() -> None:
    """How many are asked for does not change their order, also beyond the candidates."""
    system = chunked(1, candidates=3)
    system.ingest(garden(), ADA)
    long = system.search("rain in the garden", ADA, 60).hits
    assert len(long) > 10
    assert system.search("rain in the garden", ADA, 10).hits == long[:10]


@pytest.mark.parametrize("how", [{"turns": 0}, {"candidates": 0}])
def test_sizes_are_at_least_one(how: dict[str, int]) -> None:
    """What cannot be is refused."""
    with pytest.raises(ConfigError, match="is not a whole number from 1 to"):
        Chunked(embedder="hashed", rerank="lexical", **how)  # type: ignore[arg-type] # mypy takes any for all
    with pytest.raises(UnknownNameError, match="reranker"):
        Chunked(embedder="hashed", rerank="nothing")
