"""Answers from what was found."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.llm.answerers import open_answerer
from memgauge.measures.answers import exact_match, token_f1
from memgauge.runs.record.store import load
from memgauge.scoring.gold import GoldTable
from memgauge.studies.shift.findings.answering import check
from memgauge.studies.shift.play.freeze import freeze
from memgauge.studies.shift.play.simulate import simulate
from memgauge.studies.shift.protocol.spec import ShiftSpec, Summaries

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memgauge.studies.shift.findings.answering import AnswerCheck

TINY = open_dataset("synthetic:tiny")
GOLD = GoldTable.read(TINY)
SPEC = ShiftSpec(bursts=(0, 8), summaries=Summaries.EXTRACTIVE)


@dataclass(frozen=True)
class Reader:
    """Answers with the accepted answer where a text holds it."""

    name: str = "reader"
    version: str = "1"

    def answer(self, question: str, context: Sequence[str]) -> str:
        """Look for the answer."""
        number = next(n for n, one in enumerate(GOLD.questions) if one.text == question)
        answers = GOLD.golds[number].answers
        return next((answer for answer in answers for text in context if answer in text), "")


def checked(out: Path, answerer: object) -> AnswerCheck:
    """Simulate two policies, freeze them, and answer from what they found."""
    simulation = simulate(TINY, SPEC, ("flat", "recency"))
    keys = [(policy, m) for policy in ("flat", "recency") for m in SPEC.bursts]
    folders = dict(zip(keys, freeze(simulation, TINY, out), strict=True))
    return check(folders, simulation.outcomes, GOLD.questions, GOLD.golds, answerer)  # type: ignore[arg-type]


def test_answers_are_scored_over_the_same_questions(tmp_path: Path) -> None:
    """A reader who finds what is there answers where the evidence was found, and only there."""
    found = checked(tmp_path, Reader())
    assert {row.exact.n for row in found.rows} == {found.questions}
    for row in found.rows:
        assert (row.f1.mean or 0) >= (row.exact.mean or 0)
    exact = {(row.policy, row.burst): row.exact.mean or 0.0 for row in found.rows}
    assert 0 < exact["flat", 8] < exact["flat", 0]
    assert set(found.agreement) == {0, 8}
    assert (found.answerer, found.version) == ("reader", "1")


def test_the_deterministic_answerer_reads_frozen_texts(tmp_path: Path) -> None:
    """Exact match and F1 are those of the answers given to the texts in the run, question by question."""
    answerer = open_answerer("extractive")
    found = checked(tmp_path, answerer)
    row = next(row for row in found.rows if (row.policy, row.burst) == ("flat", 8))
    folder = next(
        f
        for f in sorted(tmp_path.iterdir())
        if load(f).manifest.stream.parameters["m"] == "8" and "flat" in f.name
    )
    run = load(folder)
    answers = {gold.question: gold.answers for gold in GOLD.golds if gold.answers and not gold.abstain}
    text = {question.id: question.text for question in GOLD.questions}
    simulated = simulate(TINY, SPEC, ("flat",)).outcomes
    asked = [
        q for q, after in zip(simulated.questions, simulated.post_shift, strict=True) if after and q in answers
    ]
    said = {
        q: answerer.answer(text[q], [hit["text"] for hit in hits])
        for q, hits in run.hits_of(asked, SPEC.k).items()
    }
    assert row.exact.mean == pytest.approx(sum(exact_match(said[q], answers[q]) for q in asked) / len(asked))
    assert row.f1.mean == pytest.approx(sum(token_f1(said[q], answers[q]) for q in asked) / len(asked))


def test_without_accepted_answers_nothing_is_claimed(tmp_path: Path) -> None:
    """Exact match is then undefined and says why, and so is the agreement."""
    simulation = simulate(TINY, SPEC, ("flat",))
    keys = [("flat", m) for m in SPEC.bursts]
    folders = dict(zip(keys, freeze(simulation, TINY, tmp_path), strict=True))
    bare = [replace(gold, answers=()) for gold in GOLD.golds]
    found = check(folders, simulation.outcomes, GOLD.questions, bare, open_answerer("none"))
    assert (found.questions, found.rows[0].exact.mean) == (0, None)
    assert "no question" in found.agreement[0].reason
    assert found.unanswerable > 0
