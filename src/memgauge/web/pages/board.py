"""Leaderboards: under the contract that the reader picks, with everything that must be read beside a rank."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memgauge.report.board import document
from memgauge.report.board_tables import BoardLinks
from memgauge.scoring.align import align
from memgauge.scoring.board import Board
from memgauge.scoring.leaderboard import leaderboard
from memgauge.scoring.score import fitted
from memgauge.show import Cell, Column, Document, Fold, Kind, Section, Table, Way
from memgauge.web.address import Address
from memgauge.web.contracts import asked_of, picker, settings_of
from memgauge.web.derived import LARGEST, Derivation
from memgauge.web.groups import group, groups
from memgauge.web.pages.multiverse import strip
from memgauge.web.view import View

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.scoring.board import Entry
    from memgauge.scoring.score import Settings
    from memgauge.web.derived import ScoredTogether
    from memgauge.web.groups import Group
    from memgauge.web.library import Library


def boards(library: Library, _: Address) -> View:
    """List the boards."""
    rows = [
        (
            Cell(group.title, leads=Address.of("board", group.key)),
            len(group.items),
            ", ".join(item.label for item in group.items),
        )
        for group in groups(library)
    ]
    columns = ("board", Column("runs", Kind.COUNT), Column("systems", Kind.PROSE))
    return View(
        document=Document(
            title="Leaderboards",
            lead="Runs stand on one board where they differ in nothing but their system.",
            blocks=(Table.of("boards", "Boards", columns, rows),),
        ),
        trail=(("Runs", Address.of("runs")),),
    )


def page(library: Library, address: Address) -> View:
    """Show one board."""
    if not address.parts:
        return boards(library, address)
    board_group, settings = group(library, address.parts[0]), settings_of(address)
    board = board_of(library, board_group, settings)
    contract = asked_of(address)
    board_document = document(board, links=links_of(board, board_group, contract))
    return View(
        document=replace(
            board_document,
            title=board_group.title,
            blocks=(*board_document.blocks, *_survival(library, board_group, settings)),
        ),
        template="board.page.html.j2",
        form=picker(address, board.measures[0]),
        folded="Change what counts",
        trail=(("Runs", Address.of("runs")), ("Boards", Address.of("board"))),
        more=tuple(_variants(board_group, address)),
        values={"contract": contract, "runs": [(item.key, item.label) for item in board_group.items]},
    )


def _survival(library: Library, board_group: Group, settings: Settings) -> Iterator[Section]:
    """Yield whether the order survives other contracts, behind a title that says so."""
    for table in strip(library, board_group, settings):
        yield Section("survival", table.title, (table,), Fold.CLOSED)


def board_of(library: Library, board_group: Group, settings: Settings) -> Board:
    """Score the runs of a group, once under each contract."""
    return library.derived(_BOARD, board_group.items, settings)


def _scored(together: ScoredTogether, settings: Settings) -> Board:
    gold, fit = together.gold, fitted(settings, together.gold)
    return leaderboard([align(run, gold, fit.contract, fit.depth) for run in together.runs], gold, fit)


_BOARD = Derivation("board", Board, _scored)


def _variants(board_group: Group, address: Address) -> Iterator[tuple[str, Address]]:
    """Name the same board under the targets that a reader should look at beside it."""
    for target in ("raw", "source", "canonical"):
        if address.get("target", "source") != target:
            yield f"Under target {target}", address.but(target=None if target == "source" else target)
    if len(board_group.items) > LARGEST:
        yield "Does the order survive?", Address("multiverse", (board_group.key,), address.asked)


def _comparable(board: Board) -> list[Entry]:
    """Return the entries that have a score: others share no question with anybody."""
    return [entry for entry in board.entries if entry.scores[board.measures[0]].value is not None]


def links_of(board: Board, board_group: Group, contract: dict[str, str]) -> BoardLinks:
    """Lead from systems to runs, from questions to their stories, and to comparisons where two have a score."""
    comparable, keys = _comparable(board), {str(item.folder): item.key for item in board_group.items}

    def beside(entry: Entry) -> Address | None:
        if len(comparable) < 2 or entry not in comparable:
            return None
        rival = comparable[1] if entry is comparable[0] else comparable[0]
        return Address.of("compare", a=keys[rival.run], b=keys[entry.run], **contract)

    ways = [Way("Search every question", leads=Address.of("questions", board_group.key, **contract))]
    if len(comparable) > 1:
        leader, runner_up = (keys[entry.run] for entry in comparable[:2])
        ways.append(Way("Compare the first two", leads=Address.of("compare", a=runner_up, b=leader, **contract)))
    ways.append(Way("Why questions were missed", leads=Address.of("failures", board_group.key, **contract)))
    ways.append(Way("Your own memory beside these", "memgauge try mymodule:MyMemory"))
    return BoardLinks(
        ways=tuple(ways),
        run=lambda entry: Address.of("run", keys[entry.run]),
        question=lambda name: Address.of("question", board_group.items[0].key, id=name, **contract),
        beside=beside if len(board.entries) > 1 else None,
    )
