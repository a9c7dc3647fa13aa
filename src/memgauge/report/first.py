"""The first screen of a board: one picture, who, what it costs, whether it is real, and what to do next."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.measures import parse
from memgauge.report import charts
from memgauge.report.costing import costs
from memgauge.report.words import detectable, places
from memgauge.show import Figure, Fold, Note, Notes, Section, Way, Ways
from memgauge.show.numbers import listed, milliseconds
from memgauge.text.shell import typed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.report.board_tables import BoardLinks
    from memgauge.scoring.board import Board, Entry
    from memgauge.show import Table


def cards(board: Board, shown: Table, links: BoardLinks, tried: str = "") -> Iterator[Section]:
    """Yield what a reader wants first, a card each; *shown* is the table of who scored what.

    Whoever has *tried* a memory is not told to.
    """
    missing = charts.undrawn(board)
    beside = f" Not drawn, since their lists are too short: {listed(missing)}." if missing else ""
    picture = Figure("first", "Share of what is needed", _CAPTION + beside, partial(charts.first_chart, board))
    if charts.first_lines(board):
        yield Section("picture", "What is found, by tokens handed over", (picture,), Fold.CARD)
    yield Section("who", shown.title, (shown,), Fold.CARD)
    yield Section("costs", "What it costs", (_list(_costs(board)),), Fold.CARD)
    yield Section("real", "Is it real?", (_list(_real(board)),), Fold.CARD)
    yield Section("next", "What to do next", (Ways(links.ways or tuple(_commands(board, tried))),), Fold.CARD)


_CAPTION = "Bands: 95 % intervals. Grey: floor and ceiling."


def _list(sentences: Iterator[str]) -> Notes:
    return Notes(tuple(map(Note, sentences)))


def _costs(board: Board) -> Iterator[str]:
    """Say what a question costs with the best system, and how the others differ."""
    systems = [e for e in board.entries if e.rank is not None] or [e for e in board.entries if e.role == "system"]
    if not systems:
        yield "There is no system here whose cost could be told."
        return
    yield f"{systems[0].label}: {', '.join(_spent(systems[0], board)) or 'nothing was measured'}."
    if others := systems[1:]:
        yield from _others(systems[0], others)
    yield from costs(systems[0])


def _spent(entry: Entry, board: Board) -> Iterator[str]:
    time = entry.latency
    if entry.context_tokens is not None:
        yield f"{entry.context_tokens:,.0f} {_handed_over(entry.context_tokens, board)}"
    if time.search_p50 is not None:
        yield f"{milliseconds(time.search_p50)} ms a search (median)"
    if time.write_p50 is not None:
        yield f"{milliseconds(time.write_p50)} ms a write (median)"


def _handed_over(tokens: float, board: Board) -> str:
    """Say what the tokens of a question are; of more than the first measure pays for, that it counts fewer."""
    paid = parse(board.measures[0]).budget
    if paid is None or tokens <= paid:
        return "tokens handed over for a question"
    return f"tokens in the whole list for a question, of which the score counts the first {paid:,}"


def _others(first: Entry, others: Sequence[Entry]) -> Iterator[str]:
    """Name whoever asks for clearly less, and the dearest."""
    paid = [e for e in others if e.context_tokens is not None]
    if first.context_tokens is not None and paid:
        least = min(paid, key=lambda e: e.context_tokens or 0.0)
        if (least.context_tokens or 0.0) < 0.8 * first.context_tokens:
            yield f"Fewest tokens: {least.label}, {least.context_tokens:,.0f}."
    timed = [e for e in (first, *others) if e.latency.search_p50]
    if len(timed) > 1:
        quick, slow = (pick(timed, key=lambda e: e.latency.search_p50 or 0.0) for pick in (min, max))
        if (slow.latency.search_p50 or 0.0) > 2 * (quick.latency.search_p50 or 0.0):
            yield (
                f"Quickest search (median): {quick.label}, {milliseconds(quick.latency.search_p50)} ms; slowest: "
                f"{slow.label}, {milliseconds(slow.latency.search_p50)} ms."
            )


def _real(board: Board) -> Iterator[str]:
    """Say how certain the order is, and what makes it less so."""
    if sentence := detectable(board):
        yield sentence
    elif all(e.scores[board.measures[0]].low is None for e in board.entries):
        yield "There is no interval, so no order is certain."
    named = places(board.entries)
    if tied := [e.label for e in board.entries if "-" in named[e.label]]:
        yield f"Ranks such as {named[tied[0]]} cannot be told closer."
    if not board.dataset.pinned:
        yield "The data is not known to be the published file."
    yield from _reservations(board)


def _reservations(board: Board) -> Iterator[str]:
    """Say who is not ranked or was not kept from the answers."""
    systems = [e for e in board.entries if e.role == "system"]
    if left := [e.label for e in systems if e.rank is None and not board.nothing]:
        yield f"Not ranked, for reasons in the notes: {listed(left)}."
    if marked := [e.label for e in systems if e.rank is not None and e.marks]:
        yield f"To be read with the notes: {listed(marked)}."
    if sentences := {e.isolation for e in systems if e.isolation}:
        yield _kept_apart(sentences)


def _kept_apart(sentences: set[str]) -> str:
    """Say in a line how far systems were kept from what would be right."""
    if len(sentences) > 1:
        return "Systems were not all kept alike from what would be right."
    (sentence,) = sentences
    parts = [part.strip(" .") for part in sentence.split(";")]
    short = "; ".join(part for part in parts if not part.startswith("out of its reach"))
    return f"{short.replace('It was', 'Every system was', 1)}."


def _commands(board: Board, tried: str) -> Iterator[Way]:
    """Yield what to type now, the most useful first."""
    runs = folder(board)
    yield Way("Why questions were missed", f"memgauge failures {runs}")
    if sum(e.rank is not None for e in board.entries) > 1:
        yield Way("Which differences are real", f"memgauge compare {runs}")
    yield Way("Look at every question", f"memgauge view {runs}")
    if not tried:
        yield Way("Your own memory beside these", "memgauge try mymodule:MyMemory")


def folder(board: Board) -> str:
    """Return the folder in which the runs of a board lie, as it is typed here; a word where it lies elsewhere.

    A page is read on other machines, too, and is the same wherever it was made.
    """
    parents = {Path(entry.run).parent for entry in board.entries}
    (parent,) = parents if len(parents) == 1 else (Path("/"),)
    if parent.is_absolute() and parent.is_relative_to(Path.cwd()):
        parent = parent.relative_to(Path.cwd())
    return "RUNS" if parent.is_absolute() else typed(parent.as_posix())
