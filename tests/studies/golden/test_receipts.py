"""Receipts: what a memory says that a write changed, beside what is stored before and after it."""

from __future__ import annotations

import pytest

from memgauge.records import Change, Memory, Operation, Receipt
from memgauge.studies.golden.receipts import false_change

OLD, NEW, OTHER = Memory("m1", "city: Oslo"), Memory("m1", "city: Rome"), Memory("m2", "dog: Rex")
UPDATE, ADD = Change(Operation.UPDATE, "m1"), Change(Operation.ADD, "m2")


@pytest.mark.parametrize(
    ("changes", "before", "after", "wrong"),
    [
        ((UPDATE,), [OLD], [NEW], ""),
        ((ADD,), [OLD], [OLD, OTHER], ""),
        (None, [OLD], [NEW, OTHER], ""),
        ((UPDATE,), [OLD], [OLD], "it says update m1, which did not happen"),
        ((), [OLD], [OLD, OTHER], "it leaves out m2, which is new"),
        ((), [OLD], [NEW], "it leaves out m1, which says something else now"),
    ],
)
def test_a_receipt_names_what_happened(
    changes: tuple[Change, ...] | None, before: list[Memory], after: list[Memory], wrong: str
) -> None:
    """What it names happened, and what is new or was asked to change is named; one that names nothing may."""
    assert false_change(Receipt(changes), before, after, asked="m1") == wrong


def test_others_may_change_their_words_unnamed() -> None:
    """A text that speaks of what another write did is no change of its own."""
    assert not false_change(Receipt(()), [OLD], [NEW], asked="m9")
    assert not false_change(Receipt(()), [OLD], [OLD, OTHER], by_itself={"m2"})
