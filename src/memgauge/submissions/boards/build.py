"""All boards of a registry: a pure function of its sheets and its ledger."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from memgauge.submissions.boards.answers import answers_board
from memgauge.submissions.boards.checked import broken, checked_board
from memgauge.submissions.boards.inference import Inferences
from memgauge.submissions.boards.quality import AGAINST, quality_board
from memgauge.submissions.boards.registered import registered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from memgauge.submissions.boards.board import ResultsBoard
    from memgauge.submissions.boards.entrants import Entrant
    from memgauge.submissions.repository import Repository
    from memgauge.submissions.rows.ledger import Ledger
    from memgauge.submissions.sheets.registry import BoardSheet


def build_boards(
    repository: Repository, ledger: Ledger, everybody: Sequence[Entrant], rows: Path | None = None
) -> tuple[ResultsBoard, ...]:
    """Make every board, by name.

    Args:
        repository: What the sheets name.
        ledger: Of every run.
        everybody: Who may stand on a board.
        rows: Where rows are kept, and what was inferred of them beside; without it everything is inferred anew.

    Raises:
        MalformedDataError: A board names a lane, a contract or a dataset that is not registered.
    """
    banners = broken(everybody)
    inferences = Inferences(rows)
    return tuple(
        replace(board, banners=_banners(board, banners))
        for name in sorted(repository.boards)
        for board in (_board(repository, ledger, everybody, repository.boards[name], inferences),)
    )


def _board(
    repository: Repository,
    ledger: Ledger,
    everybody: Sequence[Entrant],
    sheet: BoardSheet,
    inferences: Inferences,
) -> ResultsBoard:
    by = f"boards/{sheet.name}.toml"
    lane = registered(repository.lanes, sheet.lane, "lanes", by)
    if sheet.kind not in AGAINST:
        return checked_board(sheet, lane, everybody)
    contract = registered(repository.contracts, sheet.contract, "contracts", by)
    registered(repository.datasets, sheet.dataset, "datasets", by)
    gold = ledger.golds.get(sheet.dataset)
    if sheet.kind == "answers":
        return answers_board(sheet, lane, repository, everybody, gold)
    return quality_board(sheet, lane, contract, everybody, gold, inferences)


def _banners(
    board: ResultsBoard, broken: Mapping[tuple[str, str], tuple[str, ...]]
) -> Mapping[str, tuple[str, ...]]:
    """Name on every other board who fails at isolation or erasure, by what they fail at."""
    if board.kind == "isolation":
        return {}
    standing = (*(row.head for row in board.rows), *(row.head for row in board.checked))
    heads = {(head.product, head.version): head for head in standing}
    failing: defaultdict[str, list[str]] = defaultdict(list)
    for key, wrong in broken.items():
        for aspect in wrong if key in heads else ():
            failing[aspect].append(f"{heads[key].title} {key[1]}")
    return {aspect: tuple(sorted(names)) for aspect, names in sorted(failing.items())}
