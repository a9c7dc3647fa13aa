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
        scored = [value for value in self.values if value is not None]
        if not scored:
            return "open"
        right = sum(value > 0 for value in scored)
        return "none" if not right else "all" if right == len(scored) else "split"

    @property
    def mean(self) -> float | None:
        """Return the mean of what was earned."""
        scored = [value for value in self.values if value is not None]
        return sum(scored) / len(scored) if scored else None


def page(library: Library, address: Address) -> View:
    """List the questions that the reader searches for, a few at a time."""
    own, settings = group(library, address.parts[0]), settings_of(address)
    measure, asked = library.derived(_ASKED, own.items, settings)
    chosen = [question for question in asked if _fits(question, address)]
    at = address.whole("page", 1)
    shown = chosen[(at - 1) * EACH : at * EACH]
    last = max(1, -(-len(chosen) // EACH))
    return View(
        document=Document(
            title="Questions",
            beside=own.title,
            lead=f"{plural(len(chosen), 'question')} of {len(asked):,}"
            + (f", page {at:,} of {last:,}." if last > 1 else "."),
            blocks=(_table(own, shown, measure, asked_of(address)),),
        ),
        form=_form(asked, address),
        trail=(("Boards", Address.of("board")), (own.title, Address.of("board", own.key))),
        more=(
            *([("Questions before", address.but(page=at - 1))] if at > 1 else []),
            *([("Further questions", address.but(page=at + 1))] if at < last else []),
        ),
    )


def _asked(together: ScoredTogether, settings: Settings) -> tuple[str, tuple[AskedQuestion, ...]]:
    """Value every question that any of the runs was asked, and say by which measure."""
    gold, fit = together.gold, fitted(settings, together.gold)
    columns, inside = [], np.zeros(len(gold.questions), dtype=np.bool_)
    for run in together.runs:
        judged = align(run, gold, fit.contract, fit.depth)
        rows = judged.rows(fit.parsed[0])
        inside |= judged.run_mask
        columns.append([float(v) if d else None for v, d in zip(rows.values, rows.defined, strict=True)])
    return str(fit.parsed[0]), tuple(
        AskedQuestion(question.id, question.text, question.category, values)
        for question, values, here in zip(gold.questions, zip(*columns, strict=True), inside, strict=True)
        if here
    )


_ASKED = Derivation("questions", tuple[str, tuple[AskedQuestion, ...]], _asked)


def _fits(question: AskedQuestion, address: Address) -> bool:
    text = f"{question.id} {question.text}".casefold()
    return (
        all(word in text for word in address.get("words").casefold().split())
        and address.get("category") in {"", question.category}
        and address.get("who") in {"", question.finders}
    )


def _form(asked: tuple[AskedQuestion, ...], address: Address) -> tuple[Choice, ...]:
    categories = sorted({question.category for question in asked})
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


def _table(own: Group, shown: list[AskedQuestion], measure: str, contract: dict[str, str]) -> Table:
    few = own.items if len(own.items) <= FEW else ()
    columns: tuple[Column | str, ...] = (
        Column("question", Kind.PROSE),
        "category",
        Column("mean", Kind.NUMBER, means=f"{measure}, averaged over the runs of this board."),
        *(Column(item.label, Kind.NUMBER) for item in few),
    )
    rows: list[tuple[Cell | str, ...]] = [
        (
            Cell(
                question.text,
                question.id,
                leads=Address.of("question", own.items[0].key, id=question.id, **contract),
            ),
            question.category,
            Cell(number(question.mean), value=question.mean),
            *(Cell(number(value), value=value) for value in question.values[: len(few)]),
        )
        for question in shown
    ]
    return Table.of("questions", "Questions", columns, rows, f"{measure} of every question.")
