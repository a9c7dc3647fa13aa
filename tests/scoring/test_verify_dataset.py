"""What verification reads of a dataset is read once, and is the same as if it were read again."""

from __future__ import annotations

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.scoring import verify_dataset
from memgauge.scoring.verify_dataset import DatasetAtHand, Outline, at_hand


def test_the_same_data_is_read_once_and_other_data_anew() -> None:
    """Opened twice it is one; another seed is another world."""
    first = at_hand(open_dataset("synthetic:tiny,seed=3"))
    assert at_hand(open_dataset("synthetic:tiny,seed=3")) is first
    other = at_hand(open_dataset("synthetic:tiny,seed=4"))
    assert other is not first
    assert other.outlines != first.outlines
    assert other.raw_digests("turn") != first.raw_digests("turn")


def test_outlines_are_those_of_every_conversation_in_its_place() -> None:
    """Numbered as the dataset has them."""
    dataset = open_dataset("synthetic:tiny")
    expected = {case.conversation.id: Outline.of(number, case) for number, case in enumerate(dataset.cases())}
    assert DatasetAtHand(dataset).outlines == expected


@pytest.mark.parametrize("unit", ["turn", "session"])
def test_a_dataset_that_is_too_large_to_hold_says_the_same(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Made for every run, and held nowhere."""
    dataset = open_dataset("synthetic:tiny")
    held = DatasetAtHand(dataset)
    outlines, digests = held.outlines, held.raw_digests(unit)
    monkeypatch.setattr(verify_dataset, "HELD", 0)
    large = DatasetAtHand(dataset)
    assert large.outlines == outlines
    assert large.outlines is not large.outlines
    assert large.raw_digests(unit) == digests
    assert large.raw_digests(unit) is not large.raw_digests(unit)
