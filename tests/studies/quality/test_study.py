"""The document's table, measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import ConfigError, IdentityError, UnknownNameError
from memgauge.records import Contract
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record.store import load
from memgauge.scoring.compare import compare
from memgauge.scoring.conclusions import Conclusion
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.score import Settings
from memgauge.studies.quality.gate import DEFAULT, gate
from memgauge.studies.quality.ladder import LADDER, Rung, ladder, planned, rungs_of
from memgauge.studies.quality.published import TABLE
from memgauge.studies.quality.study import HOLDS, OPEN, PUBLISHED_AS, REVERSED, measure_quality

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from memgauge.runs.record.store import Run

WORLD = "synthetic:small,level=lex"


@pytest.fixture(scope="module")
def runs(folders: Mapping[str, Path]) -> dict[str, Run]:
    """Load the runs of some systems on a world whose words are near."""
    return {ref: load(folder) for ref, folder in folders.items()}


def test_the_ladder_has_the_documents_systems_in_order() -> None:
    """Six rungs under the document's names, each of which opens; other systems stand beside them."""
    assert [rung.name for rung in ladder("hashed")] == list(TABLE)
    rungs = rungs_of([LADDER, "bm25", "bm25"], "hashed")
    assert [rung.ref for rung in rungs[-2:]] == ["pipeline:embedder=none", "bm25"]
    assert len(rungs) == 7


def test_a_context_shows_all_of_its_turns_and_what_finds_what_is_asked_for(tmp_path: Path) -> None:
    """Nothing chooses among the last turns, so that both versions stand in them; at a few hits neither does."""
    rungs = [Rung("context only", "recency", 60), Rung("hybrid", "bm25")]
    work = planned("synthetic:tiny,level=lex", rungs, k=10)
    assert [cell.manifest.limits.k for cell in work.cells] == [60, 10]
    runs = [
        (rung.name, load(run))
        for rung, run in zip(rungs, execute(work, tmp_path, executor=Inline(), check=False), strict=True)
    ]
    measured = measure_quality(open_dataset("synthetic:tiny,level=lex"), runs)
    context, hybrid = (row.scores for row in measured.rows)
    assert context["Contradiction@5"].value == 0 < (context["Contradiction"].value or 0)
    assert (hybrid["Contradiction"].value or 0) > 0


def test_supersession_shows_in_time_and_contradiction(runs: dict[str, Run]) -> None:
    """Where words match, BM25 returns both versions and the full pipeline the one that holds."""
    named = [("context only", runs["recency"]), ("hybrid", runs["bm25"])]
    named.append(("full pipeline", runs["pipeline:embedder=none"]))
    measured = measure_quality(open_dataset(WORLD), named)
    scores = {row.name: row.scores for row in measured.rows}
    value = {
        name: (own["Temporal(lenient)@5"].value, own["Contradiction@5"].value) for name, own in scores.items()
    }
    accurate, contradicted = zip(
        *(value[name] for name in ("context only", "hybrid", "full pipeline")), strict=True
    )
    assert accurate == tuple(sorted(accurate))
    assert accurate[2] > 0.9
    assert contradicted[2] < 0.1 < contradicted[1]
    assert measured.order("Temporal accuracy") == {HOLDS: 3, REVERSED: 0, OPEN: 0}
    assert measured.agreement("Temporal accuracy") == 1
    assert measured.order("Contradiction rate")[REVERSED] >= 1
    assert measured.rows[0].published == dict(zip(PUBLISHED_AS, TABLE["context only"], strict=True))


def test_systems_of_other_names_have_no_published_figures(runs: dict[str, Run]) -> None:
    """They are measured and take no part in the order."""
    measured = measure_quality(open_dataset(WORLD), [("mine", runs["bm25"])])
    assert measured.rows[0].published == {}
    assert measured.orders == ()
    assert measured.agreement("Recall@10") is None


def test_no_run_is_no_study_and_other_data_are_refused(runs: dict[str, Run]) -> None:
    """Both mistakes are named."""
    with pytest.raises(ConfigError, match="no run"):
        measure_quality(open_dataset(WORLD), [])
    with pytest.raises(IdentityError, match="was made on"):
        measure_quality(open_dataset("synthetic:tiny"), [("mine", runs["bm25"])])


def test_a_gate_lets_an_equal_and_a_better_run_through(runs: dict[str, Run]) -> None:
    """Nothing is seen between a run and itself; the pipeline improves on BM25 where time matters."""
    same = gate(runs["bm25"], runs["bm25"], open_dataset(WORLD))
    assert same.passed
    assert [check.measure for check in same.checks] == list(DEFAULT)
    better = gate(runs["bm25"], runs["pipeline:embedder=none"], open_dataset(WORLD))
    assert better.passed
    improved = {check.measure for check in better.checks if check.improved}
    assert {"Temporal(lenient)@5", "Contradiction@5"} <= improved


def test_a_gate_stops_what_became_worse_in_either_direction(runs: dict[str, Run]) -> None:
    """More contradictions and less accuracy are both regressions, with what could have been detected."""
    worse = gate(runs["pipeline:embedder=none"], runs["bm25"], open_dataset(WORLD))
    regressed = {check.measure: check for check in worse.checks if check.regressed}
    assert not worse.passed
    assert {"Temporal(lenient)@5", "Contradiction@5"} <= set(regressed)
    difference = regressed["Contradiction@5"].difference
    assert difference is not None
    assert difference.minimum_detectable is not None


def test_a_gate_reads_budgets_from_whole_lists(runs: dict[str, Run]) -> None:
    """As comparisons do: what is found within tokens is not looked for in the first hits alone."""
    before, after = runs["bm25"], runs["recency"]
    gated = gate(before, after, open_dataset(WORLD), ("Recall@250tok", "MRR"))
    gold = GoldTable.read(open_dataset(WORLD))
    made = compare(before, after, gold, Settings(Contract(), ("Recall@250tok", "MRR")))
    assert [check.difference and check.difference.a for check in gated.checks] == [
        each.a for each in made.differences
    ]


def test_a_gate_lets_nothing_through_that_k_may_hide(runs: dict[str, Run]) -> None:
    """What looks worse where lists end at k is not called so and does not pass; what does not look so passes."""
    before, after = runs["bm25"], runs["recency"]
    lost = gate(before, after, open_dataset(WORLD), ("Recall@1000tok",))
    (check,) = lost.checks
    assert (check.regressed, check.untold, lost.passed) == (False, True, False)
    assert check.difference is not None
    assert check.difference.verdict is Conclusion.CUT
    gained = gate(after, before, open_dataset(WORLD), ("Recall@1000tok",))
    assert (gained.checks[0].improved, gained.checks[0].untold, gained.passed) == (False, False, True)
    silent = gate(before, runs["none"], open_dataset(WORLD), ("Recall@1000tok",))
    assert silent.checks[
        0
    ].regressed  # it ends its lists itself, and a longer one of the baseline would add to that


def test_lost_calls_never_pass(runs: dict[str, Run]) -> None:
    """A candidate that fails on questions is stopped even where nothing can be compared."""
    broken = gate(runs["bm25"], runs["faulty:raises"], open_dataset(WORLD))
    assert broken.failed_calls == 331
    assert all(check.difference is None for check in broken.checks)
    assert not broken.passed


def test_lost_writes_never_pass_and_are_told_by_a_comparison(tmp_path: Path) -> None:
    """A memory that was not told everything is no candidate, whatever it finds, and no baseline either."""
    work = plan(["synthetic:tiny"], ["support.systems:Notebook", "support.systems:Forgetful"])
    whole, forgetful = map(load, execute(work, tmp_path, executor=Inline(), check=False))
    data = open_dataset("synthetic:tiny")
    broken, saved = gate(whole, forgetful, data, ("Hit@5",)), gate(forgetful, whole, data, ("Hit@5",))
    for gated in (broken, saved):
        (lost,) = gated.lost_writes
        assert lost.startswith("support.systems:Forgetful is incomplete: ")
        assert not gated.passed
    made = compare(whole, forgetful, GoldTable.read(data), Settings(Contract(), ("Hit@5",)))
    assert made.lost_writes == broken.lost_writes
    assert gate(whole, whole, data, ("Hit@5",)).lost_writes == ()


def test_a_gate_needs_a_measure_that_exists(runs: dict[str, Run]) -> None:
    """None at all would pass everything; an unknown one is named, and so is who gives what a gate has not."""
    with pytest.raises(ConfigError, match="passes everything"):
        gate(runs["bm25"], runs["bm25"], open_dataset(WORLD), ())
    with pytest.raises(UnknownNameError, match="Did you mean Recall"):
        gate(runs["bm25"], runs["bm25"], open_dataset(WORLD), ("Recal@11",))
    with pytest.raises(ConfigError, match=r"read from answers.*memgauge models answer RUN --measure 'F1'"):
        gate(runs["bm25"], runs["bm25"], open_dataset(WORLD), ("F1",))
