"""Who a memory descends from, by every witness."""

from __future__ import annotations

import hashlib
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.records import Change, Form, Lineage, Memory, Operation, Receipt, Turn
from memgauge.runs.record.lineage import LineageLedger, digest, is_raw

T1 = Turn("t1", "Ada", "I have a  Cat", "s1")
T2 = Turn("t2", "Ben", "Its name is Mist", "s1")
T3 = Turn("t3", "Ada", "Bye", "s1")


def receipt(op: Operation, memory: str = "m") -> Receipt:
    """Say that a write did *op* to one memory."""
    return Receipt((Change(op, memory),))


def test_declared_sources_that_a_receipt_confirms_are_exact() -> None:
    """Two witnesses agree."""
    ledger = LineageLedger()
    ledger.wrote([T1], receipt(Operation.ADD))
    kept = ledger.keep(Memory("m", "a fact", sources=("t1",)))
    assert (kept.sources, kept.lineage, kept.form) == (("t1",), Lineage.EXACT, Form.CANONICAL)


def test_declared_sources_alone_are_declared() -> None:
    """One witness, and it is the system; a turn that was never written is not believed."""
    ledger = LineageLedger()
    ledger.wrote([T1], Receipt())
    kept = ledger.keep(Memory("m", "a fact", sources=("t9", "t1", "t1")))
    assert (kept.sources, kept.lineage) == (("t1",), Lineage.DECLARED)


def test_declared_sources_beyond_the_receipts_are_only_declared() -> None:
    """A receipt for one of two turns confirms neither the pair nor replaces it."""
    ledger = LineageLedger()
    ledger.wrote([T1], receipt(Operation.ADD))
    ledger.wrote([T2], Receipt(()))
    kept = ledger.keep(Memory("m", "a fact", sources=("t1", "t2")))
    assert (kept.sources, kept.lineage) == (("t1", "t2"), Lineage.DECLARED)


@pytest.mark.parametrize("op", [Operation.ADD, Operation.UPDATE, Operation.NOOP])
def test_receipts_unite_sources(op: Operation) -> None:
    """An update does not erase where a memory came from, and a confirmation adds to it."""
    ledger = LineageLedger()
    ledger.wrote([T1], receipt(Operation.ADD))
    ledger.wrote([T2], receipt(op))
    kept = ledger.keep(Memory("m", "a fact"))
    assert (kept.sources, kept.lineage) == (("t1", "t2"), Lineage.EXACT)


@pytest.mark.parametrize("op", [Operation.DELETE, Operation.INVALIDATE])
def test_deletions_add_no_source(op: Operation) -> None:
    """The turn that ended a memory is not where it came from."""
    ledger = LineageLedger()
    ledger.wrote([T1], receipt(Operation.ADD))
    ledger.wrote([T2], receipt(op))
    assert ledger.keep(Memory("m", "a fact")).sources == ("t1",)


def test_a_comparison_credits_what_is_new_or_changed() -> None:
    """A memory that stayed the same gains nothing; inferred is all that can be said."""
    ledger = LineageLedger()
    ledger.wrote([T1], Receipt())
    ledger.compared([T1], [Memory("a", "x"), Memory("b", "y")])
    ledger.wrote([T2], Receipt())
    ledger.compared([T2], [Memory("a", "x"), Memory("b", "y, and more")])
    a, b = ledger.keep(Memory("a", "x")), ledger.keep(Memory("b", "y, and more"))
    assert (a.sources, b.sources) == (("t1",), ("t1", "t2"))
    assert {a.lineage, b.lineage} == {Lineage.INFERRED}


@pytest.mark.parametrize("text", ["I have a cat", "ada: I HAVE A  CAT", "I have a  Cat"])
def test_the_text_is_the_last_witness(text: str) -> None:
    """Case and white space do not matter, the speaker may stand in front; it is raw as measured."""
    ledger = LineageLedger()
    ledger.wrote([T1], Receipt())
    kept = ledger.keep(Memory("m", text, form=Form.CANONICAL))
    assert (kept.sources, kept.lineage, kept.form) == (("t1",), Lineage.INFERRED, Form.RAW)


def test_a_turn_said_twice_is_both_turns() -> None:
    """Text cannot tell two equal turns apart."""
    ledger = LineageLedger()
    ledger.wrote([T3], Receipt())
    ledger.wrote([Turn("t7", "Ada", "bye", "s2")], Receipt())
    assert ledger.keep(Memory("m", "Bye")).sources == ("t3", "t7")


@pytest.mark.parametrize("text", ["I have a Cat\nIts name is Mist", "Ada: I have a Cat\nBen: Its name is Mist"])
def test_the_turns_of_one_write_joined_are_raw(text: str) -> None:
    """A session kept as one text is its turns word for word."""
    ledger = LineageLedger()
    ledger.wrote([T1, T2], Receipt())
    kept = ledger.keep(Memory("m", text))
    assert (kept.sources, kept.form) == (("t1", "t2"), Form.RAW)


@pytest.mark.parametrize(
    ("claimed", "form"),
    [(Form.RAW, Form.CANONICAL), (Form.UNKNOWN, Form.CANONICAL), (Form.SUMMARY, Form.SUMMARY)],
)
def test_raw_is_measured_and_never_only_claimed(claimed: Form, form: Form) -> None:
    """A text that is not the turn's is derived, whatever the system calls it."""
    ledger = LineageLedger()
    ledger.wrote([T1], receipt(Operation.ADD))
    assert ledger.keep(Memory("m", "Ada owns a cat", form=claimed)).form is form


@pytest.mark.parametrize(
    ("claimed", "form"), [(Form.RAW, Form.UNKNOWN), (Form.UNKNOWN, Form.UNKNOWN), (Form.EDGE, Form.EDGE)]
)
def test_without_any_witness_lineage_is_absent(claimed: Form, form: Form) -> None:
    """Nobody knows, and raw is not believed."""
    ledger = LineageLedger()
    ledger.wrote([T1], Receipt())
    kept = ledger.keep(Memory("m", "an invention", form=claimed))
    assert (kept.sources, kept.lineage, kept.form) == ((), Lineage.ABSENT, form)


def test_a_version_is_a_text_with_its_sources() -> None:
    """A known version gives the same row; a new text, or new sources, the next one."""
    ledger = LineageLedger()
    ledger.wrote([T1], receipt(Operation.ADD))
    first = ledger.keep(Memory("m", "one"))
    again = ledger.keep(Memory("m", "one"))
    other = ledger.keep(Memory("m", "two"))
    ledger.wrote([T2], receipt(Operation.NOOP))
    grown = ledger.keep(Memory("m", "two"))
    assert again is first
    assert [(kept.row, kept.version, kept.sources) for kept in (first, other, grown)] == [
        (0, 1, ("t1",)), (1, 2, ("t1",)), (2, 3, ("t1", "t2")),
    ]  # fmt: skip
    assert tuple(ledger.rows()) == (first, other, grown)


@given(text=st.text())
def test_the_hash_is_sha256_of_the_text(text: str) -> None:
    """Anybody can recompute it."""
    assert digest(text) == hashlib.sha256(text.encode()).hexdigest()


def test_a_memory_that_gains_a_source_is_a_new_version_even_as_the_same_object() -> None:
    """What was kept of an object holds until the next write, and no longer."""
    ledger, memory = LineageLedger(), Memory("m", "a fact")
    ledger.wrote([T1], receipt(Operation.ADD))
    first = ledger.keep(memory)
    assert ledger.keep(memory) is first
    ledger.wrote([T2], receipt(Operation.UPDATE))
    second = ledger.keep(memory)
    assert (first.sources, second.sources) == (("t1",), ("t1", "t2"))
    assert (first.version, second.version) == (1, 2)


WORDS = st.sampled_from(
    ["cat", "Mist", "the", "I", "Ada:", "said:", "-", "(important)", "!", "", "on 4 May", "name"]
)
TEXTS = st.lists(WORDS, max_size=8).map(" ".join)


@given(
    texts=st.lists(TEXTS, min_size=1, max_size=4),
    cuts=st.sets(st.integers(1, 3)),
    around=st.tuples(TEXTS, TEXTS),
    of=st.integers(0, 3),
    whole=st.booleans(),
)
def test_what_a_ledger_calls_raw_of_one_turn_can_be_seen_without_it(
    texts: list[str], cuts: set[int], around: tuple[str, str], of: int, *, whole: bool
) -> None:
    """However turns are written and a memory words one of them, who verifies sees what the ledger saw."""
    turns = [Turn(f"t{place}", "Ada", text, "s1") for place, text in enumerate(texts)]
    writes = [turns[start:end] for start, end in pairwise(sorted({0, len(turns), *cuts & set(range(len(turns)))}))]
    source = turns[of % len(turns)]
    (written,) = [write for write in writes if source in write]
    ledger = LineageLedger()
    for write in writes:
        ledger.wrote(write, Receipt())
    said = "\n".join(turn.text for turn in (written if whole else [source]))
    kept = ledger.keep(Memory("m", f"{around[0]} {said} {around[1]}", sources=(source.id,)))
    if kept.form == Form.RAW:
        assert is_raw(kept.memory.text, source, written)
