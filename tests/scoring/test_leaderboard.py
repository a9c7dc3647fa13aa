"""Boards: order, groups, floors and ceilings, and what a reader must know."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError, IdentityError
from memgauge.records import Contract
from memgauge.runs.execute import execute
from memgauge.runs.manifest import Limits
from memgauge.runs.plan import plan
from memgauge.runs.store import load
from memgauge.scoring.align import align
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.leaderboard import leaderboard, leaderboards
from memgauge.scoring.score import Settings
from support_data import Handmade, five_questions, many_questions, planned

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.runs.store import Run
    from memgauge.scoring.board import Board

MANY = GoldTable.read(many_questions())
FIVE = GoldTable.read(five_questions())
SETTINGS = Settings(Contract(), ("nDCG@10", "Hit@5"), k=10)
ALL = ("Nothing", "Failing", "Backwards", "oracle", "Minutes", "random", "Notebook")


def board(runs: dict[str, Run], name: str, gold: GoldTable, *labels: str, contract: str = "") -> Board:
    """Rank the runs called *labels*."""
    settings = Settings(Contract.parse(contract), SETTINGS.measures, SETTINGS.k)
    judged = [align(runs[f"{name} {label}"], gold, settings.contract, settings.depth) for label in labels]
    return leaderboard(judged, gold, settings)


def test_systems_come_first_then_ceilings_then_floors(runs: dict[str, Run]) -> None:
    """Each best first; only systems with a score have a group."""
    found = board(runs, "many", MANY, *ALL)
    assert [(entry.label, entry.role, entry.tie_group) for entry in found.entries][:2] in (
        [("Minutes", "system", 1), ("Notebook", "system", 1)],
        [("Notebook", "system", 1), ("Minutes", "system", 1)],
    )
    assert [(entry.label, entry.role, entry.tie_group) for entry in found.entries][2:5] == [
        ("Backwards", "system", 2), ("Failing", "system", None), ("oracle", "ceiling", None),
    ]  # fmt: skip
    assert {(entry.label, entry.role, entry.tie_group) for entry in found.entries[5:]} == {
        ("Nothing", "floor", None), ("random", "floor", None),
    }  # fmt: skip


def test_a_board_says_what_it_stands_on(runs: dict[str, Run]) -> None:
    """Counts, measures, k, exclusions and the smallest difference that could be seen."""
    found = board(runs, "five", FIVE, "Notebook", "Backwards")
    assert (found.measures, found.k, found.conversations, found.questions) == (("nDCG@10", "Hit@5"), 10, 1, 5)
    assert [(e.reason, e.questions) for e in found.exclusions] == [
        ("no evidence", ("c1-q3",)), ("no evidence resolves", ("c1-q4",)),
    ]  # fmt: skip
    assert found.minimum_detectable is not None
    assert board(runs, "five", FIVE, "Notebook").minimum_detectable is None
    assert found.notes == ()


def test_an_entry_adds_up_by_category_and_k(runs: dict[str, Run]) -> None:
    """Every question of the run is in one category, scored or excluded with its reason."""
    (entry,) = board(runs, "five", FIVE, "Notebook").entries
    assert set(entry.by_category) == {"fact", "time"}
    parts = [score.denominator for score in entry.by_category.values()]
    whole = entry.scores["nDCG@10"].denominator
    assert (whole.total, whole.scored) == (sum(p.total for p in parts), sum(p.scored for p in parts)) == (5, 3)
    assert list(entry.by_k) == [1, 2, 3, 5, 10]
    recalls = [score.value for score in entry.by_k.values()]
    assert recalls == sorted(recalls, key=lambda value: value or 0.0)
    assert entry.outcomes == {"ok": 5}
    assert entry.coverage is not None
    assert entry.context_tokens is not None
    assert (entry.coverage > 0.8, entry.context_tokens > 10) == (True, True)


def test_failures_and_interventions_are_noted(runs: dict[str, Run]) -> None:
    """What a reader must know stands beside the number."""
    entries = {entry.label: entry for entry in board(runs, "five", FIVE, "Failing", "Minutes").entries}
    assert entries["Failing"].notes == ("5 questions ended as error",)
    assert entries["Failing"].scores["Hit@5"].value is None
    assert (entries["Failing"].coverage, entries["Failing"].context_tokens) == (None, None)
    assert entries["Failing"].latency.search_p50 is None
    assert entries["Minutes"].notes == ("intervention: the clock is patched",)


def test_failures_can_count_as_zero(runs: dict[str, Run]) -> None:
    """Then the failing system has a score and a group."""
    found = board(runs, "many", MANY, "Failing", "Notebook", contract="failures=zero")
    assert [(e.label, e.scores["nDCG@10"].value, e.tie_group) for e in found.entries] == [
        ("Notebook", 1.0, 1), ("Failing", 0.0, 2),
    ]  # fmt: skip


def test_lost_writes_and_breaches_are_noted(tmp_path: Path) -> None:
    """A system that returns too much, twice or from nowhere cannot hide it."""
    folders = execute(plan(["synthetic:tiny"], ["faulty:duplicates", "faulty:foreign"]), tmp_path)
    (built,) = leaderboards(folders, SETTINGS)
    notes = {entry.label: entry.notes for entry in built.board.entries}
    assert notes["faulty:duplicates"] == ("duplicate hits returned; the first counts (32 questions)",)
    assert notes["faulty:foreign"] == (
        "hits of unknown origin: nothing ties them to what was written (32 questions)",
        "its reporting card has no answer to: reports its retrieval unit?",
    )
    assert all(len(entry.card) == 4 for entry in built.board.entries)


def test_writes_that_failed_are_counted(tmp_path: Path) -> None:
    """A write that never came back is noted at its system."""
    work = planned(many_questions(1, 1), "support_systems:Deadly")
    cell = work.cells[0]
    absent = cell.manifest.system.model_copy(update={"ref": "support_systems:Absent"})
    broken = type(cell)(cell.manifest.model_copy(update={"system": absent}), 1, 9, 1)
    (folder,) = execute(type(work)((broken,), work.datasets), tmp_path)
    gold = GoldTable.read(many_questions(1, 1))
    (entry,) = leaderboard([align(load(folder), gold, Contract(), 10)], gold, SETTINGS).entries
    assert entry.notes == ("1 questions ended as error", "9 writes failed")


def test_what_the_data_is_not_is_said(tmp_path: Path) -> None:
    """Unpublished data, few conversations and a part of the dataset are noted."""
    dataset = Handmade(many_questions().each, pinned=False)
    work = planned(dataset, "support_systems:Notebook")
    cell = work.cells[0]
    part = type(cell)(cell.manifest.model_copy(update={"conversations": 2}), 2, 18, 12)
    (folder,) = execute(type(work)((part,), work.datasets), tmp_path)
    gold = GoldTable.read(dataset)
    found = leaderboard([align(load(folder), gold, Contract(), 10)], gold, SETTINGS)
    assert [note.split(":")[0] for note in found.notes] == [
        "The data is not known to be the published file",
        "Only the first 2 conversations were run.",
        "4 conversations are few",
    ]
    assert (found.conversations, found.questions, found.exclusions) == (2, 12, ())


def test_runs_that_differ_in_more_than_the_system_share_no_board(tmp_path: Path) -> None:
    """Another k, seed or size would be compared with the system, so each kind has a board that names the other."""
    folders = execute(plan(["synthetic:tiny"], ["none", "recency"]), tmp_path)
    folders += execute(plan(["synthetic:tiny"], ["bm25"], limits=Limits(k=5)), tmp_path)
    many, few = leaderboards(folders, SETTINGS)
    assert [[entry.label for entry in each.board.entries] for each in (many, few)] == [
        ["recency", "none"],
        ["bm25"],
    ]
    assert "here limits k=60" in many.board.notes[0]
    assert "not k=5" in many.board.notes[0]
    assert "here limits k=5" in few.board.notes[0]
    with pytest.raises(IdentityError, match="limits: k=60"):
        leaderboard([*many.judged, *few.judged], many.gold, SETTINGS)


def test_what_rests_on_weaker_lineage_is_said(runs: dict[str, Run], tmp_path: Path) -> None:
    """A system that says nothing of its writes scores nothing on exact lineage, and the board says so."""
    (folder,) = execute(planned(five_questions(), "support_systems:Silent"), tmp_path)
    silent = align(load(folder), FIVE, SETTINGS.contract, SETTINGS.depth)
    (entry,) = leaderboard([silent], FIVE, SETTINGS).entries
    assert (entry.scores["nDCG@10"].value or 0) > 0
    assert any(note.startswith("nDCG@10 is 0.000 on exact lineage alone, ") for note in entry.notes)
    (exact,) = board(runs, "five", FIVE, "Notebook").entries
    assert not any("lineage alone" in note for note in exact.notes)


def test_a_board_needs_a_run() -> None:
    """Without any there is nothing to show."""
    with pytest.raises(ConfigError, match="at least one run"):
        leaderboard([], MANY, SETTINGS)


def test_every_dataset_gets_a_board_with_its_runs_in_order(synthetic: list[Path], tmp_path: Path) -> None:
    """Judged runs stand in the order of the entries; score files are written beside them."""
    other = execute(plan(["synthetic:tiny,seed=5"], ["bm25"]), tmp_path)
    first, second = leaderboards([*synthetic, *other], SETTINGS)
    assert [entry.label for entry in first.board.entries] == ["bm25", "oracle", "none"]
    assert [judged.run.label for judged in first.judged] == ["bm25", "oracle", "none"]
    assert [entry.label for entry in second.board.entries] == ["bm25"]
    second.write_scores()
    assert len(list((other[0] / "scores").glob("*.json"))) == 1
