"""What is told of two runs within a budget that lists of one of them, or of both, end at k before."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.datasets.catalogue import open_dataset
from memgauge.measures import parse
from memgauge.measures.catalogue import MEASURES
from memgauge.records import BOARD, Contract, Credit, Verdict
from memgauge.scoring.accepted import AcceptedRuns, accept, accepted_text, read_accepted
from memgauge.scoring.align import align
from memgauge.scoring.compare import Difference, compare
from memgauge.scoring.conclusions import Conclusion
from memgauge.scoring.ended import ShortLists
from memgauge.scoring.ended_pairs import ended_pair
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.score import ENDS, Settings, score_file, score_text, write_scores
from memgauge.scoring.verification import Assurance
from memgauge.scoring.verify import VerificationRequest, verify
from memgauge.text.jsons import json_of
from support.ended_runs import FEW, ended_runs

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.runs.record.store import Run

GOLD = GoldTable.read(open_dataset("synthetic:small"))
BUDGET = "Recall@1000tok"
SETTINGS = Settings(BOARD, ("Recall@5", BUDGET, "RecallCurve"))
SHORT = ShortLists(60, 1_000, 90)
SEEN = Difference(
    BUDGET, 0.3, 0.4, 0.1, 0.05, 0.15, 0.06, 0.14, 279, 60, 20, "t on CR2 errors", 0.001, 0.005, 0.07,
    Conclusion.BETTER, clusters=8,
)  # fmt: skip
WITHIN_BUDGETS = [f"{name}@1000tok" for name in MEASURES.names() if MEASURES.get(name).tokens] + ["RecallCurve"]
GROW = [measure for measure in WITHIN_BUDGETS if parse(measure).formula.grows]
CONTRACTS = [BOARD, *(replace(BOARD, credit=credit) for credit in Credit), Contract()]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """Play two systems that k cuts, one that returns nothing by choice, and the ceiling."""
    return ended_runs(tmp_path_factory.mktemp("ended"), "bm25", "recency", "none", "oracle")


def of(a: Run, b: Run, measure: str = BUDGET, margin: float | None = None) -> Difference:
    """Compare two runs by one of the measures."""
    made = compare(a, b, GOLD, SETTINGS, margin=margin)
    return next(each for each in made.differences if each.measure == measure)


@pytest.mark.parametrize("contract", CONTRACTS, ids=str)
def test_no_measure_within_a_budget_falls_where_a_list_goes_on(runs: dict[str, Run], contract: Contract) -> None:
    """Whoever is cut can only gain by a larger k, question by question: all else rests on it."""
    judged = [align(runs["bm25"], GOLD, contract, k) for k in (3, 10, FEW)]
    assert GROW == ["Complete@1000tok", "Hit@1000tok", "MRR@1000tok", "Recall@1000tok", "RecallCurve"]
    for measure in map(parse, GROW):
        assert not measure.formula.lower
        few, more, most = (each.rows(measure).values for each in judged)
        assert (few <= more + 1e-12).all()
        assert (more <= most + 1e-12).all()


def test_a_measure_with_an_ideal_of_k_ranks_may_fall(runs: dict[str, Run]) -> None:
    """Of a question with more to find than was judged nDCG falls further down, so of a cut run nothing is told."""
    few, more = (align(runs["bm25"], GOLD, BOARD, k).rows(parse("nDCG@1000tok")).values for k in (3, 10))
    assert (few > more).any()
    assert ended_pair(replace(SEEN, verdict=Conclusion.WORSE), SHORT, None, grows=False).verdict is Conclusion.CUT


@given(st.sampled_from(Conclusion), st.sampled_from([(SHORT, None), (None, SHORT), (SHORT, SHORT), (None, None)]))
def test_only_what_more_memories_would_add_to_is_told(
    shown: Conclusion, short: tuple[ShortLists | None, ShortLists | None]
) -> None:
    """An advantage of the one that is cut holds all the more; equality and the other advantage are not told."""
    told = ended_pair(replace(SEEN, verdict=shown), *short)
    a, b = short
    if a is None and b is None:
        assert told == replace(SEEN, verdict=shown)
        return
    kept = {Conclusion.NONE}
    kept |= {Conclusion.WORSE, Conclusion.LOWER} if b is None else set()
    kept |= {Conclusion.BETTER, Conclusion.HIGHER} if a is None else set()
    assert told.verdict is (shown if shown in kept else Conclusion.CUT)
    assert told.ended is not None
    assert (told.ended.shown, told.minimum_detectable) == (shown, None)
    assert replace(told, verdict=shown, minimum_detectable=SEEN.minimum_detectable, ended=None) == replace(
        SEEN, verdict=shown
    )


def test_two_cut_runs_are_not_told_apart_nor_equal(runs: dict[str, Run]) -> None:
    """A difference at such a budget is one of k in both; by a measure of the first hits it is told as ever."""
    beside = of(runs["bm25"], runs["recency"])
    assert (beside.verdict, beside.minimum_detectable) == (Conclusion.CUT, None)
    assert beside.ended is not None
    assert beside.ended.a is not None
    assert beside.ended.b is not None
    assert (beside.ended.shown, beside.ended.a.k, beside.ended.a.before) == (Conclusion.WORSE, FEW, 1_000)
    assert of(runs["bm25"], runs["recency"], "RecallCurve").verdict is Conclusion.CUT
    assert of(runs["bm25"], runs["recency"], "Recall@5").verdict is Conclusion.WORSE
    assert of(runs["bm25"], runs["recency"], margin=0.9).verdict is Conclusion.CUT


def test_a_cut_run_that_is_ahead_is_told_to_be(runs: dict[str, Run]) -> None:
    """Beside one that k does not cut: a longer list could only add to its lead, and might make up for its lack."""
    assert [of(runs["bm25"], runs["none"]).verdict, of(runs["none"], runs["bm25"]).verdict] == ["worse", "better"]
    assert of(runs["none"], runs["bm25"]).minimum_detectable is None
    behind = of(runs["bm25"], runs["oracle"]), of(runs["oracle"], runs["bm25"])
    assert [each.verdict for each in behind] == [Conclusion.CUT, Conclusion.CUT]
    assert [each.ended and each.ended.shown for each in behind] == ["better", "worse"]


def test_where_k_is_what_differs_its_difference_is_told(runs: dict[str, Run], tmp_path: Path) -> None:
    """Of two runs that were to keep different numbers of memories a reader asks just that."""
    more = ended_runs(tmp_path, "bm25", k=40)["bm25"]
    made = compare(runs["bm25"], more, GOLD, SETTINGS, "limits")
    told = next(each for each in made.differences if each.measure == BUDGET)
    assert told.verdict is Conclusion.BETTER
    assert told.ended is not None
    assert told.ended.of_k


def test_score_files_say_where_lists_end_and_older_ones_hold(tmp_path: Path) -> None:
    """Of a run that k does not cut the file is as it was, to the byte; one of an earlier version lacks the key."""
    run = ended_runs(tmp_path, "bm25")["bm25"]
    assert ENDS not in score_file(run, GOLD, Settings(BOARD, ("Recall@5", "Recall@500tok")))
    path = write_scores(run, GOLD, SETTINGS)
    written = json_of(path.read_bytes())
    assert {name: short["k"] for name, short in written[ENDS].items()} == {BUDGET: FEW, "RecallCurve": FEW}
    assert _verdict(run) is Verdict.PASS
    path.write_text(score_text({key: value for key, value in written.items() if key != ENDS}), encoding="utf-8")
    assert _verdict(run) is Verdict.PASS
    written[ENDS][BUDGET]["k"] = 31
    path.write_text(score_text(written), encoding="utf-8")
    assert _verdict(run) is Verdict.FAIL


def _verdict(run: Run) -> Verdict:
    checked = verify(run.folder, VerificationRequest(Assurance.RECOMPUTED))
    return next(each.verdict for each in checked.findings if each.subject.startswith("scores"))


def test_an_accepted_run_says_where_its_lists_ended(runs: dict[str, Run], tmp_path: Path) -> None:
    """Comparing with the file is comparing with the run here too; a file that does not say it is told from one."""
    kept = accept(runs["bm25"], GOLD, SETTINGS, ("Recall@10", BUDGET), "main")
    path = tmp_path / "baseline.json"
    path.write_text(accepted_text(AcceptedRuns((kept,))), encoding="utf-8")
    (read,) = read_accepted(path).runs
    made = compare(read, runs["recency"], GOLD, SETTINGS)
    assert made.differences == compare(runs["bm25"], runs["recency"], GOLD, SETTINGS).differences
    assert made.unknown_ends == ()
    older = replace(read, scored=replace(read.scored, short=None))
    assert '"short"' not in accepted_text(AcceptedRuns((replace(older, gated=older.scored),)))
    assert compare(older, runs["none"], GOLD, SETTINGS).unknown_ends == (BUDGET, "RecallCurve")
