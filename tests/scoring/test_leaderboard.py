"""Boards: order, groups, floors and ceilings, and what a reader must know."""

from __future__ import annotations

from dataclasses import replace
from shutil import copytree
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError, IdentityError
from memgauge.records import BOARD, Contract
from memgauge.report.board import document
from memgauge.report.board_tables import BoardLinks
from memgauge.report.board_tables import leaderboard as leaderboard_table
from memgauge.runs.play.execute import execute
from memgauge.runs.play.plan import plan
from memgauge.runs.record.manifest import Limits
from memgauge.runs.record.store import load
from memgauge.scoring.align import align
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.leaderboard import leaderboard, leaderboards
from memgauge.scoring.score import Settings
from support.handmade import Handmade, five_questions, many_questions, planned
from support.players import AsPlayers

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.runs.record.store import Run
    from memgauge.scoring.board import Board

MANY = GoldTable.read(many_questions())
FIVE = GoldTable.read(five_questions())
SETTINGS = Settings(BOARD, ("nDCG@10", "Hit@5"), k=10)
ALL = ("Nothing", "Failing", "Backwards", "oracle", "Minutes", "random", "Notebook")


def board(runs: dict[str, Run], name: str, gold: GoldTable, *labels: str, contract: str = "") -> Board:
    """Rank the runs called *labels*."""
    settings = Settings(Contract.parse(contract, BOARD), SETTINGS.measures, SETTINGS.k)
    judged = [align(runs[f"{name} {label}"], gold, settings.contract, settings.depth) for label in labels]
    return leaderboard(judged, gold, settings)


def test_ranked_systems_come_first_then_ceilings_then_floors(runs: dict[str, Run]) -> None:
    """Each best first; only systems have ranks, equal values share one, and a failing search is a miss."""
    entries = [(e.label, e.role, e.rank) for e in board(runs, "many", MANY, *ALL).entries]
    assert entries[:4] == [
        ("Minutes", "system", 1), ("Notebook", "system", 1), ("Backwards", "system", 3), ("Failing", "system", 4),
    ]  # fmt: skip
    assert entries[4] == ("oracle", "ceiling", None)
    assert set(entries[5:]) == {("Nothing", "floor", None), ("random", "floor", None)}


def test_a_rank_has_its_confidence_set(tmp_path: Path) -> None:
    """Whoever is as good as another may hold its rank; who is worse in each of eight conversations may not."""
    dataset = many_questions(8, 2)
    folders = execute(
        planned(dataset, *(f"support.systems:{n}" for n in ("Minutes", "Notebook", "Failing"))),
        tmp_path,
        executor=AsPlayers(),
        check=False,
    )
    gold = GoldTable.read(dataset)
    found = leaderboard([align(load(folder), gold, BOARD, 10) for folder in folders], gold, SETTINGS)
    assert {e.label: (e.rank_low, e.rank_high) for e in found.entries} == {
        "Minutes": (1, 2), "Notebook": (1, 2), "Failing": (3, 3),
    }  # fmt: skip


def test_four_conversations_exclude_no_rank(runs: dict[str, Run]) -> None:
    """Four coins land alike in one of eight throws: a system that always fails may still be the best of three."""
    found = board(runs, "many", MANY, "Minutes", "Notebook", "Failing")
    assert {(e.rank_low, e.rank_high) for e in found.entries} == {(1, 3)}


def test_one_conversation_tells_nothing_apart(runs: dict[str, Run]) -> None:
    """With one conversation there is an order, no set of ranks, no interval and no verdict."""
    found = board(runs, "five", FIVE, "Notebook", "Failing")
    entries = found.entries
    assert [(e.rank, e.rank_low, e.rank_high) for e in entries] == [(1, None, None), (2, None, None)]
    said = document(found)
    assert "Nobody leads: one conversation cannot say anything about others." in said.lead
    assert "tell them apart" not in said.lead
    assert "behind" not in said.lead
    assert [row[0].text for row in leaderboard_table(found, BoardLinks()).rows] == ["", ""]
    assert all(e.scores["nDCG@10"].low is None and e.scores["nDCG@10"].reason for e in entries)


def test_a_board_says_what_it_stands_on(runs: dict[str, Run]) -> None:
    """Counts, measures, k, exclusions and the smallest difference that could be seen."""
    found = board(runs, "five", FIVE, "Notebook", "Backwards")
    assert (found.measures, found.k, found.conversations, found.questions) == (("nDCG@10", "Hit@5"), 10, 1, 5)
    assert [(e.reason, e.questions) for e in found.exclusions] == [
        ("no evidence", ("c1-q3",)), ("no evidence resolves", ("c1-q4",)),
    ]  # fmt: skip
    assert found.minimum_detectable is None  # one conversation
    assert board(runs, "many", MANY, "Notebook").minimum_detectable is None
    assert found.notes == ()


@pytest.mark.parametrize("contract", ["failures=exclude", "witness=none"])
def test_a_contract_that_believes_or_leaves_out_ranks_nobody(runs: dict[str, Run], contract: str) -> None:
    """Values are shown, and nobody has a rank: under it a system would choose what it is measured on."""
    found = board(runs, "many", MANY, "Minutes", "Backwards", contract=contract)
    assert [e.rank for e in found.entries] == [None, None]
    assert (found.entries[0].scores["nDCG@10"].value or 0) > 0


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


def test_failures_and_interventions_are_said(runs: dict[str, Run]) -> None:
    """What a reader must know stands beside the number; failed searches are misses, and marked."""
    entries = {entry.label: entry for entry in board(runs, "five", FIVE, "Failing", "Minutes").entries}
    assert "5 of its 5 searches failed (5 as error); each is a miss." in entries["Failing"].marks
    assert entries["Failing"].scores["Hit@5"].value == 0.0
    assert (entries["Failing"].coverage, entries["Failing"].context_tokens) == (None, None)
    assert entries["Failing"].latency.search_p50 is None
    assert entries["Minutes"].notes == ("intervention: the clock is patched",)


def test_failures_left_out_leave_no_value(runs: dict[str, Run]) -> None:
    """Under the contract that excludes them a system that always fails has no score."""
    (entry,) = board(runs, "many", MANY, "Failing", contract="failures=exclude").entries
    assert (entry.scores["nDCG@10"].value, entry.rank) == (None, None)


def test_lost_writes_and_breaches_are_noted(tmp_path: Path) -> None:
    """A system that returns too much, twice or from nowhere cannot hide it."""
    folders = execute(
        plan(["synthetic:tiny"], ["faulty:duplicates", "faulty:foreign"]), tmp_path, executor=AsPlayers()
    )
    (built,) = leaderboards(folders, SETTINGS)
    notes = {entry.label: entry.notes for entry in built.board.entries}
    assert notes["faulty:duplicates"] == ("duplicate hits returned; the first counts (32 questions)",)
    assert notes["faulty:foreign"] == (
        "hits of unknown origin: nothing ties them to what was written (32 questions)",
        "it is not known whether its memories are turns word for word, facts or summaries",
    )
    assert all(len(entry.card) == 4 for entry in built.board.entries)


def test_a_run_that_lost_writes_is_incomplete(tmp_path: Path) -> None:
    """It has no value and no rank, and says how much was lost and why; it is never a measured 0."""
    work = planned(many_questions(1, 1), "support.systems:Deadly")
    cell = work.cells[0]
    absent = cell.manifest.system.model_copy(update={"ref": "support.systems:Absent"})
    broken = type(cell)(cell.manifest.model_copy(update={"system": absent}), 1, 9, 1)
    (folder,) = execute(type(work)((broken,), work.datasets), tmp_path, executor=AsPlayers(), check=False)
    gold = GoldTable.read(many_questions(1, 1))
    (entry,) = leaderboard([align(load(folder), gold, BOARD, 10)], gold, SETTINGS).entries
    assert (entry.rank, entry.scores["nDCG@10"].value) == (None, None)
    assert entry.marks[0].startswith(
        "It is incomplete: 9 of 9 writes and flushes failed or timed out (commonest: "
    )
    assert entry.scores["nDCG@10"].reason == entry.marks[0]


def test_some_lost_writes_are_enough(tmp_path: Path) -> None:
    """One rule for every cause: a memory that lost every second write is incomplete as well."""
    dataset = many_questions(2, 1)
    (folder,) = execute(planned(dataset, "support.systems:Forgetful"), tmp_path, executor=AsPlayers(), check=False)
    gold = GoldTable.read(dataset)
    (entry,) = leaderboard([align(load(folder), gold, BOARD, 10)], gold, SETTINGS).entries
    assert entry.rank is None
    assert "disk on fire" in entry.marks[0]


def test_what_the_data_is_not_is_said(tmp_path: Path) -> None:
    """Unpublished data, few conversations and a part of the dataset are noted."""
    dataset = Handmade(many_questions().each, pinned=False)
    work = planned(dataset, "support.systems:Notebook")
    cell = work.cells[0]
    part = type(cell)(cell.manifest.model_copy(update={"conversations": 2}), 2, 18, 12)
    (folder,) = execute(type(work)((part,), work.datasets), tmp_path, executor=AsPlayers(), check=False)
    gold = GoldTable.read(dataset)
    found = leaderboard([align(load(folder), gold, BOARD, 10)], gold, SETTINGS)
    assert [note.split(":")[0] for note in found.notes] == [
        "The data is not known to be the published file",
        "Only the first 2 conversations were run.",
    ]
    assert (found.conversations, found.questions, found.exclusions) == (2, 12, ())


def test_runs_that_differ_in_more_than_the_system_share_no_board(tmp_path: Path) -> None:
    """Another k, seed or size would be compared with the system, so each kind has a board that names the other."""
    folders = execute(plan(["synthetic:tiny"], ["none", "recency"]), tmp_path, executor=AsPlayers(), check=False)
    folders += execute(
        plan(["synthetic:tiny"], ["bm25"], limits=Limits(k=5)), tmp_path, executor=AsPlayers(), check=False
    )
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
    (folder,) = execute(
        planned(five_questions(), "support.systems:Silent"), tmp_path, executor=AsPlayers(), check=False
    )
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
    other = execute(plan(["synthetic:tiny,seed=5"], ["bm25"]), tmp_path, executor=AsPlayers(), check=False)
    first, second = leaderboards([*synthetic, *other], SETTINGS)
    assert [entry.label for entry in first.board.entries] == ["bm25", "oracle", "none"]
    assert [judged.run.label for judged in first.judged] == ["bm25", "oracle", "none"]
    assert [entry.label for entry in second.board.entries] == ["bm25"]
    second.write_scores()
    assert len(list((other[0] / "scores").glob("*.json"))) == 1


def test_copies_of_a_run_stand_once(synthetic: list[Path], tmp_path: Path) -> None:
    """However often it lies there it is one system, so that no lead of another grows less; a note says so."""
    copies = [copytree(synthetic[0], tmp_path / name) for name in ("a", "b")]
    (whole,), (built,) = leaderboards(synthetic, SETTINGS), leaderboards([*synthetic, *copies], SETTINGS)
    assert built.board.entries == whole.board.entries
    (note,) = set(built.board.notes) - set(whole.board.notes)
    assert note.startswith("bm25 counts once")
    assert [str(copy) in note for copy in copies] == [True, True]


def test_rows_of_one_label_are_told_apart(runs: dict[str, Run], tmp_path: Path) -> None:
    """By their version, and where that is one too by their run."""
    (judged,) = (align(runs["many Minutes"], MANY, SETTINGS.contract, SETTINGS.depth),)
    system = judged.run.manifest.system
    newer = judged.run.manifest.model_copy(update={"system": system.model_copy(update={"version": "9"})})
    folders = (copytree(judged.run.folder, tmp_path / name) for name in ("elsewhere", "again-abcdefgh"))
    other = replace(judged, run=replace(judged.run, manifest=newer, folder=next(folders)))
    again = replace(judged, run=replace(judged.run, folder=next(folders)))
    labels = {entry.label for entry in leaderboard([judged, other], MANY, SETTINGS).entries}
    assert labels == {f"Minutes (version {system.version})", "Minutes (version 9)"}
    labels = {entry.label for entry in leaderboard([judged, again], MANY, SETTINGS).entries}
    assert labels == {f"Minutes ({judged.run.folder.name[-8:]})", "Minutes (abcdefgh)"}


@pytest.mark.parametrize("label", ["oracle (ceiling)", "mine ( Floor )", "mine \uff08marked\uff09 again"])
def test_a_name_that_poses_as_a_mark_of_the_board_stands_in_quotation_marks(
    runs: dict[str, Run], label: str
) -> None:
    """Whoever reads it must not take a competitor for a ceiling or a floor."""
    judged = align(runs["many Minutes"], MANY, SETTINGS.contract, SETTINGS.depth)
    system = judged.run.manifest.system.model_copy(update={"label": label})
    posing = replace(judged.run, manifest=judged.run.manifest.model_copy(update={"system": system}))
    (entry,) = leaderboard([replace(judged, run=posing)], MANY, SETTINGS).entries
    assert entry.label == f'"{label}"'


def test_a_board_has_the_k_of_its_runs(tmp_path: Path) -> None:
    """Where fewer hits were kept than are judged, no more than those are spoken of."""
    folders = execute(
        plan(["synthetic:tiny"], ["recency"], limits=Limits(k=5)), tmp_path, executor=AsPlayers(), check=False
    )
    (built,) = leaderboards(folders, Settings(BOARD))
    assert built.board.k == 5
    assert list(built.board.entries[0].by_k) == [1, 2, 3, 5]
    assert document(built.board).identity["k"] == "5"
