"""Boards as GitHub Markdown, to be pasted where people talk."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memgauge.report.words import contract_sentence, denominators, detectable, interval, places, verdict
from memgauge.show.numbers import count, milliseconds, number, percent, plural
from memgauge.show.safety import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.scoring.board import Board, Entry, Score

_SPECIAL = re.compile(r"([\\`*_\[\]|~#])")
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\n": " ", "\t": " "})


def render_markdown(boards: Sequence[Board]) -> str:
    """Render each board as a heading, its verdict, a table and what must be read with it."""
    return "\n".join("\n".join(_board(board)) for board in boards)


def escape(text: str) -> str:
    """Make *text* mean itself in Markdown, inside a table cell too."""
    return _SPECIAL.sub(r"\\\1", clean(text).translate(_HTML))


def _board(board: Board) -> Iterator[str]:
    data = board.dataset
    unpinned = "" if data.pinned else " (**not known to be the published file**)"
    yield f"### {escape(data.ref)}\n"
    yield f"{escape(verdict(board))}\n"
    heads = ["#", "System", *(f"{m} [95 %]" for m in board.measures[:1]), *board.measures[1:]]
    heads += ["n", "Coverage", "Search p50 / p95, ms"]
    yield _row([escape(h) for h in heads])
    yield _row(["---:", ":---", *["---:"] * (len(heads) - 2)])
    named = places(board.entries)
    for entry in board.entries:
        yield _row(_cells(board, entry, named[entry.label]))
    yield ""
    yield (
        f"{count(board.questions)} questions in {plural(board.conversations, 'conversation')}, sha256 "
        f"`{data.sha256[:12]}`{unpinned}, at most {board.k} memories per question, `{board.contract}`: "
        f"{contract_sentence(board.contract)}.\n"
    )
    yield f"{escape(_upper(denominators(board)))}. {escape(detectable(board))}".rstrip()
    marks = [f"{e.label}: {mark}" for e in board.entries for mark in e.marks]
    if marks:
        yield "\n" + "\n".join(f"- **!** {escape(mark)}" for mark in marks)
    notes = [*board.notes, *(f"{e.label}: {note}" for e in board.entries for note in e.notes)]
    if notes:
        yield "\n" + "\n".join(f"- {escape(note)}" for note in notes)
    cards = [(e.label, e.card) for e in board.entries if e.card]
    if cards:
        yield "\n" + "\n".join(
            f"- {escape(label)}, reporting card: {escape('; '.join(card))}" for label, card in cards
        )
    if board.exclusions:
        yield "\n" + "\n".join(
            f"- not scored, {escape(x.reason)}: {plural(len(x.questions), 'question')}" for x in board.exclusions
        )
    yield ""


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _cells(board: Board, entry: Entry, place: str) -> list[str]:
    first = entry.scores[board.measures[0]]
    role = "" if entry.role == "system" else f" *({escape(entry.role)})*"
    role += " **!**" if entry.marks else ""
    return [
        place,
        f"{escape(entry.label)}{role}",
        _primary(first),
        *(number(entry.scores[m].value) for m in board.measures[1:]),
        f"{count(first.denominator.scored)}/{count(first.denominator.total)}",
        percent(entry.coverage),
        f"{milliseconds(entry.latency.search_p50)} / {milliseconds(entry.latency.search_p95)}",
    ]


def _primary(score: Score) -> str:
    if score.value is None:
        return f"undefined ({escape(score.reason)})"
    return f"**{number(score.value)}** {escape(interval(score))}".rstrip()


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
