"""The tables of an attribution card: vectors and matrices, never one number."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memgauge.show import Cell, Column, Kind, Table
from memgauge.show.numbers import between, signed
from memgauge.show.safety import visible
from memgauge.studies.attribution.cells import AnswerSource
from memgauge.studies.attribution.labels import FollowedSource
from memgauge.studies.attribution.rates import UNSUPPORTED
from memgauge.studies.attribution.trend import RATES
from memgauge.systems.reference.wired import WIRINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.stats import Interval
    from memgauge.studies.attribution.share import CountedShare
    from memgauge.studies.attribution.study import Attribution, CellCount
    from memgauge.studies.attribution.trend import CardRecord
    from memgauge.studies.attribution.wirings import Separation

HELD = {"absent": "\N{EN DASH}", "base": "truth", "own": "its own", "shared": "shared"}
"""What a source holds, as tables say it."""
ARROW = "\N{RIGHTWARDS ARROW}"
CELLS = (
    "Truth: the same in all that hold it. Its own: a made-up value of this source alone. Shared: a made-up value "
    "of two sources. Arrows: whom answers follow, in questions."
)
_NOTHING = Cell("")
_RUNS = 6
"""Runs that a table of the trend shows."""


def tables(card: Attribution, place: int = 0, history: Sequence[CardRecord] = ()) -> tuple[Table, ...]:
    """Return every table of a card that has a row; their keys end in *place*."""
    made = (
        matrix_table(card),
        rate_table(card),
        order_table(card),
        like_table(card),
        leaving_table(card),
        trend_table(history),
    )
    return tuple(_filled(replace(table, key=f"{table.key}-{place}")) for table in made if table and table.rows)


def _filled(table: Table) -> Table:
    """Leave out columns without a single entry."""
    empty = {n for n in range(1, len(table.columns)) if not any(row[n].text for row in table.rows)}
    return table.without(frozenset(empty))


def matrix_table(card: Attribution) -> Table:
    """Return the matrix: what sources hold in each cell, and whom answers follow, in questions.

    Sources that the reader cannot be given are left out, and cells that are about them.
    """
    shown = followed(card)
    sources = [source for source in map(str, AnswerSource) if source in card.carries]
    return Table.of(
        "matrix",
        "Whom answers follow",
        (
            Column("cell", Kind.TEXT),
            *(Column(source, Kind.TEXT) for source in sources),
            *(Column(f"{ARROW}{name}", Kind.COUNT) for name in shown),
        ),
        [
            (
                row.cell,
                *(HELD[held] for _, held in given(card, row)),
                *(row.followed.get(name, _NOTHING) for name in shown),
            )
            for row in card.matrix
            if row.followed
        ],
        CELLS,
    )


def given(card: Attribution, row: CellCount) -> list[tuple[str, str]]:
    """Return the sources that the reader can be given, and what they hold in a cell."""
    return [
        (str(source), held)
        for source, held in zip(AnswerSource, row.held, strict=True)
        if str(source) in card.carries
    ]


def followed(card: Attribution) -> list[str]:
    """List whom any answer follows, in a fixed order."""
    return [name for name in map(str, FollowedSource) if any(row.followed.get(name) for row in card.matrix)]


def named_rates(card: Attribution) -> dict[str, CountedShare]:
    """Return every rate with the words for it."""
    rates = card.rates
    return {
        "right where all agree": rates.accuracy,
        "… truth is what one would guess": rates.accuracy_guessable,
        "… truth is made up": rates.accuracy_made_up,
        "right and dependent on memory": rates.attributed_accuracy,
        "right for the wrong reason": rates.right_for_wrong_reason,
        **{f"follows a changed {source}": rate for source, rate in _in_order(rates.follows)},
        **{f"follows {source} alone": rate for source, rate in _in_order(rates.alone)},
        **{f"follows {pair.replace('-', ' and ')} together": rate for pair, rate in _in_order(rates.together)},
        "guesses where nothing is held": rates.parametric,
        "abstains where nothing is held": rates.abstention,
        "invents where nothing is held": rates.invention,
        "leaks where nothing is held": rates.leak,
        "guesses against memory": rates.lure,
        "guesses, of guesses and memory": rates.memorisation,
        "citations that move the answer": card.citations.faithfulness,
        "movers that are cited": card.citations.recall,
        "citations that hold the answer": card.citations.correctness,
        "cells in which repeats agree": rates.stability,
    }


def _in_order(rates: Mapping[str, CountedShare]) -> list[tuple[str, CountedShare]]:
    """Return rates of sources, or of sources joined by a hyphen, in the order of sources."""
    order = list(map(str, AnswerSource))
    return sorted(rates.items(), key=lambda named: [order.index(source) for source in named[0].split("-")])


def rate_table(card: Attribution) -> Table:
    """Return every rate with interval, count, and why it is undefined; not those of sources it cannot be given."""
    return Table.of(
        "rates",
        "Rates",
        ("rate", Column("share", Kind.NUMBER), Column("of", Kind.TEXT), Column("why not", Kind.PROSE)),
        [
            (name, _bare(rate.share), _count(rate), rate.share.reason)
            for name, rate in named_rates(card).items()
            if rate.share.reason != UNSUPPORTED
        ],
        f"Shares with 95 % intervals over {f'the {card.slots} slots' if card.slots else 'questions'}.",
    )


def _bare(share: Interval) -> Interval:
    """Leave the reason to a column of its own."""
    return replace(share, reason="")


def _count(rate: CountedShare) -> str:
    failed = f" ({rate.failed} failed)" if rate.failed else ""
    return f"{rate.hits}/{rate.share.n}{failed}" if rate.share.n or rate.failed else ""


def like_table(card: Attribution) -> Table:
    """Return how often each wiring would have answered the same."""
    ranked = sorted(
        (name for name in WIRINGS if name in card.likeness), key=lambda name: -(card.likeness[name].mean or 0.0)
    )
    return Table.of(
        "likeness",
        "Answers as the wirings would",
        ("wiring", Column("same answers", Kind.NUMBER)),
        [(name, card.likeness[name]) for name in ranked],
        "Eight readers whose wiring is known: `memgauge study attribution wirings`.",
    )


def order_table(card: Attribution) -> Table:
    """Return who wins where sources contradict each other."""
    return Table.of(
        "order",
        "Where sources contradict each other",
        ("cell", "wins", "declared", Column("kept", Kind.NUMBER), Column("answers follow", Kind.PROSE)),
        [
            (
                contest.cell,
                contest.winner or "nobody",
                contest.expected,
                contest.kept.share.mean if contest.kept else _NOTHING,
                ", ".join(
                    f"{name} {contest.followed[name]}" for name in FollowedSource if name in contest.followed
                ),
            )
            for contest in card.precedence.contests
        ],
        "Wins: followed by more than half of the answers.",
    )


def leaving_table(card: Attribution) -> Table | None:
    """Return what leaving memories out does; ``None`` where it was not asked."""
    leaving = card.leaving
    if leaving is None:
        return None
    names = sorted(leaving.alone, key=lambda name: (not name.startswith("memory"), len(name), name))
    groups = {"truth": "all that say the truth", "others": "any of the others"}
    return Table.of(
        "leaving",
        f"{leaving.items} memories, the truth stored twice",
        ("left out", Column("answer changes", Kind.NUMBER), Column("beside random halves", Kind.SIGNED)),
        [
            *((name, _bare(leaving.alone[name].share), _masked(leaving.masked.get(name))) for name in names),
            *(
                (words, _bare(leaving.grouped[group].share), _NOTHING)
                for group, words in groups.items()
                if group in leaving.grouped
            ),
        ],
        "Beside random halves: how much oftener the full answer is given with it than without.",
    )


def _masked(share: Interval | None) -> Cell:
    if share is None or share.mean is None:
        return _NOTHING
    under = between(share.low, share.high, Kind.SIGNED)
    return Cell(signed(round(share.mean, 3) + 0.0), under, share.mean, share.low, share.high)


def trend_table(history: Sequence[CardRecord]) -> Table | None:
    """Return every rate in the last few runs, oldest first; ``None`` with fewer than two runs."""
    if len(history) < 2:
        return None
    last = history[-_RUNS:]
    names = [name for name in RATES if name in history[-1].rates]
    rows: list[tuple[Cell | str | float | None, ...]] = [
        (name, *(card.rates[name][0] if name in card.rates else _NOTHING for card in last)) for name in names
    ]
    if any(card.broken for card in last):
        rows.append(("broken", *(Cell(", ".join(map(visible, card.broken))) for card in last)))
    heads = (Column("rate", Kind.TEXT), *(Column(card.label, Kind.NUMBER) for card in last))
    return Table.of("trend", f"Trend over {len(history)} runs", heads, rows, "Oldest first, under one design.")


def record_table(history: Sequence[CardRecord]) -> Table:
    """Return one row for each card that a history holds."""
    rows = [
        tuple(map(visible, (card.reader, card.at, card.build, card.design, "; ".join(card.broken))))
        for card in history
    ]
    return Table.of("cards", "Cards", ("reader", "at", "build", "design", "broken"), rows)


def design_table(separations: Sequence[Separation]) -> Table:
    """Return what designs tell apart of the wirings."""
    return Table.of(
        "power",
        "What designs tell apart",
        (
            Column("design", Kind.TEXT),
            Column("asks", Kind.COUNT),
            Column("separates", Kind.TEXT),
            Column("answers alike", Kind.PROSE),
        ),
        list(_separated(separations)),
        "Asks are per question.",
    )


def _separated(separations: Sequence[Separation]) -> Iterator[tuple[Cell | str | int, ...]]:
    for design in separations:
        alike = [group for group in design.groups if len(group) > 1]
        confused = "; ".join("all" if len(group) == len(WIRINGS) else " = ".join(group) for group in alike)
        counted = Cell(f"{design.separates} of {len(WIRINGS)}", value=design.separates)
        yield design.design, design.cells, counted, confused
