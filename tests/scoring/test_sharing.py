"""What boards, score files, failures and stories share: a run is judged once, a measure valued once."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from memgauge.measures import BUDGETS, Lengths, Measure, parse
from memgauge.records import BOARD, Contract, Witness
from memgauge.scoring import align as aligning
from memgauge.scoring.align import JudgedRun, align
from memgauge.scoring.entries import candidate_of
from memgauge.scoring.failures import failures
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.leaderboard import leaderboards
from memgauge.scoring.score import DatasetSampling, Settings, column, score_data, score_file, summarise
from memgauge.scoring.stories import telling
from support.handmade import five_questions, many_questions

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.runs.record.store import Run

SETTINGS = Settings(BOARD, ("Recall@2000tok", "nDCG@10", "nDCG@300tok", "Hit@5", "RecallCurve"))
GOLDS = {"five": GoldTable.read(five_questions()), "many": GoldTable.read(many_questions())}


def test_a_run_is_judged_once_and_a_measure_valued_once(
    synthetic: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that a report says of a run rests on hits that were credited once, and on rows that were valued once."""
    credited, valued = Counter[str](), Counter[tuple[int, Measure]]()
    credit, value = aligning._credited_hits, JudgedRun._valued

    def crediting(run: Run, *arguments: Any) -> Any:
        credited[run.label] += 1
        return credit(run, *arguments)

    def valuing(self: JudgedRun, measure: Measure) -> Any:
        valued[id(self), measure] += 1
        seen.append(self)  # so that no other object gets its id
        return value(self, measure)

    seen = list[JudgedRun]()
    monkeypatch.setattr(aligning, "_credited_hits", crediting)
    monkeypatch.setattr(JudgedRun, "_valued", valuing)
    folders = [shutil.copytree(folder, tmp_path / folder.name) for folder in synthetic]
    (built,) = leaderboards(folders, SETTINGS)
    built.write_scores()
    measure = built.settings.parsed[0]
    failures(built.judged, built.gold, measure, limit=5)
    telling(built.judged, built.gold, measure, 5)
    assert credited == {"bm25": 1, "none": 1, "oracle": 1}
    assert set(valued.values()) == {1}


@pytest.mark.parametrize("contract", ["", "witness=none", "credit=id", "target=raw,credit=anchor-cn"])
def test_a_score_file_is_that_of_the_run_judged_alone(runs: dict[str, Run], contract: str) -> None:
    """What is written of a run that a board judged is what the run, the gold and the settings give."""
    settings = replace(SETTINGS, contract=Contract.parse(contract, BOARD))
    gold = GOLDS["many"]
    for label in ("Notebook", "Digest", "Minutes"):
        run = runs[f"many {label}"]
        judged = align(run, gold, settings.contract, settings.depth)
        candidate_of(judged, gold, settings, DatasetSampling.of(gold), judged.scored)
        assert score_data(judged, settings) == score_file(run, gold, settings)


@pytest.mark.parametrize("label", ["Notebook", "Digest", "Minutes", "Nothing", "random"])
@pytest.mark.parametrize("name", GOLDS)
@pytest.mark.parametrize("first", ["Recall@20tok", "Recall@7tok", "nDCG@10", "nDCG@20tok", "RecallCurve"])
def test_claims_believed_are_those_of_a_contract_without_a_witness(
    runs: dict[str, Run], name: str, label: str, first: str
) -> None:
    """What the first measure is where every claim counts is what a board without a witness says."""
    gold, run, settings = GOLDS[name], runs[f"{name} {label}"], replace(SETTINGS, measures=(first,))
    sampling = DatasetSampling.of(gold)
    judged = align(run, gold, BOARD, settings.depth)
    entry = candidate_of(judged, gold, settings, sampling, judged.scored).entry
    believed = align(run, gold, replace(BOARD, witness=Witness.NONE), settings.depth)
    rows = believed.rows(parse(first))
    assert entry.claimed is not None
    assert entry.claimed.value == pytest.approx(float(rows.values[rows.defined].mean()), abs=1e-12)
    assert entry.claimed.denominator == believed.denominator(rows)


def test_no_interval_over_questions_draws_nothing(runs: dict[str, Run], monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns that get no such interval are not resampled, and are the same otherwise."""
    gold = GOLDS["many"]
    judged = align(runs["many Notebook"], gold, BOARD, SETTINGS.depth)
    columns = [column(judged, Measure("Recall", budget=budget)) for budget in BUDGETS]
    whole = summarise(columns, DatasetSampling.of(gold))
    monkeypatch.setattr("memgauge.stats.Resamples.ends", None)
    alone = summarise(columns, DatasetSampling.of(gold), by_question=0)
    assert alone == [replace(score, question_low=None, question_high=None) for score in whole]


def test_what_costs_nothing_behind_a_budget_is_out_of_reach(runs: dict[str, Run]) -> None:
    """An empty text behind the budget fits in no share, and nothing is divided by its length."""
    spending = align(runs["many Notebook"], GOLDS["many"], BOARD, 60).spending
    trace = spending.evidence.trace
    tokens = np.where(trace.rank == 0, 50.0, 0.0)
    empty = replace(spending, count_lengths=lambda: Lengths(trace, tokens))
    with np.errstate(all="raise"):
        fits = empty.fits(20)
    assert set(fits[trace.rank == 0].tolist()) == {0.4}
    assert set(fits[trace.rank > 0].tolist()) == {0.0}
