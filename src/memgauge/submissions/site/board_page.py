"""The page of a board: who stands where, what it takes, and what must be read beside every row."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memgauge.report.bars import bar
from memgauge.scoring.fronts import FrontStanding
from memgauge.show import Cell, Code, Column, Document, Fold, Kind, Note, Notes, Prose, Section, Table, Tone
from memgauge.show.glossary import meaning
from memgauge.show.numbers import between, plural, signed
from memgauge.submissions.boards.quality import below_baseline
from memgauge.submissions.site.checked_page import checked_blocks
from memgauge.submissions.site.fronts import front_figure
from memgauge.submissions.site.places import BOARDS, board_place, submission_place
from memgauge.submissions.site.words import ORIGIN, detectable_sentence, ends_at_k, interval_of, lead, level_cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.show import Block
    from memgauge.show.table import Value
    from memgauge.submissions.boards.board import QualityRow, ResultsBoard, RowHead

GROUPS: Final = (
    "Group: whoever finds the most of those left, and all who are not shown to find less (95 %, paired by "
    "question, over conversations, corrected by Holm over all pairs, settings of one product too). Within a group "
    "the order is alphabetical and means nothing. Places: all that a row may have, at once in 95 % of cases. "
    "Questions that failed or were never answered count 0. A cell is empty where nothing could be credited."
)
_JUDGED: Final = (
    Column("unscored", Kind.COUNT, means="Answers on which the judge decided nothing; each counts 0.", aside=True),
    Column("answered by", Kind.TEXT, aside=True),
)
JUDGED_ELSEWHERE: Final = (
    "Answers and verdicts stay with who made them: grades are what they say, and nobody here can judge again."
)


def board_document(board: ResultsBoard) -> Document:
    """Say everything that a board says."""
    return Document(
        title=board.title,
        beside=_measured(board),
        lead=lead(board) if board.kind not in {"golden", "isolation", "lag"} else _checked_lead(board),
        facts=tuple(_facts(board)),
        blocks=tuple(_blocks(board)),
        notes=tuple(_notes(board)),
        origin="submitted bundles and sheets",
        identity={
            "board": board.name,
            "division": board.division,
            "lane": board.lane,
            "contract": board.contract or "none",
        },
    )


def _measured(board: ResultsBoard) -> str:
    asked = (
        f"{plural(board.questions, 'question')}, {plural(board.conversations, 'conversation')}; "
        if board.rows
        else ""
    )
    return f"{asked}division {board.division}, lane {board.lane}"


def _checked_lead(board: ResultsBoard) -> str:
    if not board.checked:
        return "Nobody was looked at here yet."
    broken = sum("broken" in row.states.values() for row in board.checked)
    wrong = sum(bool(row.failed) for row in board.checked)
    if board.kind == "golden":
        return f"Of {plural(len(board.checked), 'product')}, {wrong} get wrong what a memory must never get wrong."
    return f"Of {plural(len(board.checked), 'product')}, {broken} break what they were looked at for."


def _facts(board: ResultsBoard) -> Iterator[str]:
    if board.superseded_by:
        yield f"A newer version of this board is {board.superseded_by}; this one is built on for ever."
    yield board.means
    if board.judge:
        answerer = board.answerer or "whoever a submission names"
        yield f"Judged by {board.judge}, answered by {answerer}. {JUDGED_ELSEWHERE}"
    yield ORIGIN


def _blocks(board: ResultsBoard) -> Iterator[Block]:
    figure = front_figure(board)
    if figure is not None:
        yield Section("picture", figure.title, (figure,), Fold.CARD)
    if board.banners:
        failing = (
            Note(f"{aspect}: {', '.join(names)}.", tone=Tone.WARN) for aspect, names in board.banners.items()
        )
        yield Section("banner", "FAILS at isolation or erasure", (Notes(tuple(failing)),), Fold.CARD)
    if board.rows:
        yield leaderboard(board)
        yield from _unranked(board)
    yield from checked_blocks(board)
    yield _further(board)


def _further(board: ResultsBoard) -> Section:
    place = board_place(board.name, "json")
    lines = (Prose(f"As data: {place}. The board is a sheet, boards/{board.name}.toml, and nothing else."),)
    code = Code("memgauge results board results --out site")
    return Section("again", "Make it again", (*lines, code), Fold.CLOSED)


def leaderboard(board: ResultsBoard) -> Table:
    """Return the table of a board of quality."""
    several = any(row.seeds > 1 for row in board.rows)
    columns = (
        Column("group", Kind.TEXT, means=meaning("tie group")),
        Column("system", Kind.TEXT),
        Column(board.measure, Kind.NUMBER, means=_means(board)),
        Column(_head(board), Kind.COUNT, means=board.against),
        Column("verified", Kind.TEXT, means="How far a row was verified: levels 0 to 5."),
        Column("places", Kind.TEXT, aside=True),
        Column("beside BM25", Kind.SIGNED, means="How much more it finds than plain word search.", aside=True),
        Column("front", Kind.TEXT, means="Whether somebody who costs no more finds more.", aside=True),
        *(_JUDGED if board.judge else ()),
        Column("tokens", Kind.COUNT, means="What a reader is handed for a question.", aside=True),
        Column("p50/p95 ms", Kind.TEXT, means="Time of a search: half are quicker, and 95 of 100.", aside=True),
        Column("writing, s", Kind.MILLISECONDS, means="For a thousand turns.", aside=True),
        Column("unanswered", Kind.TEXT, means="Questions without a valid result; each counts 0.", aside=True),
        *(
            [Column("runs", Kind.TEXT, means="Runs, and the lowest and highest of them.", aside=True)]
            if several
            else []
        ),
        Column("submitted", Kind.TEXT, aside=True),
    )
    top = max([1.0, *(row.high or row.value or 0.0 for row in board.rows)])
    rows = [_row(row, top, several=several, judged=bool(board.judge)) for row in board.rows]
    note = "\n".join(filter(None, (GROUPS, detectable_sentence(board))))
    table = Table.of("rows", "Who stands where", columns, rows, note)
    quiet = frozenset(at for at, row in enumerate(board.rows) if row.head.grey or row.role != "system")
    return replace(table, names=1, quiet=quiet)


def _means(board: ResultsBoard) -> str:
    right = "The share of answers that the judge finds right, of all that can be judged."
    return right if board.judge else meaning(board.measure)


def _head(board: ResultsBoard) -> str:
    others = {"write-cost": "writing, s a thousand turns", "p95": "p95, ms"}
    return others.get(board.kind, "tokens a question")


def _row(row: QualityRow, top: float, *, several: bool, judged: bool) -> tuple[Cell | Value, ...]:
    figure = Cell(
        "" if row.value is None else f"{row.value:.3f}",
        interval_of(row),
        row.value,
        row.low,
        row.high,
        mark="value",
        drawing=bar(row, top),
    )
    spread = f"{row.spread[0]:.3f} to {row.spread[1]:.3f}" if row.spread else ""
    return (
        "" if row.group is None else str(row.group),
        named(row.head, *_badges(row)),
        figure,
        _cost(row.cost),
        level_cell(row.head),
        _places(row),
        _beside(row),
        _front(row),
        *((row.unscored, row.answerer) if judged else ()),
        row.tokens,
        f"{_ms(row.p50)}/{_ms(row.p95)}",
        row.writing_s,
        Cell(f"{row.unanswered:,}", f"of {row.asked:,}", row.unanswered),
        *([Cell(str(row.seeds), spread)] if several else []),
        Cell(row.head.day, f"by {row.head.submitter}"),
    )


def named(head: RowHead, *badges: str) -> Cell:
    """Name a row by its product, which leads to the submission."""
    place = submission_place(head.submission, head.product, head.version)
    under = head.version if head.label in {head.title, head.product} else f"{head.version} · {head.label}"
    return Cell(head.title, under, leads=place, badges=badges)


def _badges(row: QualityRow) -> Iterator[str]:
    if row.role != "system":
        yield row.role
    elif row.group is None:
        yield "unranked"
    if row.head.baseline and row.role == "system":
        yield "baseline"
    if row.head.own:
        yield "our own"
    if below_baseline(row):
        yield "below BM25"
    if row.head.grey:
        yield "older than a year"
    if row.head.footnotes:
        yield "footnote"


def _cost(cost: float | None) -> Cell:
    text = "" if cost is None else f"{cost:,.0f}" if cost >= 100 else f"{cost:,.3g}"
    return Cell(text, value=cost)


def _ms(value: float | None) -> str:
    return "?" if value is None else f"{value:,.3g}" if value < 100 else f"{value:,.0f}"


def _places(row: QualityRow) -> str:
    if row.rank_low is None:
        return ""
    return str(row.rank_low) if row.rank_low == row.rank_high else f"{row.rank_low} to {row.rank_high}"


def _beside(row: QualityRow) -> Cell:
    if row.beside is None:
        return Cell("")
    each = row.beside
    under = f"{between(each.low, each.high)} {each.verdict}".strip()
    return Cell(signed(each.difference), under, each.difference, each.low, each.high)


def _front(row: QualityRow) -> Cell:
    if row.front is None:
        return Cell("")
    if row.front.standing is FrontStanding.FRONT:
        return Cell("front", mark="best")
    return Cell(
        str(row.front.standing), f"{signed(row.front.difference)} {between(row.front.low, row.front.high)}".strip()
    )


def _unranked(board: ResultsBoard) -> Iterator[Table]:
    """Say why rows are not ranked, each reason once."""
    rows = [(named(row.head), " ".join(row.barred)) for row in board.rows if row.barred]
    if rows:
        columns = (Column("system"), Column("why", Kind.PROSE))
        yield Table.of("unranked", "Why rows are not ranked", columns, rows)


def _notes(board: ResultsBoard) -> Iterator[Note]:
    for row in board.rows:
        yield from (Note(text, row.head.title) for text in row.head.footnotes)
        yield from (Note(text, row.head.title) for text in row.marks)
    yield from map(Note, board.notes)
    if sentence := ends_at_k(board):
        yield Note(sentence)


def trail() -> tuple[tuple[str, str], ...]:
    """Return the pages above a board's."""
    return (("Boards", BOARDS),)
