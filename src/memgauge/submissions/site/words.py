"""What boards say in sentences that somebody understands who has heard of none of this."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from memgauge.measures import parse
from memgauge.report.words import share
from memgauge.scoring.conclusions import Conclusion
from memgauge.show import Cell
from memgauge.show.numbers import between, listed, plural

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.submissions.boards.board import QualityRow, ResultsBoard, RowHead

ORIGIN: Final = (
    "Level 1 proves that a row agrees with itself, and not that the product produced it: whoever wants to can "
    "seal anything. Only levels 3 to 5 speak of origin."
)
NOT_VERIFIED: Final = "not independently verified"
FEW: Final = 3


def lives(board: ResultsBoard) -> bool:
    """Whether somebody stands on a board who belongs there; baselines that stand everywhere do not count."""
    return bool(board.checked or (board.rows and not board.guests))


def ranked(board: ResultsBoard) -> list[QualityRow]:
    """Return the rows that have a place."""
    return [row for row in board.rows if row.group is not None]


def ahead(board: ResultsBoard) -> list[QualityRow]:
    """Return the first tie group."""
    return [row for row in board.rows if row.group == 1]


def names_of(rows: Sequence[QualityRow]) -> Mapping[str, str]:
    """Name rows by their products, and by their labels where a product has several, by submission."""
    titles = Counter(row.head.title for row in rows)
    return {row.head.submission: row.head.title if titles[row.head.title] == 1 else row.head.label for row in rows}


def few(names: Sequence[str]) -> str:
    """Join names, and count those beyond the first few."""
    rest = len(names) - FEW
    if rest > 1:
        return f"{'; '.join(names[:FEW])}; and {rest} others"
    return "; ".join(names) if any("," in name for name in names) else listed(names)


def lead(board: ResultsBoard) -> str:
    """Say who is ahead, and whether products beat the baseline."""
    if not lives(board):
        return "Nobody stands here yet." + (
            " The rows below are baselines, which stand on every board." if board.rows else ""
        )
    if board.plumbing:
        return "These rows ran on stand-ins: they show whether the plumbing holds, and nobody is ranked."
    first = ahead(board)
    if not first:
        return "Nobody here is ranked; below is why."
    best = max(first, key=lambda row: row.value or 0.0)
    names = names_of(board.rows)
    top = few([names[row.head.submission] for row in first])
    tied = f"Ahead, and not to be told apart: {top}" if len(first) > 1 else f"Ahead: {top}"
    if len(first) > 1 and any(row.short for row in first):
        tied += ", since more of some may lie below where their lists end"
    return f"{tied}. {finds(board.measure, best, names[best.head.submission])} {beside_sentence(board)}".rstrip()


def finds(measure: str, row: QualityRow, name: str) -> str:
    """Say how much a row finds."""
    parsed, value = parse(measure), row.value or 0.0
    if row.unscored is not None:
        return f"From what {name} hands over, {share(value)} of answers are right, as the judge says."
    within = f"in {row.tokens:,.0f} tokens a question" if row.tokens is not None else "in all that it hands over"
    if parsed.budget is not None:
        within = f"within {parsed.budget:,} tokens"
    return f"{name} hands over {share(value)} of what is needed to answer, {within}."


def beside_sentence(board: ResultsBoard) -> str:
    """Count the products that are shown to find more, or less, than the baseline."""
    products = [row for row in ranked(board) if row.beside is not None and not row.head.baseline]
    if not products:
        return ""
    verdicts = Counter(row.beside.verdict for row in products if row.beside)
    better, worse = verdicts[str(Conclusion.BETTER)], verdicts[str(Conclusion.WORSE)]
    cut = verdicts[str(Conclusion.CUT)]
    open_ = len(products) - better - worse - cut
    do, does = ("get", "gets") if board.judge else ("find", "finds")
    more, less = ("more right", "fewer right") if board.judge else ("more", "less")
    parts = [f"{better} {does if better == 1 else do} {more}"] if better else []
    parts += [f"{worse} {does if worse == 1 else do} {less}"] if worse else []
    parts += [f"{open_} cannot be told from it"] if open_ else []
    parts += [f"of {cut} nothing is told, because lists end at k"] if cut else []
    none = "" if better else f"none is shown to {do} {more}: "
    return f"Beside plain word search (BM25), of {plural(len(products), 'product')} {none}{', '.join(parts)}."


def detectable_sentence(board: ResultsBoard) -> str:
    """Say which difference these data can show."""
    if board.detectable is None:
        return ""
    best = "the two best that k does not cut" if any(row.short for row in ranked(board)) else "the two best"
    return (
        f"Between {best}, a difference of {board.detectable:.3f} or more would be found with a chance of "
        "80 %; smaller ones may be there and stay unseen."
    )


def ends_at_k(board: ResultsBoard) -> str:
    """Say whose lists end before the budget of a board's measure is full, and which k would do; else nothing."""
    short = [(row, row.short) for row in board.rows if row.short is not None]
    if not short:
        return ""
    names = names_of(board.rows)
    who = few([names[row.head.submission] for row, _ in short])
    before, enough = min(each.before for _, each in short), max(each.enough for _, each in short)
    ends = f"lists end at k={min(each.k for _, each in short)} before {before:,} tokens are full"
    return (
        f"{board.measure} is the least that can be said of {who}: {ends}, and more may lie below. Nobody is "
        "placed, nor told to find more or less, by what is missing there; "
        f"runs with --k {enough} or more would tell."
    )


def interval_of(row: QualityRow) -> str:
    """Write the interval of a row, and that it may be more where lists end at k."""
    return f"{between(row.low, row.high)}{' or more' if row.short else ''}".strip()


def worth(board: ResultsBoard, row: QualityRow) -> tuple[Cell, Cell]:
    """Write what a row is worth on its board, and what it takes."""
    value = "" if row.value is None else f"{row.value:.3f}"
    cost = "" if row.cost is None else f"{row.cost:,.4g}"
    return (
        Cell(value, interval_of(row), row.value, row.low, row.high),
        Cell(cost, board.against, row.cost),
    )


def checked_by(head: RowHead) -> str:
    """Write a level briefly."""
    return f"L{head.level}"


def level_cell(head: RowHead) -> Cell:
    """Write a level, and in small print what it means or what to beware of."""
    return Cell(checked_by(head), head.caution or head.level_name)


def plain_name(anomaly: str) -> str:
    """Write the name of an anomaly as words."""
    return anomaly.replace("_", " ").lower()
