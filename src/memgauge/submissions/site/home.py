"""The first page: who wins where, whether it is real, what it costs, in everyday words."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memgauge.report.bars import bar
from memgauge.report.words import share
from memgauge.scoring.conclusions import Conclusion
from memgauge.show import Cell, Column, Document, Fold, Kind, Note, Notes, Section, Table, Way, Ways
from memgauge.show.numbers import plural
from memgauge.submissions.boards.checked import ISOLATION, broken
from memgauge.submissions.levels import Level, same_person
from memgauge.submissions.site.places import DATASETS, HISTORY, PRODUCTS, RULES, board_place
from memgauge.submissions.site.words import NOT_VERIFIED, ahead, checked_by, few, lives, names_of, ranked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.show.table import Value
    from memgauge.submissions.boards.board import QualityRow, ResultsBoard
    from memgauge.submissions.boards.entrants import Entrant
    from memgauge.submissions.site.registry_view import RegistryView

_PLAIN: Final = {
    "isolation": "Mix up whose memory is whose",
    "erase a scope": "Do not erase what they are told to",
    "nothing left after erasing": "Leave bytes behind after erasing",
}
TITLE: Final = "Which memory finds what an agent needs?"


def home_document(view: RegistryView) -> Document:
    """Say first things first."""
    shown = main_boards(view.boards)
    here = [board for board in view.boards if lives(board)]
    empty = [board for board in view.boards if not lives(board)]
    lists = (
        _list("boards", f"All boards with rows: {len(here)}", here, Fold.FOLDED),
        _list("empty", f"Boards that nobody stands on yet: {len(empty)}", empty, Fold.CLOSED),
    )
    cards = (
        Section("real", "Is it real?", (_sentences(_real(view, shown)),), Fold.CARD),
        Section("costs", "What it costs", (_sentences(_costs(shown)),), Fold.CARD),
        Section("wrong", "What must never go wrong", (_sentences(_wrong(view)),), Fold.CARD),
    )
    return Document(
        title=TITLE,
        beside=f"results as of {view.day}" if view.day else "",
        lead=_lead(view, shown),
        blocks=(
            *((_winners(shown),) if shown else ()),
            *cards,
            Section("go", "Where to go", (Ways(tuple(_ways(view, shown))),)),
            *(section for section in lists if section),
        ),
        origin="submitted bundles and sheets",
        identity={"newest entry": view.day, "submissions": str(len(view.entrants))},
    )


def main_boards(boards: Sequence[ResultsBoard]) -> list[ResultsBoard]:
    """Return the boards that say who finds what: those against tokens, with ranked rows."""
    return [
        board
        for board in boards
        if board.kind == "tokens" and not board.superseded_by and lives(board) and ranked(board)
    ]


def _lead(view: RegistryView, shown: Sequence[ResultsBoard]) -> str:
    products = {each.sheet.product for each in view.entrants if not each.baseline and not each.gone}
    if not shown:
        return f"{plural(len(products), 'product')} and no board with ranked rows yet."
    verdicts = {
        row.head.product: row.beside.verdict == Conclusion.BETTER
        for board in shown
        for row in sorted(
            ranked(board), key=lambda row: row.beside is not None and row.beside.verdict == Conclusion.BETTER
        )
        if row.beside is not None and not row.head.baseline
    }
    better = sorted(product for product, ahead_of in verdicts.items() if ahead_of)
    titles = {each.sheet.product: each.product.title for each in view.entrants}
    word = "plain word search (BM25)"
    if not verdicts:
        return f"No product is ranked beside {word} yet."
    if not better:
        return (
            f"None of the {plural(len(verdicts), 'memory product')} ranked here is shown to find more "
            f"than {word}. {_baselines(shown)}"
        )
    named = few([titles[product] for product in better])
    find = "finds" if len(better) == 1 else "find"
    return f"Of {plural(len(verdicts), 'memory product')} ranked here, {named} {find} more than {word}."


def _baselines(shown: Sequence[ResultsBoard]) -> str:
    """Say who leads instead."""
    first = {row.head.title for board in shown for row in ahead(board)}
    own = {row.head.title for board in shown for row in ahead(board) if row.head.baseline}
    if first and first == own:
        return f"What leads are simple baselines: {few(sorted(own))}."
    return ""


def _winners(shown: Sequence[ResultsBoard]) -> Table:
    """Return a row a board: who is ahead, how much that is, and the best product beside it."""
    columns = (
        Column("board", Kind.TEXT),
        Column("ahead", Kind.TEXT, means="The first tie group: nobody can tell its members apart."),
        Column("finds", Kind.SHARE, means="The share of what is needed to answer that is handed over."),
        Column("best product", Kind.TEXT),
        Column("beside BM25", Kind.TEXT, means="Whether the best product finds more than plain word search."),
    )
    return replace(Table.of("winners", "Who wins where", columns, [_winner(board) for board in shown]), names=0)


def _winner(board: ResultsBoard) -> tuple[Cell | Value, ...]:
    names, first = names_of(board.rows), ahead(board)
    best = max(first, key=lambda row: row.value or 0.0)
    products = [row for row in ranked(board) if not row.head.baseline]
    product = min(products, key=lambda row: (row.group or 0, -(row.value or 0.0)), default=None)
    return (
        Cell(board.title.partition(":")[0], leads=board_place(board.name)),
        few([names[row.head.submission] for row in first]),
        Cell(share(best.value or 0.0), value=best.value, drawing=bar(best, 1.0)),
        _product(product, names[product.head.submission]) if product else Cell("none yet"),
        _beside(product) if product else Cell(""),
    )


def _product(row: QualityRow, name: str) -> Cell:
    return Cell(name, f"{share(row.value or 0.0)}, {checked_by(row.head)}", value=name)


def _beside(row: QualityRow) -> Cell:
    if row.beside is None:
        return Cell("")
    words = {
        str(Conclusion.BETTER): "finds more",
        str(Conclusion.WORSE): "finds less",
        str(Conclusion.CUT): str(Conclusion.CUT),
    }
    return Cell(words.get(row.beside.verdict, "no clear difference"))


def _sentences(sentences: Iterator[str]) -> Notes:
    return Notes(tuple(map(Note, sentences)))


def _real(view: RegistryView, shown: Sequence[ResultsBoard]) -> Iterator[str]:
    standing = [each for each in view.entrants if not each.gone]
    levels = Counter(_played_by(each) for each in standing)
    by_others, by_them = levels["others"], levels["same hands"]
    again = f", {by_them} played again by those who submitted them" if by_them else ""
    checked = f"{by_others} checked by others{again}, {levels['nobody']} {NOT_VERIFIED}"
    yield f"{plural(len(standing), 'submission')}: {checked}."
    yield "Every number is derived here again from the record of each question; nobody submits numbers."
    yield "L1 proves that a record agrees with itself, not that the product produced it."
    if known := [board.detectable for board in shown if board.detectable is not None]:
        low, high = min(known), max(known)
        points = (
            f"{low * 100:.0f}" if round(low * 100) == round(high * 100) else f"{low * 100:.0f} to {high * 100:.0f}"
        )
        yield f"Differences of {points} points of 100 can be told from chance; who is closer is called tied."


def _played_by(entrant: Entrant) -> str:
    """Say who played a submission again: ``others``, the ``same hands``, or ``nobody``."""
    if entrant.level.level < Level.REPRODUCED:
        return "nobody"
    others = any(
        each.counts
        and each.sheet.outcome == "agrees"
        and each.sheet.by.relation != "submitter"
        and not same_person(each.sheet.by.github, entrant.sheet.submitter.github)
        for each in entrant.verifications
    )
    return "others" if others else "same hands"


def _costs(shown: Sequence[ResultsBoard]) -> Iterator[str]:
    rows = [row for board in shown for row in ranked(board)]
    if not rows:
        yield "Nothing is ranked yet whose cost could be told."
        return
    for what, values in (
        ("Tokens handed over for a question", [row.tokens for row in rows]),
        ("Milliseconds of a slow search (p95)", [row.p95 for row in rows]),
        ("Seconds to write a thousand turns", [row.writing_s for row in rows]),
    ):
        known = [value for value in values if value is not None]
        if known:
            yield f"{what}: {_short(min(known))} to {_short(max(known))}."
    yield "Money: nothing, where no provider's model is asked; a product's models come on top."


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def _wrong(view: RegistryView) -> Iterator[str]:
    looked = {(row.head.product, row.head.version) for board in view.boards for row in board.checked}
    failing = broken(view.entrants)
    titles = {each.sheet.product: each.product.title for each in view.entrants}
    if not looked:
        yield "Nobody was looked at yet."
        return
    products = {product for product, _ in looked}
    failed = {product for product, _ in failing if product in products}
    names = f": {few(sorted(titles[product] for product in failed))}" if 0 < len(failed) < len(products) else ""
    yield f"{len(failed)} of {plural(len(products), 'product')} fail at isolation or erasure{names}."
    for aspect in ISOLATION:
        number = len(
            {product for (product, _), wrong in failing.items() if aspect in wrong and product in products}
        )
        if number:
            yield f"{_PLAIN[aspect]}: {number}."
    golden = next((board for board in view.boards if board.kind == "golden" and board.checked), None)
    if golden is not None:
        rows = [row for row in golden.checked if row.played]
        if rows:
            least = min(rows, key=lambda row: row.verdicts.get("fail", 0) / row.played)
            shared = least.verdicts.get("fail", 0) / least.played
            yield f"Fewest failures of the golden suite: {least.head.title}, {share(shared)} of what was played."


def _ways(view: RegistryView, shown: Sequence[ResultsBoard]) -> Iterator[Way]:
    for board in shown[:3]:
        yield Way(board.title.partition(":")[0], leads=board_place(board.name))
    for board in view.boards:
        if board.checked:
            yield Way(board.title, leads=board_place(board.name))
    yield Way("Every product", leads=PRODUCTS)
    yield Way("Every dataset", leads=DATASETS)
    yield Way("What happened when", leads=HISTORY)
    yield Way("The rules, and how to submit", leads=RULES)


def _list(key: str, title: str, boards: Sequence[ResultsBoard], fold: Fold) -> Section | None:
    return Section(key, title, (boards_table(key, boards),), fold) if boards else None


def boards_table(key: str, boards: Sequence[ResultsBoard]) -> Table:
    """List boards."""
    columns = (
        Column("board", Kind.PROSE),
        *Column.each(Kind.TEXT, "division", "lane"),
        Column("rows", Kind.COUNT),
    )
    rows = [
        (
            Cell(board.title, leads=board_place(board.name)),
            board.division,
            board.lane,
            len(board.rows) + len(board.checked),
        )
        for board in sorted(boards, key=lambda board: board.name)
    ]
    return Table.of(f"{key}-list", "Boards", columns, rows)


def boards_document(view: RegistryView) -> Document:
    """List all boards: divisions and lanes are never mixed."""
    here = [board for board in view.boards if lives(board)]
    empty = [board for board in view.boards if not lives(board)]
    return Document(
        title="Boards",
        lead="Each board holds one dataset, one contract, one division and one lane; no sum is made over boards.",
        blocks=(
            boards_table("here", here),
            *(
                [Section("none", "Nobody stands here yet", (boards_table("none", empty),), Fold.CLOSED)]
                if empty
                else []
            ),
        ),
        origin="submitted bundles and sheets",
    )
