"""Gold: which turns are evidence under which policy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.records import Evidence, EvidencePolicy, Gold

STRICT, REPAIR = EvidencePolicy.STRICT, EvidencePolicy.REPAIR
TURN = st.sampled_from(["D1:1", "D1:2", "D2:1", "D2:2"])
EXACT = TURN.map(lambda turn: Evidence(turn, exact=True, turns=(turn,)))
LOOSE = st.lists(TURN, max_size=3).map(lambda turns: Evidence("; ".join(turns), exact=False, turns=tuple(turns)))
GOLD = st.lists(EXACT | LOOSE, max_size=6).map(lambda entries: Gold("q", tuple(entries)))


def test_strict_reads_exact_entries_only() -> None:
    """A malformed entry earns nothing unless repairing was asked for."""
    gold = Gold(
        "q",
        (
            Evidence("D1:2;D1:1", exact=False, turns=("D1:2", "D1:1")),
            Evidence("D3:1", exact=True, turns=("D3:1",)),
        ),
    )
    assert gold.anchors() == ("D3:1",)
    assert gold.anchors(REPAIR) == ("D1:2", "D1:1", "D3:1")


@given(GOLD)
def test_anchors_are_distinct_and_repairing_never_loses_one(gold: Gold) -> None:
    """Each policy gives every turn once, and repair gives at least what strict gives."""
    strict, repaired = gold.anchors(STRICT), gold.anchors(REPAIR)
    assert len(set(repaired)) == len(repaired)
    assert len(set(strict)) == len(strict)
    assert set(strict) <= set(repaired)


@given(GOLD)
def test_anchors_keep_the_order_of_the_entries(gold: Gold) -> None:
    """Turns appear in the order in which the dataset first cites them."""
    cited = [turn for entry in gold.evidence for turn in entry.turns]
    assert list(gold.anchors(REPAIR)) == sorted(set(cited), key=cited.index)


@pytest.mark.parametrize("policy", EvidencePolicy)
@given(gold=GOLD)
def test_there_is_a_reason_exactly_when_there_is_nothing_to_find(policy: EvidencePolicy, gold: Gold) -> None:
    """Undefined is undefined with a reason, and only then."""
    assert (gold.why_no_anchors(policy) is None) == bool(gold.anchors(policy))


def test_no_evidence_and_unresolved_evidence_are_told_apart() -> None:
    """An empty list of citations is another defect than citations that point nowhere."""
    assert Gold("q").why_no_anchors() == "no evidence"
    assert Gold("q", (Evidence("D99:1", exact=False, turns=()),)).why_no_anchors(REPAIR) == "no evidence resolves"
