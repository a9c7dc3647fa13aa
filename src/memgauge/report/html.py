"""One self-contained HTML file: nothing is loaded, nothing from data is trusted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.report import charts
from memgauge.report.page import Drawn, render
from memgauge.report.questions import Section, section, trimmed
from memgauge.report.words import detectable, places, verdict
from memgauge.show.numbers import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.report.svg import Figure
    from memgauge.scoring.board import Board, Entry, QuestionStory, Score

LIMIT = 5_000_000
"""Bytes above which stories are left out, the last first."""


@dataclass(frozen=True)
class Table:
    """Numbers behind a figure."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Score | None, ...]], ...]


@dataclass(frozen=True)
class Page:
    """One board with everything that is said about it."""

    board: Board
    verdict: str
    detectable: str
    places: Mapping[str, str]
    top: float
    """End of the scale of the interval bars."""
    marks: tuple[tuple[str, str], ...]
    warnings: tuple[tuple[str, str], ...]
    figures: tuple[Drawn, ...]
    tables: tuple[Table, ...]
    outcomes: str


def render_html(
    boards: Sequence[Board],
    stories: Mapping[str, Sequence[QuestionStory]],
    *,
    title: str,
    identity: Mapping[str, str],
    limit: int = LIMIT,
) -> str:
    """Render boards and stories as one page of at most *limit* bytes, as long as stories can be left out.

    Args:
        boards: Shown in this order.
        stories: By the dataset's ref, most telling first.
        title: Of the page.
        identity: What a reader needs to make the page again, shown at its foot.
        limit: Of the file in bytes.
    """
    pages = [_page(board, f"chart-{i}") for i, board in enumerate(boards, 1)]
    sections = [section(key, told, f"story-{i}") for i, (key, told) in enumerate(stories.items(), 1)]
    bare = _render(pages, [s.emptied() for s in sections], title, identity)
    return _render(pages, trimmed(sections, limit - len(bare.encode()) - 200), title, identity)


def _render(pages: Sequence[Page], sections: Sequence[Section], title: str, identity: Mapping[str, str]) -> str:
    return render(
        "report.html.j2", title=title, identity=identity, script="find.js", pages=pages, sections=sections
    )


def _page(board: Board, uid: str) -> Page:
    first = board.measures[0]
    highs = [e.scores[first].high or e.scores[first].value or 0.0 for e in board.entries]
    return Page(
        board,
        verdict(board),
        detectable(board),
        places(board.entries),
        max(1.0, *highs, 0.0),
        tuple((e.label, mark) for e in board.entries for mark in e.marks),
        (*(("", n) for n in board.notes), *((e.label, n) for e in board.entries for n in e.notes)),
        tuple(_figures(board, uid)),
        tuple(_tables(board)),
        _outcomes(board),
    )


def _figures(board: Board, uid: str) -> Iterator[Drawn]:
    drawn: tuple[tuple[Figure | None, str], ...] = (
        (
            charts.leaderboard_chart(board, f"{uid}-board"),
            "Line: 95 % interval over conversations. Grey triangles: floors and ceilings.",
        ),
        (
            charts.category_chart(board, f"{uid}-category"),
            "Stronger colour is higher; n is the number of questions scored.",
        ),
        (
            charts.budget_chart(board, f"{uid}-tokens"),
            charts.BUDGETS,
        ),
        (
            charts.k_chart(board, f"{uid}-k"),
            "k on a log scale; bands are 95 % intervals; dashed: floors, ceilings.",
        ),
        (
            charts.latency_chart(board, f"{uid}-ms"),
            "Dot: median; bar: 95th percentile; upper line: search, lower line: write. Log scale.",
        ),
    )
    for figure, caption in drawn:
        if figure is not None:
            yield Drawn.of(figure, caption)


def _tables(board: Board) -> Iterator[Table]:
    categories = tuple(dict.fromkeys(c for e in board.entries for c in e.by_category))
    ks = tuple(sorted({k for e in board.entries for k in e.by_k}))
    if categories:
        rows = tuple((e.label, tuple(e.by_category.get(c) for c in categories)) for e in board.entries)
        yield Table(f"{board.measures[0]} by category as numbers", categories, rows)
    budgets = tuple(sorted({n for e in board.entries for n in e.by_budget}))
    if budgets:
        named = tuple(f"{n:,} tokens" for n in budgets)
        within = tuple((e.label, tuple(e.by_budget.get(n) for n in budgets)) for e in board.entries)
        floors = tuple(
            (f"{e.label}, random order", tuple(e.own_floor.get(n) for n in budgets))
            for e in board.entries
            if e.own_floor
        )
        yield Table("Evidence found by tokens as numbers", named, (*within, *floors))
    if ks:
        recalls = tuple((e.label, tuple(e.by_k.get(k) for k in ks)) for e in board.entries)
        yield Table("Recall by k as numbers", tuple(f"k={k}" for k in ks), recalls)


def _outcomes(board: Board) -> str:
    """Say how the questions ended, system by system where it differs."""
    texts: dict[str, list[str]] = {}
    for e in board.entries:
        texts.setdefault(_ended(e), []).append(e.label)
    if len(texts) == 1:
        return f"How every system's questions ended: {next(iter(texts))}."
    return (
        "How questions ended: " + "; ".join(f"{', '.join(labels)}: {text}" for text, labels in texts.items()) + "."
    )


def _ended(entry: Entry) -> str:
    return ", ".join(f"{count(n)} {outcome}" for outcome, n in sorted(entry.outcomes.items()) if n)
