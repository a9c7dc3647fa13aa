"""The attribution card in words and tables: vectors and matrices, never one number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.results import plain
from memgauge.show.numbers import listed, number, plural
from memgauge.show.safety import visible
from memgauge.studies.attribution.cells import AnswerSource
from memgauge.studies.attribution.labels import CITATION, FollowedSource
from memgauge.studies.attribution.rates import UNSUPPORTED
from memgauge.systems.reference.wired import WIRINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.console import RenderableType

    from memgauge.stats import Interval
    from memgauge.studies.attribution.precedence import Contest
    from memgauge.studies.attribution.share import CountedShare
    from memgauge.studies.attribution.study import Attribution, CellCount
    from memgauge.studies.attribution.trend import CardRecord
    from memgauge.studies.attribution.wirings import Separation

    Row = tuple[str, ...]
    Table = tuple[str, Row, Sequence[Row]]
    """Title, heads, cells."""

HELD = {"absent": "\N{EN DASH}", "base": "truth", "own": "its own", "shared": "shared"}
"""What a source holds, as tables say it."""
_RUNS = 6
"""Runs that a table of the trend shows."""
_LONGEST = 80
"""Letters of an answer that are shown."""


def headline(card: Attribution) -> str:
    """Say in a sentence or two why right answers were right, and what is broken."""
    whole = card.questions - card.ends["failed"]
    right = sum(n for end, n in card.ends.items() if end.startswith("right"))
    reasons = [
        f"{n} {end.removeprefix('right, ')}" for end, n in card.ends.items() if end.startswith("right") and n
    ]
    said = f"{visible(card.reader)}: {right} of {plural(whole, 'question')} right"
    said += f" ({', '.join(reasons)})." if reasons else "."
    if card.ends["failed"]:
        said += f" {plural(card.ends['failed'], 'question')} failed."
    return " ".join([said, *(f"{visible(one)}." for one in card.broken)])


def matrix_table(card: Attribution) -> Table:
    """Return the matrix: what sources hold in each cell, and whom answers follow, in questions.

    Sources that the reader cannot be given are left out, and cells that are about them.
    """
    shown = followed(card)
    rows = [
        (
            row.cell,
            *(HELD[held] for _, held in given(card, row)),
            *(str(row.followed.get(name, "")) for name in shown),
        )
        for row in card.matrix
        if row.followed
    ]
    sources = [source for source in map(str, AnswerSource) if source in card.carries]
    arrows = [f"\N{RIGHTWARDS ARROW}{name}" for name in shown]
    return "Whom answers follow", ("cell", *sources, *arrows), rows


def given(card: Attribution, row: CellCount) -> list[tuple[str, str]]:
    """Return the sources that the reader can be given, and what they hold in a cell."""
    return [
        (str(source), held)
        for source, held in zip(AnswerSource, row.held, strict=True)
        if str(source) in card.carries
    ]


def followed(card: Attribution) -> list[str]:
    """List whom any answer follows, in a fixed order."""
    return [str(said) for said in FollowedSource if any(row.followed.get(str(said)) for row in card.matrix)]


def named_rates(card: Attribution) -> dict[str, CountedShare]:
    """Return every rate with the words for it."""
    rates = card.rates
    return {
        "right where all agree": rates.accuracy,
        "… truth is what one would guess": rates.accuracy_guessable,
        "… truth is made up": rates.accuracy_made_up,
        "right and dependent on memory": rates.attributed_accuracy,
        "right for the wrong reason": rates.right_for_wrong_reason,
        **{f"follows a changed {source}": rate for source, rate in rates.follows.items()},
        **{f"follows {source} alone": rate for source, rate in rates.alone.items()},
        **{f"follows {pair.replace('-', ' and ')} together": rate for pair, rate in rates.together.items()},
        "guesses where nothing is held": rates.parametric,
        "abstains where nothing is held": rates.abstention,
        "invents where nothing is held": rates.invention,
        "guesses against memory": rates.lure,
        "guesses, of guesses and memory": rates.memorisation,
        "citations that move the answer": card.citations.faithfulness,
        "movers that are cited": card.citations.recall,
        "citations that hold the answer": card.citations.correctness,
        "cells in which repeats agree": rates.stability,
    }


def rate_table(card: Attribution) -> Table:
    """Return every rate with interval, count, and why it is undefined; not those of sources it cannot be given."""
    rows = [
        (name, number(one.share.mean), around(one.share), _count(one), one.share.reason)
        for name, one in named_rates(card).items()
        if one.share.reason != UNSUPPORTED
    ]
    return "Rates", ("rate", "share", "95 %", "of", "why not"), rows


def around(share: Interval) -> str:
    """Write an interval in brackets, or nothing."""
    return "" if share.low is None or share.high is None else f"[{share.low:.3f}, {share.high:.3f}]"


def _count(one: CountedShare) -> str:
    failed = f" ({one.failed} failed)" if one.failed else ""
    return f"{one.hits}/{one.share.n}{failed}" if one.share.n or one.failed else ""


def like_table(card: Attribution) -> Table:
    """Return how often each wiring would have answered the same."""
    ranked = sorted(card.likeness, key=lambda name: -(card.likeness[name].mean or 0.0))
    rows = [(name, number(card.likeness[name].mean), around(card.likeness[name])) for name in ranked]
    return "Answers as the wirings would", ("wiring", "same answers", "95 %"), rows


def order_table(card: Attribution) -> Table:
    """Return who wins where sources contradict each other."""
    rows = [
        (
            one.cell,
            one.winner or "nobody",
            one.expected,
            number(one.kept.share.mean) if one.kept else "",
            _won(one),
        )
        for one in card.precedence.contests
    ]
    return "Where sources contradict each other", ("cell", "wins", "declared", "kept", "answers follow"), rows


def _won(one: Contest) -> str:
    return ", ".join(f"{name} {n}" for name, n in one.followed.items())


def leaving_table(card: Attribution) -> Table | None:
    """Return what leaving memories out does; ``None`` where it was not asked."""
    leaving = card.leaving
    if leaving is None:
        return None
    rows = [
        (key, number(one.share.mean), around(one.share), *_mask(leaving.masked.get(key)))
        for key, one in leaving.alone.items()
    ]
    rows += [
        (
            f"all that say the {name}" if name == "truth" else f"any of the {name}",
            number(one.share.mean),
            around(one.share),
            "",
            "",
        )
        for name, one in leaving.grouped.items()
    ]
    heads = ("left out", "answer changes", "95 %", "beside random halves", "95 %")
    return f"{leaving.items} memories, the truth stored twice", heads, rows


def _mask(share: Interval | None) -> Row:
    return (
        ("", "") if share is None or share.mean is None else (f"{round(share.mean, 3) + 0.0:+.3f}", around(share))
    )


def notes(card: Attribution) -> Iterator[str]:
    """Say what the tables do not."""
    log, order = card.log, card.precedence
    beyond = sum(not row.followed for row in card.matrix)
    if beyond:
        missing = [source for source in map(str, AnswerSource) if source not in card.carries]
        cells = f"{plural(beyond, 'cell')} of {len(card.matrix)}"
        yield f"{cells} are about {listed(missing)}, which it cannot be given."
    for end, (asked, said) in card.examples.items():
        yield f"For example, {end}: {asked} {_quoted(said)}"
    if log.reason:
        yield f"Log: {log.reason}."
    else:
        yield (
            f"Log, by question and source: {log.logged_and_moving} logged and moving the answer, "
            f"{log.logged_but_inert} logged but inert, {log.unlogged_influence} moving it unlogged, "
            f"{log.neither} neither, {log.unknown} unknown."
        )
        yield from (visible(one) + "." for one in log.witnesses[:3])
    if order.reason:
        yield f"Order of precedence: {order.reason}."
    elif order.declared:
        kept = "kept" if order.kept else "NOT kept"
        seen = ", ".join(order.observed) or "none"
        yield f"Declared order {', '.join(order.declared)}: {kept}; observed: {seen}."
    if card.leaving is not None:
        yield (
            f"Of {card.leaving.items} memories a question: {card.leaving.logged_but_inert} logged but inert, "
            f"{card.leaving.unlogged_influence} groups moving the answer unlogged."
        )
    if card.nearest:
        share = card.likeness[card.nearest[0]].mean
        same = len(card.nearest) > 1 and share == 1
        like = "cannot be told apart from" if same else f"answers, in {number(share)} of asks, most like"
        yield f"It {like} {listed(card.nearest)}."
    if card.citations.phantoms:
        yield f"{plural(card.citations.phantoms, 'citation')} of what was never given."
    yield from (f"Failed: {visible(one)}" for one in card.failures[:3])


def _quoted(text: str) -> str:
    """Quote what a reader said, on one line and cut."""
    plain_text = " ".join(visible(CITATION.sub("", text)).split())
    cut = plain_text if len(plain_text) <= _LONGEST else f"{plain_text[:_LONGEST]}\N{HORIZONTAL ELLIPSIS}"
    return f"\N{LEFT DOUBLE QUOTATION MARK}{cut}\N{RIGHT DOUBLE QUOTATION MARK}"


def trend_table(history: Sequence[CardRecord]) -> Table | None:
    """Return every rate in the last few runs, oldest first; ``None`` with fewer than two runs."""
    if len(history) < 2:
        return None
    last = history[-_RUNS:]
    rows = [
        (name, *(number(one.rates[name][0]) if name in one.rates else "" for one in last))
        for name in history[-1].rates
    ]
    if any(one.broken for one in last):
        rows.append(("broken", *(", ".join(map(visible, one.broken)) for one in last)))
    return f"Trend over {len(history)} runs", ("rate", *(visible(one.label) for one in last)), rows


def tables(card: Attribution) -> Iterator[Table]:
    """Yield every table of a card."""
    yield matrix_table(card)
    yield rate_table(card)
    if card.precedence.contests:
        yield order_table(card)
    yield like_table(card)
    left = leaving_table(card)
    if left is not None:
        yield left


def terminal(card: Attribution, history: Sequence[CardRecord] = ()) -> Iterator[RenderableType]:
    """Yield what is printed of one card, and how it came to be so where there is a history."""
    yield headline(card)
    only = "" if len(card.carries) > 1 else f"; it can be given {listed(card.carries)} only"
    asks = f"{plural(card.asks, 'ask')}, {plural(card.repeats, 'repeat')}{only}."
    yield f"{plural(card.questions, 'question')}, {asks}"
    for title, heads, rows in tables(card):
        yield rich_table(title, heads, rows)
    trend = trend_table(history)
    if trend is not None:
        yield rich_table(*trend)
    yield from notes(card)


def rich_table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> RenderableType:
    """Draw a table for a terminal; columns without a single entry are left out."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    kept = [place for place in range(len(heads)) if not place or any(row[place] for row in rows)]
    table = Table(*(heads[place] for place in kept), box=None, pad_edge=False)
    for row in rows:
        table.add_row(*(Text(row[place]) for place in kept))
    return Group("", Text(title, style="bold"), table)


def design_table(separations: Sequence[Separation]) -> Table:
    """Return what designs tell apart of the wirings."""
    rows = []
    for one in separations:
        alike = [group for group in one.groups if len(group) > 1]
        confused = "; ".join("all" if len(group) == len(WIRINGS) else " = ".join(group) for group in alike)
        rows.append((one.design, str(one.cells), f"{one.separates} of {len(WIRINGS)}", confused))
    return "What designs tell apart", ("design", "asks", "separates", "answers alike"), rows


def card_json(card: Attribution) -> dict[str, Any]:
    """Return everything as data, with what is broken."""
    data: dict[str, Any] = plain(card)
    return data | {"broken": list(card.broken), "nearest": list(card.nearest)}


def separation_json(one: Separation) -> Mapping[str, Any]:
    """Return one design as data."""
    data: dict[str, Any] = plain(one)
    return data | {"separates": one.separates}
