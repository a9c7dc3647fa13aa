"""Feeds: boards and submissions as JSON, and the ledger as one table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.results import plain
from memgauge.show import Column, Kind, Table
from memgauge.show.exports import data_text
from memgauge.submissions.boards.board import RESULTS_BOARD
from memgauge.submissions.site.places import board_place, submission_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.submissions.boards.board import ResultsBoard
    from memgauge.submissions.boards.entrants import Entrant
    from memgauge.submissions.site.registry_view import RegistryView


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


def ledger_table(view: RegistryView) -> Table:
    """Return the ledger: a row for every run and measure."""
    columns = (
        *(
            Column(name, Kind.TEXT)
            for name in ("submission", "product", "version", "division", "lane", "dataset", "seed", "measure")
        ),
        *(
            Column(name, Kind.NUMBER)
            for name in (
                "value",
                "low",
                "high",
                "scored",
                "total",
                "tokens",
                "p50_ms",
                "p95_ms",
                "writing_s",
                "unanswered",
                "lost",
            )
        ),
        *(Column(name, Kind.TEXT) for name in ("verified", "level", "gone")),
    )
    return Table.of("ledger", "Ledger", columns, list(_ledger_rows(view)))


def _ledger_rows(view: RegistryView) -> Iterator[tuple[str | float | None, ...]]:
    for each in sorted(view.entrants, key=lambda each: each.id):
        sheet = each.sheet
        for row in each.rows.values():
            for seed, run in zip(row.seeds, row.runs, strict=True):
                for measure, score in run.scores.items():
                    yield (
                        *(
                            each.id,
                            sheet.product,
                            sheet.version,
                            each.division,
                            sheet.lane,
                            row.dataset,
                            str(seed),
                            measure,
                        ),
                        *(score.value, score.low, score.high, score.denominator.scored, score.denominator.total),
                        *(
                            run.tokens,
                            run.latency.search_p50,
                            run.latency.search_p95,
                            run.writing_s,
                            run.unanswered,
                            run.lost,
                        ),
                        *(run.verified, str(int(each.level.level)), each.gone),
                    )
