from __future__ import annotations

import json
import subprocess
import sys
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.doubts import read_doubts, readers_of
from memgauge.datasets.errata import load_errata
from memgauge.errors import MalformedDataError
from support import ROOT, real_data

if TYPE_CHECKING:
    from pathlib import Path

TOOL = ROOT / "tools" / "build_doubts.py"


def entry(**changes: Any) -> dict[str, Any]:
    """One doubt as its readers publish it."""
    return {
        "dataset": "locomo",
        "question_id": "locomo_3_qa7",
        "question": "Which boat?",
        "golden_answer": "a kayak",
        "category": 4,
        "error_type": "MISLABELED_ADVERSARIAL",
        "cited_evidence": ["D1:1"],
        "correct_evidence": ["D2:1"],
        "reasoning": "It is said.",
        "correct_answer": None,
        "source": "somebody/something issues 3, 4 (open; more to come); a second review",
        "standing": "checked",
        **changes,
    }


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a test writes doubts."""
    return tmp_path / "doubts.json"


def test_reads_what_an_overlay_holds(path: Path) -> None:
    """Ids become ours, kinds are spelt our way, readers are counted and a persona is kept."""
    rows = [
        entry(),
        entry(dataset="rhelm", question_id="fact_1", persona="Ada", error_type="TYPO", correct_evidence=["D1:1"]),
        entry(dataset="longmemeval", question_id="ab", standing="original file only", source="own comparison"),
    ]
    path.write_text(json.dumps(rows), encoding="utf-8")
    first, second, third = read_doubts(path)
    assert (first.question, first.kind, first.citation_changes, first.readers, first.first_files) == (
        "conv-42_q7",
        "mislabelled-adversarial",
        True,
        3,
        False,
    )
    assert (second.persona, second.kind, second.citation_changes) == ("Ada", "typo", False)
    assert (third.question, third.readers, third.first_files) == ("ab", 1, True)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"error_type": "TYPOS"}, r"\$\[0\].error_type: Unknown kind of doubt 'TYPOS'. Did you mean TYPO"),
        ({"error_type": "RUMOUR"}, r"Available: AMBIGUOUS, ATTRIBUTION_ERROR"),
        ({"colour": "red"}, r"\$\[0\].colour: Extra inputs are not permitted"),
        ({"cited_evidence": "D1:1"}, r"\$\[0\].cited_evidence: Input should be a valid list"),
        ({"question_id": "q7"}, r"\$\[0\].question_id: 'q7' is not of the form"),
        ({"dataset": "rhelm"}, r"\$\[0\].persona: it is missing"),
        ({"persona": "Ada"}, r"\$\[0\].persona: it says nothing of a question of locomo"),
    ],
)
def test_names_what_does_not_fit(path: Path, changes: dict[str, Any], message: str) -> None:
    """An unknown kind, a strange field and a missing persona are named by file and field."""
    path.write_text(json.dumps([entry(**changes)]), encoding="utf-8")
    with pytest.raises(MalformedDataError, match=message):
        read_doubts(path)


def test_counts_readers_and_not_asides() -> None:
    """Issues and further sources count; what stands in brackets does not."""
    assert readers_of("own comparison") == 1
    assert readers_of("a/b issue 43 (says two; unread)") == 1
    assert readers_of("a/b issues 19, 26, 40; independently some notes") == 4


def test_the_overlay_holds_no_words() -> None:
    """Nothing of a reader's text is shipped: ids, kinds, numbers and truth values alone."""
    shipped = json.loads((files("memgauge.datasets") / "doubts.json").read_text("utf-8"))
    fields = {"dataset", "question", "persona", "kind", "citation_changes", "readers", "first_files"}
    assert all(set(row) <= fields for row in shipped["errata"])
    assert {row["dataset"] for row in shipped["errata"]} == {"locomo", "longmemeval", "memoryagentbench", "rhelm"}
    assert all(load_errata(name) for name in ("longmemeval", "memoryagentbench", "rhelm"))


@pytest.mark.data
def test_the_tool_builds_the_shipped_doubts(tmp_path: Path) -> None:
    """Building from the published file gives the shipped one, byte for byte."""
    published = real_data("errata-more.json")
    out = tmp_path / "doubts.json"
    subprocess.run([sys.executable, TOOL, published, out], check=True, capture_output=True)
    assert out.read_text("utf-8") == (files("memgauge.datasets") / "doubts.json").read_text("utf-8")


@pytest.mark.data
def test_doubts_of_rhelm_are_those_that_its_reader_finds() -> None:
    """What the loader finds wrong by itself has the kind that was published, question by question."""
    path = real_data("rhelm/rhelm.Elena_Morales.tar.gz")
    own = {gold.question: gold.erratum.kind for gold in open_dataset(f"rhelm:{path}").gold() if gold.erratum}
    published = {question: doubt.kind for question, doubt in load_errata("rhelm").items()}
    assert len(own) == 2
    assert own.items() <= published.items()
