"""Everything that pages are made of: a registry, its ledger, who submitted, and the boards."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from memgauge.submissions.site.places import submission_place

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.submissions.boards.board import CheckedRow, QualityRow, ResultsBoard
    from memgauge.submissions.boards.entrants import Entrant
    from memgauge.submissions.claims.ledger import JudgedClaim
    from memgauge.submissions.repository import Repository
    from memgauge.submissions.rows.ledger import Ledger


@dataclass(frozen=True, eq=False)
class RegistryView:
    """What the site shows."""

    repository: Repository
    ledger: Ledger
    entrants: tuple[Entrant, ...]
    boards: tuple[ResultsBoard, ...]
    day: str
    """From which ages are counted: that of the newest entry, where nobody says another."""
    claims: tuple[JudgedClaim, ...] = field(default=(), repr=False)
    """What is published elsewhere, beside what can be recomputed of it."""

    @cached_property
    def of_product(self) -> Mapping[str, tuple[Entrant, ...]]:
        """Submissions by product, newest first."""
        by_product: defaultdict[str, list[Entrant]] = defaultdict(list)
        for each in sorted(self.entrants, key=lambda each: (each.sheet.day, each.id), reverse=True):
            by_product[each.sheet.product].append(each)
        return {name: tuple(each) for name, each in sorted(by_product.items())}

    @cached_property
    def by_id(self) -> Mapping[str, Entrant]:
        """Submissions by id."""
        return {each.id: each for each in self.entrants}

    @cached_property
    def stands_on(self) -> Mapping[str, tuple[tuple[ResultsBoard, QualityRow], ...]]:
        """Boards of quality with the row of each submission, by its id."""
        standing: defaultdict[str, list[tuple[ResultsBoard, QualityRow]]] = defaultdict(list)
        for board in self.boards:
            for row in board.rows:
                standing[row.head.submission].append((board, row))
        return {name: tuple(rows) for name, rows in standing.items()}

    @cached_property
    def looked_at(self) -> Mapping[str, tuple[tuple[ResultsBoard, CheckedRow], ...]]:
        """Boards of checks with the row of each product, by its name."""
        rows: defaultdict[str, list[tuple[ResultsBoard, CheckedRow]]] = defaultdict(list)
        for board in self.boards:
            for row in board.checked:
                rows[row.head.product].append((board, row))
        return {name: tuple(each) for name, each in rows.items()}

    def place_of(self, submission: str) -> str | None:
        """Return where the page of a submission lies; ``None`` where there is none."""
        entrant = self.by_id.get(submission)
        return submission_place(submission, entrant.sheet.product, entrant.sheet.version) if entrant else None
