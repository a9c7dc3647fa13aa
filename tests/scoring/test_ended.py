"""Budgets of tokens that lists do not reach, because the harness keeps no more than k memories."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.datasets.catalogue import open_dataset
from memgauge.measures import parse
from memgauge.measures.measure import BUDGETS
from memgauge.records import BOARD
from memgauge.report.board import document
from memgauge.report.board_tables import BoardLinks
from memgauge.report.charts import first_chart, first_lines, undrawn
from memgauge.report.first import cards
from memgauge.report.fronts import ENDED, fronts_of
from memgauge.report.words import detectable, ends_at_k, verdict
from memgauge.scoring.align import align
from memgauge.scoring.board import CostAxis
from memgauge.scoring.compare import detectable as between
from memgauge.scoring.ended import EMPTY, OFTEN, SPARE, ListEnds, _filling, budgets_of, list_ends
from memgauge.scoring.entries import candidate_of
from memgauge.scoring.fronts import FrontStanding
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.leaderboard import leaderboard
from memgauge.scoring.ranks import detectable_between
from memgauge.scoring.score import DatasetSampling, Settings
from memgauge.show import Section, Table
from support.ended_runs import FEW, ended_runs

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.runs.record.store import Run
    from memgauge.scoring.board import Board

GOLD = GoldTable.read(open_dataset("synthetic:small"))


@pytest.fixture(scope="module")
def cut(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    """Run three systems that may return thirty turns, some 660 tokens, and the ceiling."""
    return _played(tmp_path_factory.mktemp("cut"), FEW)


def _played(out: Path, k: int) -> list[Run]:
    return list(ended_runs(out, "bm25", "recency", "random", "oracle", k=k).values())


def _board(runs: list[Run], *measures: str, k: int = 60) -> Board:
    settings = Settings(BOARD, measures, k)
    return leaderboard([align(run, GOLD, BOARD, settings.depth) for run in runs], GOLD, settings)


@given(st.integers(1, 100_000), st.floats(0.5, 2000))
def test_the_k_that_is_named_is_the_least_round_one_with_some_to_spare(budget: int, mean: float) -> None:
    """No number of two digits and zeros is nearer above one and a half times what fills the budget on average."""
    k, wanted = _filling(budget, mean), SPARE * budget / mean
    step = 10 ** max(len(str(int(wanted))) - 2, 0)
    assert k - step < wanted <= k
    assert k % step == 0


def test_every_budget_that_is_asked_for_is_looked_at_once_and_in_order() -> None:
    """Those of every board, and those of its measures."""
    asked = Settings(BOARD, ("Recall@1234tok", "Recall@1000tok"), 10)
    assert budgets_of(asked) == tuple(sorted((*BUDGETS, 1_234)))


def test_lists_that_often_end_are_noted_once_with_the_largest_budget() -> None:
    """Not those that end rarely, and not those of which more is said because k leaves them empty."""
    ends = ListEnds(30, {250: OFTEN, 500: 0.125, 1_000: 0.5, 2_000: OFTEN - 0.01}, {1_000: 90})
    assert list(ends.notes()) == ["12% of its lists end at k=30 before 500 tokens; run it with a larger --k"]
    assert not list(ListEnds(30, {250: OFTEN - 0.01}, {}).notes())


def test_lists_are_short_of_the_budgets_that_k_leaves_empty(cut: list[Run]) -> None:
    """From some budget on k leaves too much empty; the k that is named would fill it."""
    spending = align(cut[0], GOLD, BOARD, 60).spending
    ends, ended = list_ends(spending, BUDGETS), {budget: spending.ended(budget) for budget in BUDGETS}
    assert list(ends.short_of) == [budget for budget, each in ended.items() if each and each.empty > EMPTY]
    mean = float(spending.lengths.tokens.mean())
    assert all(k * mean >= budget for budget, k in ends.short_of.items())


def test_a_list_that_is_judged_no_deeper_ends_there_too(cut: list[Run], tmp_path: Path) -> None:
    """Whether memories were kept and not judged or not kept at all: the list ends at the same k."""
    deep = _played(tmp_path, 40)
    shallow = (align(deep[0], GOLD, BOARD, FEW).spending, align(cut[0], GOLD, BOARD, 60).spending)
    judged, kept = (list_ends(spending, BUDGETS) for spending in shallow)
    assert (judged.k, judged.shares, [*judged.short_of]) == (kept.k, kept.shares, [*kept.short_of])


def test_who_hands_over_little_by_choice_is_short_of_nothing(cut: list[Run]) -> None:
    """A list that its system ends itself is all that there is to find."""
    oracle = next(run for run in cut if run.label == "oracle")
    assert not list_ends(align(oracle, GOLD, BOARD, 60).spending, BUDGETS).short_of


def test_nobody_leads_within_a_budget_that_lists_end_before(cut: list[Run]) -> None:
    """More may lie below k: whoever is cut may be the best, and the board says with which k to ask again."""
    found = _board(cut, "Recall@1000tok", "RecallCurve")
    said = verdict(found)
    assert {(e.rank_low, e.rank_high) for e in found.entries if e.rank} == {(1, 2)}
    assert "leads" not in said
    assert "behind" not in said
    assert "bm25 and recency may each be the best: lists of bm25 and recency end at k=30 before 1,000" in said
    wanted = max(e.short_of[1_000] for e in found.entries if e.rank)
    assert f"play and score with --k {wanted} or more" in said


def test_what_is_detectable_is_said_of_full_lists(cut: list[Run]) -> None:
    """Of two systems that k cuts nothing is; of the two best others it is, and that they are these."""
    assert _board(cut, "Recall@1000tok").minimum_detectable is None
    measure, sampling = "Recall@500tok", DatasetSampling.of(GOLD)
    settings = Settings(BOARD, (measure,))
    judged = [align(run, GOLD, BOARD, settings.depth) for run in cut[:3]]
    best, *others = (candidate_of(each, GOLD, settings, sampling, each.scored) for each in judged)
    short = replace(best, entry=replace(best.entry, short_of={500: 90}))
    told = detectable_between([short, *others], sampling, parse(measure))
    assert told == between(others[0].rows, others[1].rows, sampling, comparisons=3) is not None
    assert told != detectable_between([best, *others], sampling, parse(measure))
    board = _board(cut, measure)
    first = replace(board.entries[0], short_of={500: 90})
    assert detectable(board).startswith("Had the two best truly differed by")
    assert detectable(replace(board, entries=(first, *board.entries[1:]))).startswith(
        "Had the two best that k does not cut truly differed by"
    )


def test_fronts_claim_nothing_within_a_budget_that_lists_end_before(cut: list[Run]) -> None:
    """Nobody is behind by what k cut, nor on the front beside who is cut; the table says why, and only then."""
    by_axis = {each.axis: each for each in _board(cut, "Recall@1000tok").fronts}
    standings = {place.standing for place in by_axis[CostAxis.LATENCY].places if place.standing}
    assert FrontStanding.BEHIND not in standings
    assert FrontStanding.NEAR in standings
    assert by_axis[CostAxis.TOKENS].measure == f"Recall@{FEW}"
    told = {
        measure: ENDED
        in "".join(note for section in fronts_of(_board(cut, measure)) for note in _notes_of(section))
        for measure in ("Recall@1000tok", "Recall@5")
    }
    assert told == {"Recall@1000tok": True, "Recall@5": False}


def _notes_of(section: Section) -> list[str]:
    return [block.note for block in section.blocks if isinstance(block, Table)]


def test_who_is_not_cut_may_lead(cut: list[Run]) -> None:
    """By a measure that looks at no more than k hits the same runs are told apart as ever."""
    found = _board(cut, "Recall@5")
    assert "It leads" in verdict(found)


def test_curves_end_where_lists_do(cut: list[Run]) -> None:
    """No line, sentence or table goes on to a budget that k leaves empty; floors and the ceiling end with them."""
    found = _board(cut, "Recall@5", "RecallCurve")
    last = max(budget for e in found.entries if e.role == "system" for budget in (*e.by_budget, 0))
    assert last == 500
    assert all(not e.by_budget.keys() & e.short_of.keys() for e in found.entries)
    assert all(max(e.own_floor, default=0) <= last for e in found.entries)
    assert all(point["x"] <= last for line in first_lines(found) for point in line)


def test_the_note_covers_every_system_and_the_area_over_budgets(cut: list[Run]) -> None:
    """A measure is too low for who is cut within its budgets, floors among them, and for nobody else."""
    found = _board(cut, "Recall@5", "RecallCurve")
    low, curves = ends_at_k(found)
    few = "RecallCurve is too low for bm25, recency and random: lists end at k=30 before 1,000 tokens are full."
    assert low == few
    assert curves.startswith("Curves by tokens end where lists of 30 memories do; with --k ")
    assert {low, curves} <= {note.text for note in document(found).notes}
    assert len(list(ends_at_k(_board(cut, "Recall@5")))) == 1


def test_nobody_is_told_to_play_longer_lists_of_what_was_imported(cut: list[Run]) -> None:
    """Who is imported has no --k; beside somebody who was played, theirs is named."""
    found = _board(cut, "Recall@5")
    systems = [e for e in found.entries if e.role == "system"]
    imported = [replace(e, version="imported") for e in systems]
    floors = [e for e in found.entries if e.role != "system"]
    (alone,) = ends_at_k(replace(found, entries=(*imported, *floors)))
    assert alone == "Curves by tokens end where lists of 30 memories do: what was imported holds no longer ones."
    (beside,) = ends_at_k(replace(found, entries=(imported[0], *systems[1:], *floors)))
    assert "with --k" in beside


def test_a_line_that_ends_earlier_says_where(cut: list[Run]) -> None:
    """Who is read aloud is read with the budget at which its line ends."""
    found = _board(cut, "Recall@5")
    system = found.entries[0]
    longer = replace(system, by_budget={**system.by_budget, 1_000: system.by_budget[500]})
    drawn = first_chart(replace(found, entries=(longer, *found.entries[1:])))
    assert drawn is not None
    assert "recency 0." in drawn.description
    assert " at 500, where it ends" in drawn.description


def test_who_has_no_line_is_named_beside_the_picture(cut: list[Run]) -> None:
    """A leader whose list ends before the second budget is not there to be seen."""
    found = _board(cut, "Recall@5")
    assert undrawn(found) == []
    leader = found.entries[0]
    first = min(leader.by_budget)
    short = replace(leader, by_budget={first: leader.by_budget[first]})
    board = replace(found, entries=(short, *found.entries[1:]))
    assert undrawn(board) == [leader.label]
    (picture, *_) = cards(board, Table.of("t", "t", ("system",), ()), BoardLinks())
    assert f"Not drawn, since their lists are too short: {leader.label}." in str(picture)
