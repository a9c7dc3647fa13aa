"""What BEAM says of time and contradiction."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.datasets.base import HasTruth
from memgauge.datasets.beam.dataset import Beam
from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.validate import validate
from memgauge.errors import UnknownNameError
from memgauge.measures.contradiction import Voice, contradictions
from memgauge.scoring.voiced import Truth
from support.beam import chat, probes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memgauge.records import Fact, Gold

    Open = Callable[..., Beam]


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    """Open one row with the sources of an ability replaced."""

    def made(options: str = "", **sources: Any) -> Beam:
        row = {"conversation_id": "1", "chat": chat(), "probing_questions": repr(probes(**sources))}
        (tmp_path / "rows.jsonl").write_text(json.dumps(row), "utf-8")
        dataset = open_dataset(f"beam:{tmp_path / 'rows.jsonl'}{options}")
        assert isinstance(dataset, Beam)
        assert validate(dataset) == []
        return dataset

    return made


def update_of(dataset: Beam) -> Gold:
    """Pick the gold of the update."""
    cases = zip([q for case in dataset.cases() for q in case.questions], dataset.gold(), strict=True)
    (found,) = [gold for question, gold in cases if question.category == "knowledge-update"]
    return found


def test_both_sides_of_an_update_are_evidence_by_default(opened: Open) -> None:
    """As published, the original counts as evidence, and then nothing can be called stale."""
    dataset = opened()
    assert update_of(dataset).anchors() == ("S1:3", "S2:1")
    assert {gold.stale for gold in dataset.gold()} == {None}
    assert dataset.identity.options == {"variant": "path", "update_evidence": "both"}


def test_the_update_alone_is_evidence_by_option(opened: Open) -> None:
    """Then the original is stale; no other question changes, and the identity names the option."""
    dataset, plain = opened(",update_evidence=updated"), list(opened().gold())
    gold = update_of(dataset)
    assert (gold.anchors(), gold.stale) == (("S2:1",), ("S1:3",))
    assert [g for g in dataset.gold() if g.question != gold.question] == [
        g for g in plain if g.question != gold.question
    ]
    assert dataset.identity.options["update_evidence"] == "updated"
    assert dataset.identity.ref.endswith(",update_evidence=updated")
    assert dataset.describe()["updates_with_versions"] == 1


@pytest.mark.parametrize(
    ("sources", "evidence", "stale"),
    [
        ({"original_info": [0, 2], "updated_info": [2, 4]}, ("S1:3", "S2:1"), ("S1:1",)),
        ({"original_info": [4], "updated_info": [4]}, ("S2:1",), ()),
        ({"original_info": [[2], 2], "updated_info": [4]}, ("S2:1",), ("S1:3",)),
        ({"original_info": [2], "updated_info": []}, ("S1:3",), None),
        ({"original_info": [], "updated_info": [4]}, ("S2:1",), None),
        ({"original_info": [2, 99], "updated_info": [4]}, ("S1:3", "S2:1"), None),
        ({"original_info": [2], "updated_info": ["--"]}, ("S1:3",), None),
        ({"updated_info": [4]}, ("S2:1",), None),
        ([2, 4], ("S1:3", "S2:1"), None),
        (None, (), None),
    ],
)
def test_a_label_that_cannot_be_split_names_no_versions(
    opened: Open, sources: object, evidence: tuple[str, ...], stale: tuple[str, ...] | None
) -> None:
    """Without one message for every id of both sides all evidence stays; a message of both sides is evidence."""
    gold = update_of(opened(",update_evidence=updated", knowledge_update=sources))
    assert (gold.anchors(), gold.stale) == (evidence, stale)


def test_another_option_is_refused(opened: Open) -> None:
    """What is evidence has two names."""
    with pytest.raises(UnknownNameError, match="Did you mean updated"):
        opened(",update_evidence=update")


def test_two_statements_are_two_values_of_one_slot(opened: Open) -> None:
    """Each is a fact of the user that never ends, valued by its first message, without a marker."""
    dataset = opened(contradiction_resolution={"first_statement": [2, 0], "second_statement": [4]})
    assert isinstance(dataset, HasTruth)
    first, second = dataset.truth()
    assert (first.conversation, first.subject, first.slot) == ("chat-1", "user", "chat-1_q1")
    assert (first.value, first.turns) == ("It gets\ntwo windows.", ("S1:3", "S1:1"))
    assert (second.value, second.turns) == ("Make it three windows.", ("S2:1",))
    assert (second.subject, second.slot) == (first.subject, first.slot)
    assert first.id != second.id
    assert first.functional
    assert first.holds(None)
    assert second.holds(None)
    assert dataset.describe()["facts"] == 2


@pytest.mark.parametrize(
    ("first", "second", "turns"),
    [
        ([2], [2], []),
        ([2, 4], [4], []),
        ([0, 4], [2, 4], [("S1:1",), ("S1:3",)]),
        ([2], [], []),
        ([2], [99], []),
    ],
)
def test_a_contradiction_is_between_two_messages(
    opened: Open, first: list[int], second: list[int], turns: list[tuple[str, ...]]
) -> None:
    """A message that makes both statements makes neither fact, and a side without messages makes none of both."""
    sources = {"first_statement": first, "second_statement": second}
    assert [fact.turns for fact in opened(contradiction_resolution=sources).truth()] == turns


def _said(truth: Truth, *hits: tuple[list[str], str | None]) -> list[Fact]:
    rows = [{"sources": sources, "text": text, "valid_to": None} for sources, text in hits]
    return [fact for row in rows for fact in truth.voiced(row, "chat-1", None).facts]


def _contradicted(facts: list[Fact]) -> bool | None:
    return contradictions(Voice((f.subject, f.slot), f.value, f.functional) for f in facts).any


def test_contradictions_are_measured_on_hits(opened: Open) -> None:
    """One side contradicts nothing, both do: as turns, in one chunk of whole messages, and without texts."""
    truth = Truth.of(opened())
    one, other = (["S1:3"], "windows, two"), (["S2:1"], "three")
    assert truth.known
    assert _contradicted(_said(truth, one)) is False
    assert _contradicted(_said(truth, one, other)) is True
    chunk = "user: It gets\ntwo windows.\nuser: Make it three windows."
    assert _contradicted(_said(truth, (["S1:3", "S2:1"], chunk))) is True
    assert _contradicted(_said(truth, (["S1:3", "S2:1"], None))) is True
    assert _contradicted(_said(truth, (["S1:1"], "I plan a shed."))) is None
