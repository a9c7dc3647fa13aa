"""What cards, their history and designs of interventions say: their documents."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from memgauge.show import Document, Figure, Fold, Note, Notes, Prose, Section, Tone
from memgauge.show.numbers import plural
from memgauge.show.safety import name_line, visible
from memgauge.studies.attribution.cards import CARDS
from memgauge.studies.attribution.cells import DESIGNS
from memgauge.studies.attribution.charts import matrix_chart, rates_chart, trend_chart
from memgauge.studies.attribution.tables import CELLS, design_table, record_table, tables, trend_table
from memgauge.studies.attribution.trend import HISTORY, of
from memgauge.studies.attribution.wirings import DESIGN_POWER, power
from memgauge.studies.attribution.words import headline, measured, notes, verdict
from memgauge.systems.reference.wired import WIRINGS
from memgauge.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from memgauge.show import Block
    from memgauge.studies.attribution.cards import CardSet
    from memgauge.studies.attribution.study import Attribution
    from memgauge.studies.attribution.trend import CardRecord
    from memgauge.studies.attribution.wirings import DesignPower

_ASKED = (
    "Every question was asked again and again while memory, document and application state held other values, the "
    "same value against the truth, or nothing. An answer depends on what moves it. Values are made up; of half of "
    "the questions the truth is what anybody would guess."
)
_DESIGNS = (
    "Eight readers whose wiring is known, asked by designs from the least to the most; the truth is what anybody "
    "would guess, as it mostly is where memories are tried out."
)


def document(cards: CardSet) -> Document:
    """Say everything that one run measured: one reader alone, or several one after the other."""
    first, *others = cards.cards
    pasts = cards.pasts
    alone = not others
    blocks: list[Block] = (
        [*_figures(first, 0, pasts[0]), *tables(first, 0, pasts[0])]
        if alone
        else [_section(card, place, pasts[place]) for place, card in enumerate(cards.cards)]
    )
    table = design_table(power().separations)
    return Document(
        title=f"Attribution: {name_line(first.reader)}" if alone else "Right for the right reason?",
        lead=headline(first) if alone else verdict(cards),
        facts=(measured(first), _ASKED) if alone else (_ASKED,),
        blocks=(*blocks, Section("designs", table.title, (Prose(_DESIGNS), table), Fold.CLOSED)),
        notes=tuple(map(Note, notes(first))) if alone else (),
        noted="What the tables do not say",
        origin="one run of the study",
        identity=_identity(cards),
        data=CARDS.of(cards),
    )


def _identity(cards: CardSet) -> dict[str, str]:
    declared = {"declared order": ",".join(cards.declared)} if cards.declared else {}
    history = {"history": plural(max(map(len, cards.history)), "run")} if cards.history else {}
    made = {"questions": str(cards.questions), "seed": str(cards.seed), "memgauge": __version__}
    return made | declared | history


def _section(card: Attribution, place: int, history: Sequence[CardRecord]) -> Section:
    return Section(
        f"card-{place}",
        name_line(card.reader),
        (
            Prose(headline(card)),
            Prose(measured(card), Tone.SOFT),
            *_figures(card, place, history),
            Notes(tuple(map(Note, notes(card)))),
            Section(f"tables-{place}", "Tables", tables(card, place, history), Fold.AJAR),
        ),
        badges=tuple(Note(visible(fault.partition(":")[0]), tone=Tone.WARN) for fault in card.broken),
    )


def _figures(card: Attribution, place: int, history: Sequence[CardRecord]) -> Iterator[Figure]:
    if any(row.followed for row in card.matrix):
        yield Figure(f"cells-{place}", "Whom answers follow", CELLS, partial(matrix_chart, card))
    caption = "Thick: 95 % interval. What is undefined is in the table below, with the reason."
    yield Figure(f"intervals-{place}", "Rates with 95 % intervals", caption, partial(rates_chart, card))
    if len(history) > 1:
        yield _trend(f"runs-{place}", "Trend", history)


def _trend(key: str, title: str, history: Sequence[CardRecord]) -> Figure:
    caption = "Every run of the history under this design. Thick: 95 % intervals."
    return Figure(key, title, caption, partial(trend_chart, history))


def designs(powers: DesignPower) -> Document:
    """Say what designs of interventions tell apart of the readers whose wiring is known."""
    most = max(powers.separations, key=lambda design: design.separates)
    whole = len(WIRINGS)
    truth = "what anybody would guess" if powers.guessable else "made up"
    return Document(
        title="What designs tell apart",
        lead=f"Of {len(DESIGNS)} designs, that of {most.design} tells most apart: {most.separates} of {whole}.",
        facts=(f"Asks are per question; the truth is {truth}.",),
        blocks=(replace(design_table(powers.separations), title="", note=""),),
        origin="readers whose wiring is known",
        identity={"memgauge": __version__},
        data=DESIGN_POWER.of(powers),
    )


def history(path: Path) -> Document:
    """Say how cards changed over time, reader by reader under one design each."""
    records = HISTORY.read(path)
    latest = list({(card.reader, card.design): card for card in records}.values())
    stretches = [alike for card in latest if len(alike := of(records, card)) > 1]
    figures = [
        _trend(f"runs-{place}", f"{name_line(alike[-1].reader)}, run by run", alike)
        for place, alike in enumerate(stretches)
    ]
    trends = [
        replace(table, key=f"trend-{place}", title=f"{name_line(alike[-1].reader)}: {table.title}")
        for place, alike in enumerate(stretches)
        if (table := trend_table(alike))
    ]
    readers = plural(len({card.reader for card in records}), "reader")
    return Document(
        title="Attribution history",
        lead=f"{plural(len(records), 'card')} of {readers}.",
        blocks=(*figures, *trends, record_table(records)),
        origin="cards that were kept",
        data=records,
    )
