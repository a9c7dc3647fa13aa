"""The board of a panel of judges, and what limits it."""

from __future__ import annotations

from memgauge.records import Denominator
from memgauge.report.judges import document
from memgauge.results import plain
from memgauge.scoring.board import Score
from memgauge.scoring.correction import Correction
from memgauge.scoring.judged import JudgedEntry, JudgeFlips
from memgauge.scoring.judged_board import JudgedBoard, JudgedPlace
from memgauge.stats import Interval

EMPTY = Interval(None, None, None, 0, "fewer than two")


def entry(system: str, value: float, category: float | None = None) -> JudgedEntry:
    """Judge four answers of a system."""
    score = Score("right", value, value - 0.1, value + 0.1, None, None, Denominator(5, 4, {"verdict invalid": 1}))
    parts = (
        {} if category is None else {"date": Score("right", category, None, None, None, None, Denominator(2, 2))}
    )
    return JudgedEntry(
        run=f"runs/{system}",
        system=system,
        answers="first retrieved",
        panel="a, b",
        layer="0",
        scores=(score,),
        by_category=parts,
        injections=1,
        by_judge={"a": {"correct": 3, "incorrect": 1}, "b": {"correct": 4}},
        worth={"a": 0.75, "b": 1.0},
        flips=(JudgeFlips("a", "b", 4, 3, 0, 1, Interval(0.4, 0.1, 0.7, 4)),),
        fleiss=EMPTY,
        asked=4,
        open=0,
    )


def place(made: JudgedEntry, rank: int | None, *ends: int, marks: tuple[str, ...] = ()) -> JudgedPlace:
    """Put an entry in its place."""
    low, high = ends or (rank, rank)
    return JudgedPlace(made, Correction(0.5, 0.4, 0.6, 4, "a method"), rank, low, high, marks)


RANKED = JudgedBoard(
    "fit", (), ("A mark.",), (place(entry("x", 0.9, 1.0), 1), place(entry("y", 0.2), 2, marks=("It is odd.",)))
)


def test_a_ranked_board_says_who_leads_and_why_not_to_believe_it() -> None:
    """The leader, ranks, corrected scores, what each judge said and how they agree, and every mark."""
    shown = document(RANKED, "certified")
    assert shown.lead == "x leads."
    assert shown.facts == ("Judge: a, b; certified.",)
    tables = {table.key: table for table in shown.tables}
    assert set(tables) == {"judged", "grades", "agreement"}
    board = tables["judged"]
    assert board.heads == ("rank", "system", "answers", "right", "corrected", "scored", "injections")
    assert [cell.text for cell in board.rows[0]][:2] == ["1", "x"]
    assert (board.rows[0][3].value, board.rows[0][3].low) == (0.9, 0.8)
    assert board.rows[0][5].text == "4/5 (1 verdict invalid)"
    assert tables["grades"].rows[0][2].text == "3 correct, 1 incorrect"
    assert [cell.text for cell in tables["agreement"].rows[0]] == ["x", "a and b", "3 of 4", "0.40", "0", "1"]
    notes = [f"{note.about}: {note.text}" if note.about else note.text for note in shown.notes]
    assert notes[:2] == ["A mark.", "y: It is odd."]
    assert notes[2] == "Corrected by a method; its 95 % intervals hold the doubt about the judge too."


def test_a_board_that_ranks_nobody_says_so_first() -> None:
    """There is no column of ranks and no leader."""
    places = (place(entry("x", 0.9), None), place(entry("y", 0.2), None))
    shown = document(JudgedBoard("uncertified", ("It was never certified.",), (), places), "uncertified")
    assert shown.lead == "Nobody is ranked: It was never certified."
    assert "rank" not in next(shown.tables).heads


def test_who_cannot_be_told_apart_is_named_together() -> None:
    """Two systems whose rank sets begin at the first place may each be the best."""
    both = (place(entry("x", 0.9), 1, 1, 2), place(entry("y", 0.8), 2, 1, 2))
    assert document(JudgedBoard("fit", (), (), both), "fit").lead == "x and y may each be the best."


def test_stages_stand_under_the_system_that_they_were_counted_of() -> None:
    """Systems are judged in another order than they rank in; their counts stay with them."""
    lost = [("y", {"never stored": 3}), ("x", {"never stored": 0})]
    shown = document(RANKED, "certified", categories=True, lost=lost)
    tables = {table.key: table for table in shown.tables}
    assert tables["stages"].heads == ("stage", "y", "x")
    assert [cell.text for cell in tables["stages"].rows[0]] == ["never stored", "3", "0"]
    assert plain(shown.data)["stages"] == [{"never stored": 3}, {"never stored": 0}]
    rows = [[cell.text for cell in row] for row in tables["categories"].rows]
    assert rows == [["date", "1.000", ""], ["mean of categories", "1.000", ""]]
