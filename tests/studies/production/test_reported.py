"""Judges in the traces are shown beside labels, and change no rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from memgauge.exchange.otlp.evaluations import FILE, JudgedSpan, SpanEvaluation, write_evaluations
from memgauge.studies.production.arrays import TrafficArrays
from memgauge.studies.production.drawing import DrawHow, draw, question_names
from memgauge.studies.production.judgments import LabelJudgment, LabelVerdict
from memgauge.studies.production.labelling import labelled_rates
from memgauge.studies.production.reported import reported_rates
from memgauge.studies.production.show_labels import labelled_document

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.exchange.traffic.reading import Traffic


def test_every_judge_has_a_row_of_its_own(small: Traffic, tmp_path: Path) -> None:
    """By name of what it evaluated, with its mean over searches and over those that people rated either way."""
    arrays = TrafficArrays.of(small)
    drawn = draw(arrays, "seal", 20, DrawHow.RANDOM, 4)
    words = [
        JudgedSpan(question.name, SpanEvaluation("grader 2", "relevance", place % 2, "", None, ""))
        for place, question in enumerate(drawn.questions)
    ]
    words += [
        JudgedSpan(words[0].span, SpanEvaluation("grader 2", "relevance", 1.0, "", None, "")),
        JudgedSpan("a/b", SpanEvaluation("grader 2", "relevance", 0.0, "", None, "")),
        JudgedSpan(words[0].span, SpanEvaluation("another", "tone", None, "kind", None, "")),
    ]
    assert write_evaluations(tmp_path / FILE, words) == 23
    judgments = [
        LabelJudgment("now", question.name, "ada", LabelVerdict.HIT if place % 2 else LabelVerdict.MISS)
        for place, question in enumerate(drawn.questions)
    ]
    with_them = labelled_rates(arrays, drawn, judgments, folder=tmp_path)
    tone, relevance = with_them.reported
    assert (relevance.judge, relevance.name, relevance.words, relevance.value.n) == (
        "grader 2",
        "relevance",
        22,
        20,
    )
    assert relevance.value.mean == pytest.approx(10.5 / 20)
    assert relevance.hits == 1.0
    assert relevance.misses == pytest.approx(0.05)
    assert (tone.judge, tone.words, tone.value.mean, tone.hits) == ("another", 1, None, None)
    assert with_them.alone == labelled_rates(arrays, drawn, judgments).alone
    tables = {table.key: table for table in labelled_document(with_them).tables}
    assert len(tables["reported"].rows) == 2


def test_without_a_file_nobody_said_anything(small: Traffic, tmp_path: Path) -> None:
    """Traffic of a recorder has no judges."""
    arrays = TrafficArrays.of(small)
    assert reported_rates(tmp_path, arrays, {}) == ()
    assert len(question_names(arrays, np.flatnonzero(arrays.searches)))
