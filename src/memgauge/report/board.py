"""What a board says: its document, the same for commands, files, Markdown, build servers and the viewer."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from memgauge.report import charts
from memgauge.report.board_tables import BoardLinks, further, leaderboard
from memgauge.report.checks import checks, facts, missed
from memgauge.report.first import cards
from memgauge.report.fronts import fronts_of
from memgauge.report.words import by_claims, contract_sentence, ends_at_k, own_result, verdict
from memgauge.show import Document, Figure, Fold, Note, Prose, Section, Tone, embedded
from memgauge.show.numbers import listed, plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.scoring.board import Board
    from memgauge.show import Block
    from memgauge.show.figures import Drawing

_FILE = BoardLinks()
_RANK = re.compile(r"@(\d+)$")
"""The rank that a measure names."""
_BUDGETS = (
    "Tokens on a log scale; bands are 95 % intervals; dashed: floors, ceilings; dotted: a system's own memories "
    "in random order."
)


def document(
    board: Board,
    *,
    gates: Mapping[str, float] | None = None,
    links: BoardLinks = _FILE,
    tried: str = "",
) -> Document:
    """Say everything that a board holds.

    *gates* are the least values by ``label/measure``; what misses one is noted first. The memory that somebody
    *tried* is spoken of first, by its label.
    """
    gates = gates or {}
    suite = f"{board.dataset.ref} {board.contract}"
    more: tuple[Block, ...] = (*figures(board), *further(board, links))
    return Document(
        title=board.dataset.ref,
        beside=_measured(board),
        lead=" ".join(filter(None, (own_result(board, tried), verdict(board)))),
        blocks=(
            *cards(board, leaderboard(board, links), links, tried),
            *fronts_of(board),
            _rules(board),
            Section("more", "More: curves, categories, times, questions without a score", more, Fold.CLOSED),
        ),
        notes=(*(Note(line, tone=Tone.WARN) for line in missed(board, gates)), *_notes(board)),
        identity={"contract": str(board.contract), "k": str(board.k), "dataset": board.dataset.sha256},
        data=[board],
        checks=tuple(checks(board, suite, gates)),
        suites={suite: facts(board)},
    )


def documents(
    boards: Sequence[Board], *, gates: Mapping[str, float] | None = None, title: str = "", tried: str = ""
) -> Document:
    """Say everything that several boards hold, a section each; one board is a document alone."""
    each = [document(board, gates=gates, tried=tried) for board in boards]
    if len(each) == 1:
        (alone,) = each
        return replace(alone, title=title, beside=f"{alone.title}, {alone.beside}") if title else alone
    return Document(
        title=title,
        blocks=tuple(
            embedded(shown, f"board-{place}", _heading(board, boards))
            for place, (shown, board) in enumerate(zip(each, boards, strict=True), 1)
        ),
        data=list(boards),
        checks=tuple(check for shown in each for check in shown.checks),
        suites={suite: held for shown in each for suite, held in shown.suites.items()},
    )


def figures(board: Board) -> Iterator[Figure]:
    """Yield the figures of a board that have something to show."""
    drawn = (
        (
            "scores",
            f"{board.measures[0]} of every system",
            "Line: 95 % interval over conversations. Grey triangles: floors and ceilings.",
            charts.leaderboard_chart,
            any(entry.scores[board.measures[0]].value is not None for entry in board.entries),
        ),
        (
            "by-category",
            f"{board.measures[0]} by category of question",
            "Stronger colour is higher; n is the number of questions scored.",
            charts.category_chart,
            any(entry.by_category for entry in board.entries),
        ),
        (
            "by-tokens",
            "Evidence found by the tokens that a reader is handed",
            _BUDGETS,
            charts.budget_chart,
            any(charts.points(entry, entry.by_budget)[1:] for entry in board.entries),
        ),
        (
            "by-k",
            "Recall by the number of memories allowed",
            "k on a log scale; bands are 95 % intervals; dashed: floors, ceilings.",
            charts.k_chart,
            any(charts.points(entry, entry.by_k)[1:] for entry in board.entries),
        ),
        (
            "latency",
            "Time per call as the harness measured it",
            "Dot: median; bar: 95th percentile; upper line: search, lower line: write. Log scale.",
            charts.latency_chart,
            any(charts.calls(entry) for entry in board.entries),
        ),
    )
    for key, title, caption, draw, something in drawn:
        if something:
            draws: partial[Drawing | None] = partial(draw, board)
            yield Figure(key, title, caption, draws)


def _heading(board: Board, boards: Sequence[Board]) -> str:
    """Name a board by its data, and by its target where the same data stands on several."""
    alike = sum(other.dataset.ref == board.dataset.ref for other in boards) > 1
    return f"{board.dataset.ref}, target {board.contract.target}" if alike else board.dataset.ref


def _measured(board: Board) -> str:
    pinned = "" if board.dataset.pinned else ", NOT known to be the published file"
    asked = f"{plural(board.questions, 'question')} in {plural(board.conversations, 'conversation')}"
    return f"{asked}{pinned}"


def _rules(board: Board) -> Section:
    """Write out what counted, and on which data, behind a title."""
    beyond = [name for name in board.measures if (rank := _RANK.search(name)) and int(rank[1]) > board.k]
    deeper = f", and for {listed(beyond)} as many as that says" if beyond else ""
    sentences = (
        f"{contract_sentence(board.contract).capitalize()}.",
        f"Contract {board.contract}.",
        f"{board.dataset.name}, sha256 {board.dataset.sha256}; of every system its first {board.k} hits{deeper}.",
    )
    return Section("contract", "What counts as found: the contract", tuple(map(Prose, sentences)), Fold.CLOSED)


def _notes(board: Board) -> Iterator[Note]:
    first = board.measures[0]
    for entry in board.entries:
        if entry.scores[first].value is None:
            yield Note(f"{entry.label} is undefined: {entry.scores[first].reason}", tone=Tone.WARN)
    yield from (Note(mark, entry.label, Tone.WARN) for entry in board.entries for mark in entry.marks)
    if sentence := by_claims(board):
        yield Note(sentence)
    yield from map(Note, ends_at_k(board))
    yield from map(Note, board.notes)
    yield from (Note(note, entry.label) for entry in board.entries for note in entry.notes)
