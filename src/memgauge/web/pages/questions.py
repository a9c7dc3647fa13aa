"""The questions of a board, to be searched: what was asked, of which kind, and who hands over what it needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.results import result
from memgauge.scoring.align import align
from memgauge.scoring.score import fitted
from memgauge.show import Cell, Column, Document, Kind, Table
from memgauge.show.numbers import number, plural
from memgauge.web.address import Address
from memgauge.web.contracts import asked_of, settings_of
from memgauge.web.derived import Derivation
from memgauge.web.groups import group
from memgauge.web.view import Choice, View

if TYPE_CHECKING:
    from memgauge.scoring.score import Settings
    from memgauge.web.derived import ScoredTogether
    from memgauge.web.groups import Group
    from memgauge.web.library import Library

EACH, FEW = 50, 6
"""Questions on one page, and runs that have a column of their own."""
_WHO = {
    "": "no matter who",
    "split": "some do, some do not",
    "all": "everybody",
    "none": "nobody",
    "open": "not scored",
}


@result
@dataclass(frozen=True)
class AskedQuestion:
    """A question, and what every run of a board earned for it."""

    id: str
    text: str
    category: str
    values: tuple[float | None, ...]

    @property
    def finders(self) -> str:
        """Say who hands over anything that is needed, as the form calls it."""
        scores = [value for value in self.values if value is not None]
        if not scores:
            return "open"
        n_right = sum(value > 0 for value in scores)
        return "none" if not n_right else "all" if n_right == len(scores) else "split"

    @property
    def mean(self) -> float | None:
        """Return the mean of what was earned."""
        scores = [value for value in self.values if value is not None]
        return sum(scores) / len(scores) if scores else None


def page(library: Library, address: Address) -> View:
    """List the questions that the reader searches for, a few at a time."""
    board_group, settings = group(library, address.parts[0]), settings_of(address)
    measure, questions = library.derived(_ASKED, board_group.items, settings)
    fitting = [question for question in questions if _fits(question, address)]
    at = address.whole("page", 1)
    page_questions = fitting[(at - 1) * EACH : at * EACH]
    last_page = max(1, -(-len(fitting) // EACH))
    return View(
        document=Document(
            title="Questions",
            beside=board_group.title,
            lead=f"{plural(len(fitting), 'question')} of {len(questions):,}"
            + (f", page {at:,} of {last_page:,}." if last_page > 1 else "."),
            blocks=(_table(board_group, page_questions, measure, asked_of(address)),),
        ),
        form=_form(questions, address),
        trail=(("Boards", Address.of("board")), (board_group.title, Address.of("board", board_group.key))),
        more=(
            *([("Questions before", address.but(page=at - 1))] if at > 1 else []),
            *([("Further questions", address.but(page=at + 1))] if at < last_page else []),
        ),
    )


def _asked(together: ScoredTogether, settings: Settings) -> tuple[str, tuple[AskedQuestion, ...]]:
    """Value every question that any of the runs was asked, and say by which measure."""
    gold, fit = together.gold, fitted(settings, together.gold)
    columns, in_any_run = [], np.zeros(len(gold.questions), dtype=np.bool_)
    for run in together.runs:
        judged_run = align(run, gold, fit.contract, fit.depth)
        rows = judged_run.rows(fit.parsed[0])
        in_any_run |= judged_run.run_mask
        columns.append([float(v) if d else None for v, d in zip(rows.values, rows.defined, strict=True)])
    return str(fit.parsed[0]), tuple(
        AskedQuestion(question.id, question.text, question.category, values)
        for question, values, is_inside in zip(gold.questions, zip(*columns, strict=True), in_any_run, strict=True)
        if is_inside
    )


_ASKED = Derivation("questions", tuple[str, tuple[AskedQuestion, ...]], _asked)


def _fits(question: AskedQuestion, address: Address) -> bool:
    text = f"{question.id} {question.text}".casefold()
    return (
        all(word in text for word in address.get("words").casefold().split())
        and address.get("category") in {"", question.category}
        and address.get("who") in {"", question.finders}
    )


def _form(questions: tuple[AskedQuestion, ...], address: Address) -> tuple[Choice, ...]:
    categories = sorted({question.category for question in questions})
    return (
        Choice("words", "Words in a question or its id", address.get("words")),
        Choice(
            "category",
            "Category",
            address.get("category"),
            (("", "every category"), *((name, name) for name in categories)),
        ),
        Choice("who", "Who hands over what is needed", address.get("who"), tuple(_WHO.items())),
    )


def _table(board_group: Group, questions: list[AskedQuestion], measure: str, contract: dict[str, str]) -> Table:
    column_items = board_group.items if len(board_group.items) <= FEW else ()
    columns: tuple[Column | str, ...] = (
        Column("question", Kind.PROSE),
        "category",
        Column("mean", Kind.NUMBER, means=f"{measure}, averaged over the runs of this board."),
        *(Column(item.label, Kind.NUMBER) for item in column_items),
    )
    rows: list[tuple[Cell | str, ...]] = [
        (
            Cell(
                question.text,
                question.id,
                leads=Address.of("question", board_group.items[0].key, id=question.id, **contract),
            ),
            question.category,
            Cell(number(question.mean), value=question.mean),
            *(Cell(number(value), value=value) for value in question.values[: len(column_items)]),
        )
        for question in questions
    ]
    return Table.of("questions", "Questions", columns, rows, f"{measure} of every question.")
