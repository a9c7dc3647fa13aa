"""The published benchmarks, changed: still valid, and changed where they should be."""

from __future__ import annotations

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.changed.kind import CHANGES, changed_ref
from memgauge.datasets.validate import validate
from support import real_data

_LONG = pytest.mark.slow  # its own law is below, and it is valid on a small world in test_changed


@pytest.mark.data
@pytest.mark.parametrize(
    "change", [pytest.param(name, marks=_LONG if name == "renamed-values" else ()) for name in sorted(CHANGES)]
)
def test_locomo_stays_valid(change: str) -> None:
    """Every change of LoCoMo keeps the laws, its malformed evidence entries included."""
    real_data("locomo/locomo10.json")
    assert validate(open_dataset(changed_ref(change, "locomo"))) == []


@pytest.mark.data
def test_locomo_without_its_names() -> None:
    """No speaker of LoCoMo is named any more, in no turn, question or answer."""
    real_data("locomo/locomo10.json")
    old, new = open_dataset("locomo"), open_dataset(changed_ref("renamed-values", "locomo"))
    golds = iter(new.gold())
    for before, after in zip(old.cases(), new.cases(), strict=True):
        names = {turn.speaker for turn in before.conversation.turns()}
        texts = [turn.text for turn in after.conversation.turns()] + [q.text for q in after.questions]
        texts += [answer for _ in after.questions for answer in next(golds).answers]
        assert not [text for text in texts for name in names if name in text.split()]
