"""The table for programs holds the rows of every part that has one."""

from __future__ import annotations

from memgauge.frame.output import Format, text_of
from memgauge.show import Document, Section, Table
from memgauge.show.document import embedded
from memgauge.show.merging import main_table

BOARD = Document("Board", blocks=(Table.of("board", "Leaderboard", ("system", "Recall@250tok"), [("bm25", 0.5)]),))
OTHER = Document(
    "Board",
    blocks=(
        Section("who", "Leaderboard", (Table.of("board", "Leaderboard", ("system", "MRR"), [("none", 0.25)]),)),
        Table.of("cards", "Cards", ("system",), [("none",)]),
    ),
)


def test_a_table_that_stands_once_is_as_it_is() -> None:
    """No column more."""
    assert main_table(BOARD) is next(BOARD.tables)
    assert main_table(Document("nothing")) is None


def test_the_same_table_of_every_part_is_one_table_for_programs() -> None:
    """Rows of all parts, which they name; columns that one part lacks stay empty, and other tables stay away."""
    document = Document("", blocks=(embedded(BOARD, "board-1", "small"), embedded(OTHER, "board-2", "tiny")))
    assert text_of(document, Format.CSV).splitlines() == [
        "of,system,Recall@250tok,MRR",
        "small,bm25,0.5,",
        "tiny,none,,0.25",
    ]
