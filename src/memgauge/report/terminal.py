"""Boards and stories on a terminal; plain ASCII where the output is no terminal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD, Box
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from memgauge.report.words import contract_sentence, denominators, detectable, interval, places, verdict
from memgauge.show.numbers import count, milliseconds, number, percent, plural
from memgauge.show.safety import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console, ConsoleOptions, RenderableType

    from memgauge.scoring.board import Board, Entry, QuestionStory, Score, ShownAnswer, ShownHit

_PLAIN = Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)
_LABEL = 24


@dataclass(frozen=True)
class Column:
    """One column of the board, with how readily it gives way on a narrow terminal (0 never does)."""

    head: str
    cells: tuple[str, ...]
    yields: int = 0
    left: bool = False

    @property
    def width(self) -> int:
        """Cells it takes, the gap included."""
        return max(cell_len(c) for c in (self.head, *self.cells)) + 2


@dataclass(frozen=True)
class BoardView:
    """A board that fits the console it is printed on."""

    board: Board

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        board, columns = self.board, _columns(self.board)
        kept = _fit(columns, options.max_width)
        yield Text(clean(_heading(board)), style="bold")
        yield Text(clean(verdict(board)))
        yield _table(board, kept, plain=options.ascii_only or not options.is_terminal)
        dropped = [c.head for c in columns if c not in kept]
        yield Text("\n".join(_below(board, dropped)))


def board_table(board: Board) -> BoardView:
    """Return *board* as something that rich prints, from 80 columns up."""
    return BoardView(board)


def _heading(board: Board) -> str:
    pinned = "" if board.dataset.pinned else ", NOT known to be the published file"
    return (
        f"{board.dataset.ref} (sha256 {board.dataset.sha256[:12]}{pinned}): {plural(board.questions, 'question')} "
        f"in {plural(board.conversations, 'conversation')}, k={board.k}"
    )


def _columns(board: Board) -> list[Column]:
    entries, first, named = board.entries, board.measures[0], places(board.entries)

    def column(head: str, cells: Iterator[str], yields: int = 0, *, left: bool = False) -> Column:
        return Column(head, tuple(cells), yields, left)

    return [
        column("#", (named[e.label] for e in entries)),
        column("system", (_name(e) for e in entries), left=True),
        column(first, (number(e.scores[first].value) for e in entries)),
        column("95 %", (interval(e.scores[first]) for e in entries)),
        *(
            column(clean(m), (number(e.scores[m].value) for e in entries), 2 + i)
            for i, m in enumerate(board.measures[1:])
        ),
        column("n", (count(e.scores[first].denominator.scored) for e in entries)),
        column("coverage", (percent(e.coverage) for e in entries), 1),
        column("p50/p95 ms", (_pace(e) for e in entries), 9),
    ]


def _name(entry: Entry) -> str:
    label = clean(entry.label).replace("\n", " ")
    short = label if len(label) <= _LABEL else f"{label[: _LABEL - 3]}..."
    marked = f"{short} !" if entry.marks else short
    return marked if entry.role == "system" else f"{marked} ({entry.role})"


def _pace(entry: Entry) -> str:
    return f"{milliseconds(entry.latency.search_p50)}/{milliseconds(entry.latency.search_p95)}"


def _fit(columns: Sequence[Column], width: int) -> list[Column]:
    """Leave out columns, the most yielding first, until the rest fits *width*."""
    kept = list(columns)
    while sum(c.width for c in kept) > width and any(c.yields for c in kept):
        kept.remove(max(kept, key=lambda c: c.yields))
    return kept


def _table(board: Board, columns: Sequence[Column], *, plain: bool) -> Table:
    table = Table(box=_PLAIN if plain else SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for c in columns:
        table.add_column(Text(c.head), justify="left" if c.left else "right", no_wrap=True)
    for place, entry in enumerate(board.entries):
        bench = entry.role != "system"
        table.add_row(*(Text(c.cells[place]) for c in columns), style="dim" if bench else None)
    return table


def _below(board: Board, dropped: Sequence[str]) -> Iterator[str]:
    yield ""
    yield clean(f"{denominators(board)}.")
    yield f"contract {board.contract}: {contract_sentence(board.contract)}."
    if sentence := detectable(board):
        yield sentence
    if any("-" in place for place in places(board.entries).values()):
        yield "1-3: the ranks that a system may have, all at once in 95 % of cases."
    if dropped:
        yield f"Too narrow for: {', '.join(dropped)}."
    for entry in board.entries:
        score: Score = entry.scores[board.measures[0]]
        if score.value is None:
            yield clean(f"! {entry.label} is undefined: {score.reason}")
    for mark in (f"{e.label}: {m}" for e in board.entries for m in e.marks):
        yield clean(f"! {mark}")
    for note in (*board.notes, *(f"{e.label}: {n}" for e in board.entries for n in e.notes)):
        yield clean(f"- {note}")


def story_text(story: QuestionStory) -> Text:
    """Return one question with its gold and what every system returned, gold marked with ``*``."""
    text = Text()
    text.append(clean(f"{story.text}\n"), style="bold")
    text.append(clean(f"{story.question}, {story.category}, conversation {story.conversation}\n"))
    facts = (
        ("shown because", story.why),
        ("gold", " | ".join(story.answers) or "no answer text"),
        *((f"evidence {turn}", said or "this turn does not exist") for turn, said in story.evidence),
        ("label doubted", story.erratum),
        ("not scored", story.excluded),
    )
    for name, value in facts:
        if value:
            text.append(clean(f"  {name}: {value}\n"))
    for answer in story.systems:
        _answer(text, answer)
    return text


def _answer(text: Text, answer: ShownAnswer) -> None:
    reason = f" ({answer.reason})" if answer.reason else ""
    text.append(clean(f"\n{answer.label}: {answer.outcome}{reason}, {number(answer.value)}\n"), style="bold")
    for hit in answer.hits:
        text.append(clean(_hit(hit)), style="green" if hit.credited else "")


def _hit(hit: ShownHit) -> str:
    score = "" if hit.score is None else f" {number(hit.score)}"
    sources = ", ".join(hit.sources) or "no source"
    body = " ".join(hit.text.split())
    return (
        f" {'*' if hit.credited else ' '}{hit.rank:>3}{score}  {body}  [{hit.memory}; {sources}; {hit.lineage}]\n"
    )
