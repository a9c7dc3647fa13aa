"""The first page: what is here, what the newest board says, and where to go."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memgauge.errors import MemgaugeError
from memgauge.report.board import document
from memgauge.runs.record.seal import FILE as SEAL
from memgauge.show import Document, Fold, Note, Notes, Section, Tone, Way, Ways
from memgauge.show.numbers import plural
from memgauge.web.address import Address
from memgauge.web.contracts import settings_of
from memgauge.web.derived import LARGEST
from memgauge.web.groups import groups
from memgauge.web.live import Tails
from memgauge.web.pages.board import board_of, links_of
from memgauge.web.studies import found
from memgauge.web.view import View

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.web.groups import Group
    from memgauge.web.library import Library

BOARDS = 8
"""Boards that are named; the others are on their list."""


def page(library: Library, address: Address) -> View:
    """Show the verdict of the newest board, and the ways on."""
    boards, items = groups(library), library.items()
    unfinished = [item for item in items if not item.sealed]
    progress = {run_progress.run: run_progress for run_progress in Tails(library).progress()} if unfinished else {}
    newest = max(boards, key=_made_at) if boards else None
    verdict = _verdict(library, newest, address) if newest else Document(title="Nothing to compare yet")
    summary = Section("here", "What is here", (Notes(tuple(map(Note, _here(library)))),), Fold.CARD)
    go = Section("go", "Where to go", (Ways(tuple(_ways(boards, newest))),), Fold.CARD)
    return View(
        document=replace(verdict, blocks=(*verdict.blocks, *((summary, go) if items else ()))),
        template="runs.html.j2",
        values={
            "unfinished": [(item, progress.get(item.key)) for item in unfinished],
            "empty": not items,
        },
    )


def _verdict(library: Library, newest: Group, address: Address) -> Document:
    """Return what the newest board says first, and warns of; of one that takes long, only that it is there."""
    home = Document(title=newest.title, beside="the newest board here")
    if len(newest.items) > LARGEST:
        return replace(home, lead=f"The newest board has {plural(len(newest.items), 'run')}.")
    try:
        board = board_of(library, newest, settings_of(address))
    except MemgaugeError as error:
        library.note_momentary()
        return replace(home, lead=f"The newest board cannot be shown: {error}")
    body = document(board, links=links_of(board, newest, {}))
    return replace(
        home,
        lead=body.lead,
        blocks=tuple(block for block in body.blocks if isinstance(block, Section) and block.key in _FIRST),
        notes=tuple(note for note in body.notes if note.tone is Tone.WARN),
    )


_FIRST = ("picture", "who", "costs")


def _here(library: Library) -> Iterator[str]:
    items = library.items()
    n_finished = sum(item.finished for item in items)
    yield f"{plural(n_finished, 'finished run')}, {len(items) - n_finished:,} unfinished or unreadable"
    yield plural(len(groups(library)), "board")
    yield plural(len(found(library)), "study result")


def _ways(boards: Sequence[Group], newest: Group | None) -> Iterator[Way]:
    if newest is not None:
        yield Way("The whole board", leads=Address.of("board", newest.key))
        yield Way("Why questions were missed", leads=Address.of("failures", newest.key))
        yield Way("Search its questions", leads=Address.of("questions", newest.key))
    for group in boards[:BOARDS]:
        if group is not newest:
            yield Way(f"Board {group.title}", leads=Address.of("board", group.key))
    yield Way("Every run", leads=Address.of("runs"))
    yield Way("Compare two runs", leads=Address.of("compare"))
    yield Way("Studies", leads=Address.of("studies"))


def _made_at(group: Group) -> tuple[int, str]:
    """Return when the last of its runs was sealed, and its name where that is the same."""
    return max((item.folder / SEAL).stat().st_mtime_ns for item in group.items), group.key
