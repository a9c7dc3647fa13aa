"""What the quality study and its gate say."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar
from xml.etree import ElementTree as ET

import pytest

from memgauge.errors import MalformedDataError
from memgauge.results import plain
from memgauge.scoring.conclusions import Conclusion
from memgauge.scoring.ended import ShortLists
from memgauge.scoring.ended_pairs import EndedPair
from memgauge.show.html import page
from memgauge.show.junit import junit
from memgauge.show.markdown import markdown
from memgauge.show.terminal import printed
from memgauge.studies.quality.gate import GATE, GatedMeasure, GateResult
from memgauge.studies.quality.gate_show import document as gate_document
from memgauge.studies.quality.published import PUBLISHED, PublishedAudit, audit_table
from memgauge.studies.quality.show import audit, document, verdict
from memgauge.studies.quality.study import QUALITY
from memgauge.studies.quality.tables import MORE
from support.quality_result import difference, measured, score

if TYPE_CHECKING:
    from memgauge.results import ResultKind

T = TypeVar("T")
UNDEFINED = GatedMeasure("SetF1@10", None, regressed=False, improved=False)


def test_the_page_holds_every_table_with_published_figures_beside() -> None:
    """The document's columns with intervals, the order pair by pair, every other measure, what is impossible."""
    made = document(measured())
    html = page(made)
    assert [table.key for table in made.tables] == ["quality", "orders", "pairs", "more", "doubts", "runs"]
    for table in made.tables:
        assert f'id="{table.key}"' in html
        assert all(len(row) == len(table.heads) for row in table.rows)
    assert ">0.300<small>[0.250, 0.350]</small><small>(0.78)</small>" in html
    assert "hybrid over" not in html
    assert "vector store over hybrid" in html
    for words in (*MORE, "no question has it", "not comparable", "8 questions in 2 conversations", "runs/1"):
        assert words in html


def test_the_verdict_counts_pairs_or_names_who_is_best() -> None:
    """The document's systems are held against its order; others are only said to be highest, harm lowest."""
    assert verdict(measured()) == (
        "Of 5 pairs of the document's systems and columns 2 are ordered as claimed, 1 reversed, 2 not confirmed."
    )
    own = measured(("mine", "yours"))
    assert verdict(own) == (
        "Best value, real or not: yours in Precision@5, Temporal accuracy, Recall@10 and Multi-session F1; "
        "mine in Contradiction rate."
    )
    assert verdict(measured(("mine",))) == "mine was measured alone."
    empty = {measure: replace(score(measure, None)) for measure in own.rows[0].scores}
    assert "is defined on this data" in verdict(
        replace(own, rows=tuple(replace(row, scores=empty) for row in own.rows))
    )
    assert [table.key for table in document(own).tables] == ["quality", "more", "runs"]


def come_back(kind: ResultKind[T], value: T) -> None:
    """Write a result and read it."""
    written = json.loads(json.dumps(plain(kind.of(value))))
    assert plain(kind.read(written)) == plain(value)
    with pytest.raises(MalformedDataError, match="version 7"):
        kind.read({**written, "version": 7})


def test_results_are_read_back_as_they_were_written() -> None:
    """Study, gate and audit come back whole; another version is refused with a sentence."""
    regressed = GatedMeasure("Recall@10", difference("Recall@10", -0.2, "worse"), regressed=True, improved=False)
    gated = GateResult("a", "b", "d", (UNDEFINED, regressed), failed_calls=0)
    audited = PublishedAudit(tuple(audit_table()))
    come_back(QUALITY, measured())
    come_back(GATE, gated)
    come_back(PUBLISHED, audited)
    assert not GATE.read(plain(GATE.of(gated))).passed


def test_the_published_table_is_audited_on_any_surface() -> None:
    """One line a column, with the bound and why."""
    shown = printed(audit(PublishedAudit(tuple(audit_table()))))
    assert "figures of 6 systems are impossible" in shown
    assert "0.31 to 0.89" in shown
    assert "0.24" in shown


def test_what_is_undefined_on_both_sides_is_skipped_and_lost_calls_are_errors() -> None:
    """Neither is a pass; names from outside cannot become markup."""
    gated = GateResult("a|b", "<b>c</b>", "d", (UNDEFINED,), failed_calls=3)
    suite = ET.fromstring(junit([gate_document(gated)]))  # noqa: S314 - our own text
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "2", "failures": "0", "errors": "1", "skipped": "1"}
    text = markdown(gate_document(gated))
    assert "FAILED" in text
    assert "3 questions that the baseline answered failed." in text
    assert "<b>" not in text


def test_a_gate_that_passes_says_so() -> None:
    """Without lost calls or regressions the comment begins with that; where nothing was compared, with that."""
    alike = difference("Recall@10", 0.0, "cannot be told apart")
    same = GatedMeasure("Recall@10", alike, regressed=False, improved=False)
    gated = GateResult("a", "b", "d", (UNDEFINED, same), failed_calls=0)
    assert (gated.passed, gated.is_blind) == (True, False)
    assert markdown(gate_document(gated)).startswith("## Memory quality gate: passed")
    blind = GateResult("a", "b", "d", (UNDEFINED,), failed_calls=0)
    assert blind.is_blind
    assert markdown(gate_document(blind)).startswith("## Memory quality gate: nothing checked")
    assert "Nothing could be checked, so nothing is let through." in printed(gate_document(blind))


def test_what_k_hides_is_an_error_where_it_looks_worse_and_skipped_elsewhere() -> None:
    """Neither a regression nor a pass: every surface says whose lists end, and which k would do."""
    ended = EndedPair(ShortLists(60, 4_000, 140), ShortLists(60, 8_000, 310), Conclusion.WORSE)
    cut = replace(difference("Recall@8000tok", -0.2, "not told: lists end at k"), ended=ended)
    hidden = GatedMeasure("Recall@8000tok", cut, regressed=False, improved=False, untold=True)
    open_ = replace(hidden, difference=replace(cut, ended=replace(ended, shown=Conclusion.BETTER)), untold=False)
    ends = (
        "cannot be told: lists of a and b end at k=60 before 4,000 tokens are full; play both with --k 310 or more"
    )
    failed, passed = (gate_document(GateResult("a", "b", "d", (each,), 0)) for each in (hidden, open_))
    assert failed.lead == (
        f"FAILED: Recall@8000tok looks worse in what was kept (-0.200 [-0.300, -0.100]), and {ends}."
    )
    assert passed.lead == "Nothing could be checked, so nothing is let through."
    assert passed.notes[0].text == f"Recall@8000tok {ends}."
    counts = [
        {name: suite.get(name) for name in ("failures", "errors", "skipped")}
        for suite in (ET.fromstring(junit([each])) for each in (failed, passed))  # noqa: S314 - our own text
    ]
    assert counts == [
        {"failures": "0", "errors": "1", "skipped": "0"},
        {"failures": "0", "errors": "0", "skipped": "1"},
    ]
    for surface in (markdown(failed), printed(failed), page(failed)):
        assert "play both with --k 310 or more" in " ".join(surface.split())


def test_a_gate_says_of_each_measure_how_it_fared() -> None:
    """In the words of every comparison, or not checked; each is one check of a build server."""
    checks = (
        GatedMeasure("Recall@10", difference("Recall@10", -0.2, "worse"), regressed=True, improved=False),
        GatedMeasure("SetF1@10", difference("SetF1@10", 0.2, "better"), regressed=False, improved=True),
        GatedMeasure("AsOf@5", difference("AsOf@5", 0.0, "cannot be told apart"), regressed=False, improved=False),
        GatedMeasure(
            "Omitted@5",
            replace(difference("Omitted@5", 0.0, "no verdict"), reason="one conversation"),
            regressed=False,
            improved=False,
        ),
    )
    made = gate_document(GateResult("a", "b", "d", checks, failed_calls=0))
    (table,) = made.tables
    assert [row[-1].text for row in table.rows] == ["worse", "better", "cannot be told apart", "not checked"]
    assert "over the 5 questions that both answered" in table.note
    assert made.lead == "FAILED: Recall@10 is worse (-0.200 [-0.300, -0.100])."
    assert "-0.200 [-0.300, -0.100]" in printed(made)
    suspected = difference("Recall@10", -0.2, "lower, not confirmed after correction")
    open_ = GateResult(
        "a", "b", "d", (GatedMeasure("Recall@10", suspected, regressed=False, improved=False),), failed_calls=0
    )
    assert gate_document(open_).lead == (
        "Passed: nothing is confirmed to be worse. Not settled: Recall@10 (lower, not confirmed after correction)."
    )
    suite = ET.fromstring(junit([made]))  # noqa: S314 - our own text
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "5", "failures": "1", "errors": "0", "skipped": "1"}
    (failure,) = suite.iter("failure")
    assert failure.get("message") == "0.500 -> 0.300, -0.200 [-0.300, -0.100], worse, detectable 0.200"
    assert next(suite.iter("skipped")).get("message") == "one conversation"
