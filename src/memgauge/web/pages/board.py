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
    own, settings = group(library, address.parts[0]), settings_of(address)
    board = board_of(library, own, settings)
    contract = asked_of(address)
    shown = document(board, links=links_of(board, own, contract))
    return View(
        document=replace(shown, title=own.title, blocks=(*shown.blocks, *_survival(library, own, settings))),
        template="board.page.html.j2",
        form=picker(address, board.measures[0]),
        folded="Change what counts",
        trail=(("Runs", Address.of("runs")), ("Boards", Address.of("board"))),
        more=tuple(_variants(own, address)),
        values={"contract": contract, "runs": [(item.key, item.label) for item in own.items]},
    )


def _survival(library: Library, own: Group, settings: Settings) -> Iterator[Section]:
    """Yield whether the order survives other contracts, behind a title that says so."""
    for table in strip(library, own, settings):
        yield Section("survival", table.title, (table,), Fold.CLOSED)


def board_of(library: Library, own: Group, settings: Settings) -> Board:
    """Score the runs of a group, once under each contract."""
    return library.derived(_BOARD, own.items, settings)


def _scored(together: ScoredTogether, settings: Settings) -> Board:
    gold, fit = together.gold, fitted(settings, together.gold)
    return leaderboard([align(run, gold, fit.contract, fit.depth) for run in together.runs], gold, fit)


_BOARD = Derivation("board", Board, _scored)


def _variants(own: Group, address: Address) -> Iterator[tuple[str, Address]]:
    """Name the same board under the targets that a reader should look at beside it."""
    for target in ("raw", "source", "canonical"):
        if address.get("target", "source") != target:
            yield f"Under target {target}", address.but(target=None if target == "source" else target)
    if len(own.items) > LARGEST:
        yield "Does the order survive?", Address("multiverse", (own.key,), address.asked)


def _comparable(board: Board) -> list[Entry]:
    """Return the entries that have a score: others share no question with anybody."""
    return [entry for entry in board.entries if entry.scores[board.measures[0]].value is not None]


def links_of(board: Board, own: Group, contract: dict[str, str]) -> BoardLinks:
    """Lead from systems to runs, from questions to their stories, and to comparisons where two have a score."""
    defined, keys = _comparable(board), {str(item.folder): item.key for item in own.items}

    def beside(entry: Entry) -> Address | None:
        if len(defined) < 2 or entry not in defined:
            return None
        other = defined[1] if entry is defined[0] else defined[0]
        return Address.of("compare", a=keys[other.run], b=keys[entry.run], **contract)

    ways = [Way("Search every question", leads=Address.of("questions", own.key, **contract))]
    if len(defined) > 1:
        first, second = (keys[entry.run] for entry in defined[:2])
        ways.append(Way("Compare the first two", leads=Address.of("compare", a=second, b=first, **contract)))
    ways.append(Way("Why questions were missed", leads=Address.of("failures", own.key, **contract)))
    ways.append(Way("Your own memory beside these", "memgauge try mymodule:MyMemory"))
    return BoardLinks(
        ways=tuple(ways),
        run=lambda entry: Address.of("run", keys[entry.run]),
        question=lambda name: Address.of("question", own.items[0].key, id=name, **contract),
        beside=beside if len(board.entries) > 1 else None,
    )
