"""What a published board says: its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.registry import parse_ref
from memgauge.report.board import figures
from memgauge.report.board_tables import BoardLinks, leaderboard
from memgauge.report.words import detectable, ends_at_k, verdict
from memgauge.results import ReadyData, plain
from memgauge.scoring.fronts import FrontStanding
from memgauge.show import Code, Document, Fold, Note, Section
from memgauge.show.numbers import listed, plural
from memgauge.studies.board.published import data_of, measure_of
from memgauge.studies.board.tables import COSTS, changes, costs, fronts, repeats, unable
from memgauge.systems.environments.products import product_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memgauge.studies.board.published import PublishedBoard

_NAMED = 6


def document(published: PublishedBoard) -> Document:
    """Say everything that the board says, for terminals, pages and Markdown."""
    board = published.board
    lower_tables = (costs(published), fronts(published), unable(published), repeats(published), changes(published))
    return Document(
        title=published.spec.title,
        beside=_measured(published),
        lead=verdict(board),
        facts=tuple(_facts(published)),
        blocks=(
            leaderboard(board, BoardLinks()),
            *figures(board),
            *(table for table in lower_tables if table is not None),
            Section("commands", "Commands", (Code(commands(published)),), Fold.CLOSED),
        ),
        notes=tuple(_notes(published)),
        origin="bundles without texts",
        identity={
            "contract": str(board.contract),
            "k": str(board.k),
            "dataset": board.dataset.sha256,
            **published.versions,
        },
        data=ReadyData(plain(data_of(published))),
    )


def _measured(published: PublishedBoard) -> str:
    board = published.board
    counts_words = f"{plural(board.questions, 'question')} in {plural(board.conversations, 'conversation')}"
    return f"{board.dataset.ref} (sha256 {board.dataset.sha256[:12]}): {counts_words}, k={board.k}"


def _facts(published: PublishedBoard) -> Iterator[str]:
    """Say when, where, with what, at which cost, and who is on the fronts."""
    yield from when([published])
    yield f"Total cost: {spent([published])}; no key and no money, because no language model is asked."
    yield f"Bundles without texts: {published.bundles / 1e6:,.1f} MB; memgauge reproduce board checks them."
    for cost in COSTS:
        leaders = [
            row.label
            for row in published.rows
            if cost in row.fronts and row.fronts[cost].standing is FrontStanding.FRONT
        ]
        if leaders:
            yield f"On the front of {measure_of(published.board, cost)} by {cost}: {_few(leaders)}."


def when(boards: Sequence[PublishedBoard]) -> Iterator[str]:
    """Say on which days lanes were played, and on which machines."""
    notes = [note for board in boards for note in board.notes.values()]
    days = sorted({note.began for note in notes})
    if days:
        span = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
        yield f"Played {span} on {'; '.join(dict.fromkeys(str(note.machine) for note in notes))}."


def spent(boards: Sequence[PublishedBoard]) -> str:
    """Say how long lanes and vectors took."""
    notes = [note for board in boards for note in board.notes.values()]
    embedded = ""
    for embedder in dict.fromkeys(warming.embedder for board in boards for warming in board.warmed):
        warmings = [warming for board in boards for warming in board.warmed if warming.embedder == embedder]
        texts, seconds = sum(warming.texts for warming in warmings), sum(warming.seconds for warming in warmings)
        rate = f" ({texts / seconds:,.0f} a second)" if seconds else ""
        embedded += f", {seconds:,.0f} s to embed {texts:,} texts with {embedder}{rate}"
    return f"{sum(note.seconds for note in notes) / 60:,.0f} minutes for {plural(len(notes), 'lane')}{embedded}"


def _few(names: list[str]) -> str:
    n_more = len(names) - _NAMED
    return listed(names) if n_more < 2 else f"{', '.join(names[:_NAMED])} and {n_more} others"


def commands(published: PublishedBoard) -> str:
    """Write what is installed, and what was played, as a user types it."""
    embedders = {row.embedder for row in published.rows}
    played_lanes = {row.key for row in published.rows}
    systems = (parse_ref(lane.system).name for lane in published.spec.lanes if lane.key in played_lanes)
    installed = [name for name in dict.fromkeys(systems) if name in product_names()]
    installs = [
        *(f"memgauge models install {name}" for name in published.spec.embedders if name in embedders),
        *([f"memgauge systems install {' '.join(installed)}"] if installed else []),
    ]
    run_commands = (note.command for key, note in published.notes.items() if not note.problem)
    return "\n".join([*installs, *dict.fromkeys(run_commands)])


def _notes(published: PublishedBoard) -> Iterator[Note]:
    if sentence := detectable(published.board):
        yield Note(sentence)
    yield from map(Note, ends_at_k(published.board))
    yield from map(Note, published.board.notes)
    yield from _shared(published)
    yield from busy([published])
    yield from apart(published)


def busy(boards: Sequence[PublishedBoard]) -> Iterator[Note]:
    """Say how busy the machine was."""
    loads = [note.load for board in boards for note in board.notes.values()]
    if loads and max(loads) > 1:
        yield Note(
            f"The machine was busy when a lane began: up to a load of {max(loads):.1f}. Times suffer from it."
        )


def apart(published: PublishedBoard) -> Iterator[Note]:
    """Say which lanes were played on another machine than most, and so stand on no front of time."""
    words = "played on another machine than most lanes, so that their times do not compare with those"
    yield from each_once(
        (f"{words} ({machine}); they stand on no front of time.", lane)
        for lane, machine in published.elsewhere.items()
    )


def _shared(published: PublishedBoard) -> Iterator[Note]:
    """Say what is to be known of rows; what was changed to run them has a table of its own."""
    yield from each_once(
        (note, entry.label)
        for entry in published.board.entries
        for note in entry.notes
        if not note.startswith("intervention")
    )


def each_once(sentences: Iterable[tuple[str, str]]) -> Iterator[Note]:
    """Say each of *sentences* once, for all lanes that stand beside it."""
    about: dict[str, list[str]] = {}
    for sentence, lane in sentences:
        about.setdefault(sentence, []).append(lane)
    yield from (Note(sentence, listed(lanes)) for sentence, lanes in about.items())
