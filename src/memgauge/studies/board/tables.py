"""The tables of a published board: what rows cost, where they stand on fronts, what was not possible."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.measures import parse
from memgauge.report.fronts import ENDED
from memgauge.scoring.fronts import FrontStanding
from memgauge.show import Cell, Column, Kind, Table
from memgauge.show.numbers import between, count, signed
from memgauge.studies.board.published import P95, TOKENS, WRITING, measure_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.scoring.fronts import FrontPlace
    from memgauge.show.table import Value
    from memgauge.studies.board.published import LaneRow, PublishedBoard

COSTS = (TOKENS, P95, WRITING)


def costs(published: PublishedBoard) -> Table:
    """Say what every row takes."""
    columns = (
        Column("system"),
        Column("tokens", Kind.COUNT, means="what a reader is handed for a question"),
        *Column.each(Kind.MILLISECONDS, "search p50 ms", "search p95 ms", "write p50 ms", "write p95 ms"),
        Column("writing, s a thousand turns", Kind.MILLISECONDS, means="settling at the end of sessions included"),
        Column("MB stored", Kind.COARSE, means="of all conversations, at their ends"),
        Column("writes", Kind.COUNT, means="calls to write and to settle, and how many failed"),
        Column("searches", Kind.COUNT),
        Column("whole lane, s", Kind.COUNT, means="opening, checking and probes included"),
    )
    rows = [_cost(row, published) for row in published.rows]
    note = (
        "Vectors of every text are computed once before any clock runs, and looked up from then on: times are "
        "those of the systems and of the look-up, not of the model. No lane asks a language model. One that names "
        "no files keeps everything in memory."
    )
    return Table.of("costs", "What it takes", columns, rows, note)


def _cost(row: LaneRow, published: PublishedBoard) -> tuple[Cell | Value, ...]:
    note, latency = published.notes.get(row.key), row.latency
    size_words = "in memory" if row.stored_bytes is None else f"{row.stored_bytes / 1e6:,.1f}"
    return (
        named(row, published),
        row.tokens,
        latency.search_p50,
        latency.search_p95,
        latency.write_p50,
        latency.write_p95,
        row.writing_s,
        Cell(size_words, value=row.stored_bytes),
        with_failures(row.writes, row.lost),
        with_failures(row.searches, row.failed),
        note.seconds if note else None,
    )


def named(row: LaneRow, published: PublishedBoard) -> Cell:
    """Name a row where times stand beside it; below, whether they are of another machine than most."""
    return Cell(row.label, "on another machine" if row.key in published.elsewhere else "")


def with_failures(calls: int, failed: int) -> Cell:
    """Count calls, with those that failed below."""
    return Cell(count(calls), f"{count(failed)} failed" if failed else "", calls)


def fronts(published: PublishedBoard) -> Table:
    """Say who finds more for the same cost, with the noise in mind."""
    rows_on_fronts = [row for row in published.rows if row.fronts]
    board = published.board
    columns = (Column("system"), *(Column(f"{measure_of(board, cost)} by {cost}", Kind.PROSE) for cost in COSTS))
    rows: list[tuple[Cell | Value, ...]] = [
        (named(row, published), *(_standing(row.fronts.get(cost)) for cost in COSTS)) for row in rows_on_fronts
    ]
    note = (
        "front: none that costs no more finds more. near: one does, or finds as much for less, and these "
        "conversations do not tell the two apart. behind: one finds more, and that is real (95 %, paired by "
        "question, Holm over all of them); the one that is furthest ahead is named. "
        "Times differ between machines, and between runs of one: who was played on another machine than most "
        "stands on no front of time."
    )
    budgets = {budget for cost in COSTS for budget in parse(measure_of(board, cost)).budgets}
    ended = any(entry.rank is not None and budgets & entry.short_of.keys() for entry in board.entries)
    return Table.of(
        "fronts", "Evidence found against what it takes", columns, rows, note + (ENDED if ended else "")
    )


def _standing(place: FrontPlace | None) -> Cell:
    if place is None:
        return Cell("")
    if place.standing is FrontStanding.FRONT:
        return Cell(str(place.standing), mark="best")
    difference = signed(place.difference)
    under = f"{place.beside} {difference} {between(place.low, place.high)}".rstrip()
    return Cell(str(place.standing), under)


def unable(published: PublishedBoard) -> Table:
    """Say what each product could not do, and who is on no lane."""
    rows = [*_sentences(published.rows), *((contender.name, contender.why) for contender in published.absent)]
    columns = (Column("system"), Column("what", Kind.PROSE))
    return Table.of("unable", "What each could not do", columns, rows)


def _sentences(rows: Sequence[LaneRow]) -> Iterator[tuple[str, str]]:
    """Yield every sentence once, with all lanes of which it is true."""
    about: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        for sentence in row.unable:
            about.setdefault((row.name, sentence), []).append(row.embedder or row.label)
    lanes = {name: sum(row.name == name for row in rows) for name, _ in about}
    for (name, sentence), embedders in about.items():
        yield name if len(embedders) == lanes[name] else f"{name} with {', '.join(embedders)}", sentence


def changes(published: PublishedBoard) -> Table:
    """Say what was done to each to run it, and which models it asked."""
    columns = (Column("system"), Column("version"), *Column.each(Kind.PROSE, "models", "changed"))
    rows = [(row.label, row.version, "; ".join(row.models), "; ".join(row.changed)) for row in published.rows]
    return Table.of("changes", "What was run, and what was changed to run it", columns, rows, brief=False)


def repeats(published: PublishedBoard) -> Table | None:
    """Say how lanes that were played again from scratch agree with their first runs."""
    if not published.repeats:
        return None
    columns = (
        Column("lane"),
        Column(published.repeats[0].measure, Kind.NUMBER),
        Column("again", Kind.NUMBER),
        Column("verdict", Kind.PROSE),
    )
    rows = [(repeat.key, repeat.first, repeat.again, repeat.verdict) for repeat in published.repeats]
    margin = (
        f"Played again with an empty cache; equal within {published.spec.margin:g} was asked of every measure."
    )
    return Table.of("repeats", "Played again from scratch", columns, rows, margin)
