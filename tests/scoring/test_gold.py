"""Gold as columns."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import IdentityError
from memgauge.records import Contract, EvidencePolicy
from memgauge.scoring.gold import GoldTable
from support.handmade import Handmade, five_questions, two_questions

if TYPE_CHECKING:
    from memgauge.runs.record.store import Run


def test_anchors_follow_the_policy() -> None:
    """Malformed evidence resolves under repair alone."""
    gold = GoldTable.read(five_questions())
    names = {number: turn for (_, turn), number in gold.turn_number.items()}

    def pairs(policy: EvidencePolicy) -> list[tuple[int, str]]:
        anchors = gold.anchors(policy)
        return [(int(q), names[int(t)]) for q, t in zip(anchors.query, anchors.turn, strict=True)]

    assert pairs(EvidencePolicy.STRICT) == [(0, "t1"), (0, "t3"), (1, "t3"), (4, "t9")]
    assert pairs(EvidencePolicy.REPAIR) == [(0, "t1"), (0, "t3"), (1, "t3"), (3, "t4"), (4, "t9")]


@pytest.mark.parametrize(
    ("contract", "reasons"),
    [
        ("", ["", "", "no evidence", "no evidence resolves", ""]),
        ("evidence=repair", ["", "", "no evidence", "", ""]),
        ("items=clean", ["", "", "no evidence", "no evidence resolves", "label in doubt: wrong"]),
    ],
)
def test_every_exclusion_has_its_reason(contract: str, reasons: list[str]) -> None:
    """The contract decides who is left out, and why."""
    assert GoldTable.read(five_questions()).exclusions(Contract.parse(contract)) == reasons


def test_a_disputed_doubt_leaves_nobody_out() -> None:
    """Where the readers of a label contradict each other, even the clean contract scores the question."""
    data = five_questions()
    golds = [replace(gold, erratum=gold.erratum and replace(gold.erratum, counts=False)) for gold in data.gold()]
    table = replace(GoldTable.read(data), golds=tuple(golds))
    assert any(gold.erratum for gold in golds)
    assert table.exclusions(Contract.parse("items=clean"))[-1] == ""


def test_a_run_on_other_data_is_refused(runs: dict[str, Run]) -> None:
    """Neither another content nor other options pass; the error names both."""
    run = runs["two Notebook"]
    GoldTable.read(two_questions()).require(run)
    with pytest.raises(IdentityError, match=r"was made on handmade \(sha256 [0-9a-f]{12}\), but handmade here is"):
        GoldTable.read(five_questions()).require(run)
    with pytest.raises(IdentityError):
        GoldTable.read(Handmade(two_questions().each, options={"captions": "none"})).require(run)
