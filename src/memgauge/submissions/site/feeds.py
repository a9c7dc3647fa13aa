"""Feeds: boards and submissions as JSON, and the ledger as one table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from memgauge.results import plain
from memgauge.show.exports import data_text
from memgauge.submissions.boards.board import RESULTS_BOARD
from memgauge.submissions.site.places import board_place, submission_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.submissions.boards.board import ResultsBoard
    from memgauge.submissions.boards.entrants import Entrant
    from memgauge.submissions.site.registry_view import RegistryView

LEDGER_COLUMNS: Final = (
    *("submission", "product", "version", "division", "lane", "dataset", "seed", "measure"),
    *("value", "low", "high", "scored", "total"),
    *("tokens", "p50_ms", "p95_ms", "writing_s", "unanswered", "lost"),
    *("verified", "level", "gone", "ends_before"),
)
"""What the ledger says of a run and a measure; a value is the least that it can be where lists end at k before
a budget of so many tokens is full."""
LedgerRow = tuple[str | float | None, ...]


@dataclass(frozen=True)
class BoardFeed:
    """A board for programs, with its place."""

    place: str
    board: ResultsBoard

    @property
    def content(self) -> bytes:
        """Write the feed."""
        return board_feed(self.board).encode()


def board_feed(board: ResultsBoard) -> str:
    """Write a board for programs."""
    return data_text(plain(RESULTS_BOARD.of(board)))


def submissions_feed(view: RegistryView) -> str:
    """Write all submissions, newest first, with where they stand and what became of them."""
    listed = sorted(view.entrants, key=lambda each: (each.sheet.day, each.id), reverse=True)
    items = [_item(view, each) for each in listed]
    return data_text({"title": "memgauge results: submissions", "as_of": view.day, "items": items})


def _item(view: RegistryView, entrant: Entrant) -> dict[str, Any]:
    sheet = entrant.sheet
    return {
        "id": entrant.id,
        "page": submission_place(entrant.id, sheet.product, sheet.version),
        "day": sheet.day,
        "product": sheet.product,
        "version": sheet.version,
        "label": sheet.label,
        "division": entrant.division,
        "lane": sheet.lane,
        "submitter": sheet.submitter.github,
        "relation": sheet.submitter.relation,
        "level": int(entrant.level.level),
        "caution": entrant.level.caution,
        "gone": entrant.gone,
        "boards": [board_place(board.name, "json") for board, _ in view.stands_on.get(entrant.id, ())],
    }


def ledger_rows(view: RegistryView) -> Iterator[LedgerRow]:
    """Yield what the ledger says of every run and measure, under :data:`LEDGER_COLUMNS`."""
    for each in sorted(view.entrants, key=lambda each: each.id):
        sheet = each.sheet
        for row in each.rows.values():
            for seed, run in zip(row.seeds, row.runs, strict=True):
                for measure, score in run.scores.items():
                    short = run.short.get(measure)
                    yield (
                        *(each.id, sheet.product, sheet.version, each.division, sheet.lane),
                        *(row.dataset, str(seed), measure),
                        *(score.value, score.low, score.high, score.denominator.scored, score.denominator.total),
                        *(run.tokens, run.latency.search_p50, run.latency.search_p95, run.writing_s),
                        *(run.unanswered, run.lost),
                        *(run.verified, str(int(each.level.level)), each.gone),
                        short.before if short else None,
                    )
