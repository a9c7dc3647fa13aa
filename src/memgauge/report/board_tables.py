"""The tables of a board: who scored what, on which questions, within which budget."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memgauge.records.contracts import BOARD
from memgauge.report.bars import bar
from memgauge.report.words import denominators, interval, places
from memgauge.show import Cell, Column, Fold, Kind, Section, Table, Value, Way
from memgauge.show.glossary import meaning
from memgauge.show.numbers import count, milliseconds, number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from memgauge.scoring.board import Board, Entry, Score

FIRST = 5
"""Systems that are shown at first."""
_BAR = "The bar and the brackets are the 95 % interval over conversations."
_TIME = "Time of a search as the harness measured it: half of them are quicker, and 95 of 100."
_CARD = ("Transforms memory?", "Retrieval unit?", "Mapping to evidence?", "Credit?")


def _nowhere(_: object) -> None:
    """Lead nowhere."""


@dataclass(frozen=True)
class BoardLinks:
    """Where the cells of a board lead, in the terms of the frame that it is shown in; a file leads nowhere."""

    run: Callable[[Entry], object] = _nowhere
    question: Callable[[str], object] | None = None
    beside: Callable[[Entry], object] | None = None
    """To the entry beside another one; a column of its own where it is given."""
    ways: tuple[Way, ...] = ()
    """Where to go on; commands where there are none."""


def leaderboard(board: Board, links: BoardLinks) -> Table:
    """Return the one table that a reader came for."""
    first, named = board.measures[0], places(board.entries)
    highs = [entry.scores[first].high or entry.scores[first].value or 0.0 for entry in board.entries]
    top = max(1.0, *highs, 0.0)
    beside = links.beside
    columns = (
        Column("#", Kind.COUNT, means="The places that a system may have, all at once in 95 % of cases."),
        Column("system", Kind.TEXT),
        Column(first, Kind.NUMBER, means=f"{meaning(first)} {_BAR}".lstrip()),
        *(
            Column(measure, Kind.NUMBER, means=meaning(measure), yields=place, aside=True)
            for place, measure in enumerate(board.measures[1:], 2)
        ),
        Column("n", Kind.COUNT, means="Questions scored, of all.", aside=True),
        Column("coverage", Kind.SHARE, means=meaning("coverage"), yields=1, aside=True),
        Column("tokens", Kind.COUNT, means="What a reader is handed for a question.", brief=False),
        Column("p50/p95 ms", Kind.MILLISECONDS, means=_TIME, yields=9),
        *([Column("compare", Kind.TEXT, aside=True)] if beside else []),
    )
    rows: list[tuple[Cell | Value, ...]] = [
        (
            Cell(named[entry.label]),
            _named(entry, links),
            replace(scored(entry.scores[first]), mark="value", drawing=bar(entry.scores[first], top)),
            *(scored(entry.scores[measure]) for measure in board.measures[1:]),
            _counted(entry.scores[first]),
            entry.coverage,
            entry.context_tokens,
            Cell(f"{milliseconds(entry.latency.search_p50)}/{milliseconds(entry.latency.search_p95)}"),
            *([_beside(beside(entry))] if beside else []),
        )
        for entry in board.entries
    ]
    table = Table.of("leaderboard", "Leaderboard", columns, rows, "\n".join(_below(board)))
    quiet = frozenset(place for place, entry in enumerate(board.entries) if entry.role != "system")
    shown = frozenset(board.entries.index(entry) for entry in first_look(board))
    leading = frozenset(place for place, entry in enumerate(board.entries) if entry.rank_low == 1)
    return replace(table, ruled=True, quiet=quiet, leading=leading, names=1, first=shown)


def first_look(board: Board) -> tuple[Entry, ...]:
    """Return the entries that a first look needs: the best systems, and the strongest floor beside them."""
    measure = board.measures[0]
    systems = [entry for entry in board.entries if entry.role == "system"][:FIRST]
    floors = [entry for entry in board.entries if entry.role == "floor"]
    strongest = sorted(floors, key=lambda entry: -(entry.scores[measure].value or 0.0))[:1]
    return (*systems, *strongest)


def further(board: Board, links: BoardLinks) -> Iterator[Section]:
    """Yield the tables behind the figures, and who was left out, each behind its title."""
    tables = (_categories(board), _budgets(board), _recalls(board), _cards(board))
    yield from (Section(f"{table.key}-numbers", table.title, (table,), Fold.CLOSED) for table in tables if table)
    unscored = _unscored(board, links)
    yield Section("unscored-questions", unscored.title, (unscored,), Fold.CLOSED)


def scored(score: Score) -> Cell:
    """Write a score with its interval, or with the reason why there is none."""
    return Cell(number(score.value), interval(score) or score.reason, score.value, score.low, score.high)


def _named(entry: Entry, links: BoardLinks) -> Cell:
    role = entry.role if entry.role != "system" else ""
    standing = "unranked" if entry.rank is None else "marked" if entry.marks else ""
    badges = tuple(filter(None, (role or standing,)))
    return Cell(entry.label, f"{entry.system} {entry.version}", leads=links.run(entry), badges=badges)


def _counted(score: Score) -> Cell:
    denominator = score.denominator
    return Cell(count(denominator.scored), f"of {count(denominator.total)}", denominator.scored)


def _beside(leads: object) -> Cell:
    return Cell("beside", leads=leads) if leads is not None else Cell("")


def _below(board: Board) -> Iterator[str]:
    yield f"{denominators(board)}."
    if board.contract != BOARD:
        own, usual = (str(contract).split(",") for contract in (board.contract, BOARD))
        yield f"Not by the usual contract: {', '.join(part for part in own if part not in usual)}."


def _categories(board: Board) -> Table | None:
    names = tuple(dict.fromkeys(name for entry in board.entries for name in entry.by_category))
    rows = [(entry.label, {name: entry.by_category.get(name) for name in names}) for entry in board.entries]
    return _numbers("categories", f"{board.measures[0]} by category as numbers", names, rows)


def _budgets(board: Board) -> Table | None:
    budgets = tuple(sorted({tokens for entry in board.entries for tokens in entry.by_budget}))
    heads = tuple(f"{tokens:,} tokens" for tokens in budgets)
    measured = [(entry.label, entry.by_budget) for entry in board.entries]
    floors = [(f"{entry.label}, random order", entry.own_floor) for entry in board.entries if entry.own_floor]
    rows = [
        (label, {head: scores.get(tokens) for head, tokens in zip(heads, budgets, strict=True)})
        for label, scores in (*measured, *floors)
    ]
    return _numbers("tokens", "Evidence found by tokens as numbers", heads, rows)


def _recalls(board: Board) -> Table | None:
    depths = tuple(sorted({k for entry in board.entries for k in entry.by_k}))
    rows = [(entry.label, {f"k={k}": entry.by_k.get(k) for k in depths}) for entry in board.entries]
    return _numbers("recall", "Recall by k as numbers", tuple(f"k={k}" for k in depths), rows)


def _numbers(
    key: str, title: str, heads: tuple[str, ...], rows: Sequence[tuple[str, Mapping[str, Score | None]]]
) -> Table | None:
    if not heads:
        return None
    columns = [Column("system"), *(Column(head, Kind.NUMBER) for head in heads)]
    cells = [[Cell(label), *(_within(scores[head]) for head in heads)] for label, scores in rows]
    return Table.of(key, title, columns, cells, "n: questions scored.", brief=False)


def _within(score: Score | None) -> Cell:
    if score is None:
        return Cell("\N{EN DASH}")
    cell = scored(score)
    return replace(cell, under=f"{cell.under} n={score.denominator.scored:,}".lstrip())


def _cards(board: Board) -> Table | None:
    if not any(entry.card for entry in board.entries):
        return None
    columns = [Column("system"), *(Column(head, Kind.PROSE) for head in _CARD)]
    rows = [[entry.label, *(entry.card or [""] * len(_CARD))] for entry in board.entries]
    return Table.of("cards", "Reporting cards", columns, rows, brief=False)


def _unscored(board: Board, links: BoardLinks) -> Table:
    """List the questions without a score: by reason, or one by one where each leads to its page."""
    n = sum(len(left.questions) for left in board.exclusions)
    title = f"Questions without a score: {count(n)}" if n else "Questions without a score"
    rows: list[tuple[Cell | Value, ...]]
    heads: tuple[str | Column, ...]
    if links.question:
        heads = ("question", Column("why", Kind.PROSE))
        rows = [
            (Cell(name, leads=links.question(name)), left.reason)
            for left in board.exclusions
            for name in left.questions
        ]
    else:
        heads = ("why", Column("n", Kind.COUNT), Column("questions", Kind.PROSE))
        rows = [
            (left.reason, len(left.questions), Cell(", ".join(left.questions), mark="text"))
            for left in board.exclusions
        ]
    left_out = "" if n else "None was left out of the dataset. "
    return Table.of("unscored", title, heads, rows, f"{left_out}{_outcomes(board)}", brief=False)


def _outcomes(board: Board) -> str:
    """Say how the questions ended, system by system where it differs."""
    texts: dict[str, list[str]] = {}
    for entry in board.entries:
        ended = ", ".join(f"{count(n)} {outcome}" for outcome, n in sorted(entry.outcomes.items()) if n)
        texts.setdefault(ended, []).append(entry.label)
    if len(texts) == 1:
        return f"How every system's questions ended: {next(iter(texts))}."
    ways = "; ".join(f"{', '.join(labels)}: {ended}" for ended, labels in texts.items())
    return f"How questions ended: {ways}."
