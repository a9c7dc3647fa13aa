"""Scores against sums done by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from math import log2
from typing import TYPE_CHECKING

import numpy as np
import pytest

from memgauge.errors import DataError
from memgauge.records import Contract
from memgauge.scoring.align import align
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.score import DatasetSampling, Settings, column, score_file, summarise, write_scores
from support import known
from support.handmade import five_questions, many_questions, two_questions

if TYPE_CHECKING:
    from memgauge.runs.record.store import Run

MEASURES = ("nDCG@10", "Recall@2", "Hit@5", "Complete@3", "MRR")


def values(run: Run, contract: Contract | None = None) -> dict[str, list[float | None]]:
    """Score a run on the two questions."""
    settings = Settings(contract or Contract(), MEASURES)
    found: dict[str, list[float | None]] = score_file(run, GoldTable.read(two_questions()), settings)["questions"]
    return found


def test_scores_equal_those_computed_by_hand(runs: dict[str, Run]) -> None:
    """Oldest first: evidence of the first question at ranks 1 and 3, of the second at rank 9."""
    assert values(runs["two Notebook"]) == {
        "c1-q1": [pytest.approx((1 + 1 / log2(4)) / (1 + 1 / log2(3))), 0.5, 1.0, 1.0, 1.0],
        "c1-q2": [pytest.approx(1 / log2(10)), 0.0, 0.0, 0.0, pytest.approx(1 / 9)],
    }
    assert values(runs["two Backwards"]) == {
        "c1-q1": [pytest.approx((1 / log2(8) + 1 / log2(10)) / (1 + 1 / log2(3))), 0.0, 0.0, 0.0,
                  pytest.approx(1 / 7)],
        "c1-q2": [1.0, 1.0, 1.0, 1.0, 1.0],
    }  # fmt: skip
    assert values(runs["two oracle"]) == {"c1-q1": [1.0] * 5, "c1-q2": [1.0] * 5}
    assert values(runs["two Nothing"]) == {"c1-q1": [0.0] * 5, "c1-q2": [0.0] * 5}


def test_a_derived_form_earns_credit_only_where_the_contract_says_so(runs: dict[str, Run]) -> None:
    """One summary of everything is canonical, descends from all evidence, and is not raw."""
    assert values(runs["two Digest"], Contract.parse("target=source")) == {
        "c1-q1": [1.0] * 5, "c1-q2": [1.0] * 5,
    }  # fmt: skip
    assert values(runs["two Digest"], Contract.parse("target=canonical")) == {
        "c1-q1": [1.0] * 5, "c1-q2": [1.0] * 5,
    }  # fmt: skip
    assert values(runs["two Digest"], Contract.parse("target=raw")) == {}
    assert values(runs["two Notebook"], Contract.parse("target=canonical")) == {}
    assert values(runs["two Notebook"], Contract.parse("target=raw")) == values(runs["two Notebook"])


def test_failures_are_left_out_or_count_as_zero(runs: dict[str, Run]) -> None:
    """The contract decides; the denominator says which it was."""
    assert values(runs["two Failing"]) == {}
    assert values(runs["two Failing"], Contract.parse("failures=zero")) == {"c1-q1": [0.0] * 5, "c1-q2": [0.0] * 5}


def test_a_score_has_its_interval_and_its_denominator(runs: dict[str, Run]) -> None:
    """One conversation alone has no interval, and says why; that over questions stands under its own name."""
    file = score_file(runs["five Notebook"], GoldTable.read(five_questions()), Settings(Contract(), ("Recall@2",)))
    score = file["scores"]["Recall@2"]
    assert score["value"] == pytest.approx((0.5 + 0.0 + 0.0) / 3, abs=1e-9)
    assert score["question_low"] <= score["value"] <= score["question_high"]
    assert (score["low"], score["se"], score["clusters"], score["n"], score["total"]) == (None, None, 1, 3, 5)
    assert score["reason"] == "one conversation cannot say how much conversations differ"
    assert file["format"] == 2
    assert score["excluded"] == {"no evidence": 1, "no evidence resolves": 1}


def test_without_a_scored_question_a_score_is_undefined(runs: dict[str, Run]) -> None:
    """No number is made up."""
    file = score_file(runs["two Failing"], GoldTable.read(two_questions()), Settings(Contract(), ("Hit@1",)))
    assert file["scores"]["Hit@1"] == {
        "value": None, "low": None, "high": None, "question_low": None, "question_high": None, "se": None,
        "df": None, "clusters": 0, "n": 0, "total": 2, "excluded": {"error": 2}, "reason": "no question is scored",
    }  # fmt: skip


def test_several_conversations_give_an_interval(runs: dict[str, Run]) -> None:
    """The interval is over conversations, and all columns share resamples of questions."""
    gold = GoldTable.read(many_questions())
    settings = Settings(Contract(), ("nDCG@10",))
    judged = align(runs["many Backwards"], gold, settings.contract, settings.depth)
    columns = [column(judged, measure) for measure in settings.parsed * 2]
    one, two = summarise(columns, DatasetSampling.of(gold))
    assert one == two
    assert known(one.low) <= known(one.value) <= known(one.high)
    assert one.clusters == len({question.conversation for question in gold.questions}) == 4
    assert DatasetSampling.of(gold) is DatasetSampling.of(gold)


def test_a_part_of_the_questions_is_scored_alone(runs: dict[str, Run]) -> None:
    """Categories add up to the whole, for scores and for denominators."""
    gold = GoldTable.read(five_questions())
    settings = Settings(Contract(), ("Recall@2",))
    judged = align(runs["five Notebook"], gold, settings.contract, settings.depth)
    of = np.array([question.category for question in gold.questions])
    whole = column(judged, settings.parsed[0])
    parts = [column(judged, settings.parsed[0], of == name) for name in ("fact", "time")]
    assert sum(part.denominator.total for part in parts) == whole.denominator.total == 5
    assert sum(part.denominator.scored for part in parts) == whole.denominator.scored == 3
    assert [dict(part.denominator.excluded) for part in parts] == [{"no evidence": 1}, {"no evidence resolves": 1}]


def test_a_score_file_is_written_beside_the_run(runs: dict[str, Run]) -> None:
    """Its name depends on the settings, its bytes on nothing else than the rows."""
    run, gold = runs["two Notebook"], GoldTable.read(two_questions())
    one = write_scores(run, gold, Settings(Contract(), ("hit@5",)))
    before = one.read_bytes()
    assert write_scores(run, gold, Settings(Contract(), ("hit@5",))) == one
    assert one.read_bytes() == before
    assert write_scores(run, gold, Settings(Contract(), ("Hit@4",))) != one
    file = json.loads(before)
    assert one.parent == run.folder / "scores"
    assert (file["content"], file["measures"], file["k"]) == (run.seal.content, ["Hit@5"], 60)


def test_depth_covers_the_deepest_measure() -> None:
    """Enough ranks are judged for every measure and for k."""
    assert Settings(Contract(), ("Hit@80", "MRR"), k=10).depth == 80
    assert Settings(Contract(), ("MRR",), k=10).depth == 10


def test_what_asks_nothing_is_not_scored() -> None:
    """A dataset without a question is told so, in place of resamples of no rows."""
    with pytest.raises(DataError, match="asks no question, so nothing can be scored"):
        DatasetSampling.of(replace(GoldTable.read(many_questions()), questions=(), golds=()))
