"""Attribution cards as one self-contained page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.report.attribution import (
    design_table,
    headline,
    leaving_table,
    like_table,
    notes,
    order_table,
    rate_table,
    trend_table,
)
from memgauge.report.attribution_charts import matrix_chart, rates_chart, trend_chart
from memgauge.report.page import Drawn, render
from memgauge.show.numbers import listed, plural
from memgauge.show.safety import visible
from memgauge.studies.attribution.cells import DESIGNS
from memgauge.studies.attribution.wirings import separation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.studies.attribution.study import Attribution
    from memgauge.studies.attribution.trend import CardRecord

CELLS = (
    "Truth: the same in all that hold it. Its own: a made-up value of this source alone. Shared: a made-up value "
    "of two sources. Arrows: whom answers follow, in questions."
)


@dataclass(frozen=True)
class Sheet:
    """One table of a card; columns without an entry are left out."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Sheet:
        """Take a table."""
        kept = [place for place in range(len(heads)) if not place or any(row[place] for row in rows)]
        return cls(
            title,
            tuple(heads[place] for place in kept),
            tuple(tuple(visible(row[place]) for place in kept) for row in rows),
        )


@dataclass(frozen=True)
class Card:
    """One reader as the page shows it."""

    key: str
    name: str
    headline: str
    asked: str
    broken: tuple[str, ...]
    figures: tuple[Drawn, ...]
    notes: tuple[str, ...]
    sheets: tuple[Sheet, ...]


def render_attribution(
    cards: Sequence[Attribution], *, identity: Mapping[str, str], histories: Sequence[Sequence[CardRecord]] = ()
) -> str:
    """Render cards and, below them, what designs of interventions tell apart.

    Args:
        cards: One a reader.
        identity: What a reader of the page needs to make it again, shown at its foot.
        histories: Earlier cards of each reader and this one, oldest first; empty where none are kept.
    """
    return render(
        "attribution.html.j2",
        title=f"Attribution: {visible(cards[0].reader)}" if len(cards) == 1 else "Right for the right reason?",
        identity={key: visible(value) for key, value in identity.items()},
        cards=[
            _card(card, place, history)
            for place, (card, history) in enumerate(zip(cards, histories or [()] * len(cards), strict=True))
        ],
        designs=Sheet.of(*design_table([separation(name) for name in DESIGNS])),
    )


def _card(card: Attribution, place: int, history: Sequence[CardRecord]) -> Card:
    details = ", ".join(f"{key} {value}" for key, value in card.details.items() if isinstance(value, str | int))
    given = "all three sources" if len(card.carries) > 1 else f"{listed(card.carries)} only"
    asked = f"{plural(card.questions, 'question')}, {plural(card.asks, 'ask')}, {plural(card.repeats, 'repeat')}"
    return Card(
        f"card-{place}",
        visible(card.reader),
        headline(card),
        visible(f"{asked}; given {given}{f'; {details}' if details else ''}."),
        tuple(map(visible, card.broken)),
        tuple(_figures(card, place, history)),
        tuple(notes(card)),
        tuple(_sheets(card, history)),
    )


def _figures(card: Attribution, place: int, history: Sequence[CardRecord]) -> Iterator[Drawn]:
    trend = trend_chart(history, f"trend-{place}")
    matrix, dots = matrix_chart(card, f"matrix-{place}"), rates_chart(card, f"rates-{place}")
    if matrix is not None:
        yield Drawn.of(matrix, CELLS)
    if dots is not None:
        yield Drawn.of(dots, "Thick: 95 % interval. What is undefined is in the table below, with the reason.")
    if trend is not None:
        yield Drawn.of(trend, "Every run of the history under this design. Thick: 95 % intervals.")


def _sheets(card: Attribution, history: Sequence[CardRecord]) -> Iterator[Sheet]:
    yield Sheet.of(*rate_table(card))
    if card.precedence.contests:
        yield Sheet.of(*order_table(card))
    yield Sheet.of(*like_table(card))
    left = leaving_table(card)
    trend = trend_table(history)
    yield from (Sheet.of(*one) for one in (left, trend) if one is not None)
