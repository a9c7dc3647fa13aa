"""Boards of quality: ranks as sets, tie groups, fronts against a cost, everybody beside the baseline."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memgauge.measures import parse
from memgauge.scoring.conclusions import Conclusion
from memgauge.scoring.score import DatasetSampling
from memgauge.submissions.boards.board import QualityRow
from memgauge.submissions.boards.choosing import SETTINGS, chosen, fits
from memgauge.submissions.boards.heads import barred, empty_board, head_of
from memgauge.submissions.boards.inference import BoardInference, Inferences, ObservedRows
from memgauge.submissions.rows.reading import whole_recall

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memgauge.scoring.gold import GoldTable
    from memgauge.submissions.boards.board import ResultsBoard
    from memgauge.submissions.boards.choosing import ChosenEntrants
    from memgauge.submissions.boards.entrants import Entrant
    from memgauge.submissions.rows.submitted import SubmittedRow
    from memgauge.submissions.sheets.registry import BoardSheet, ContractSheet, LaneSheet

AGAINST: Final = {
    "tokens": "tokens handed over for a question",
    "write-cost": "seconds of writing a thousand turns",
    "answers": "tokens handed over for a question",
    "p95": "milliseconds of the slowest twentieth of searches (p95)",
}
"""What each kind of board holds against quality."""
BASELINE: Final = "bm25"
"""Beside which everybody stands."""


def quality_board(
    sheet: BoardSheet,
    lane: LaneSheet,
    contract: ContractSheet,
    entrants: Iterable[Entrant],
    gold: GoldTable | None,
    inferences: Inferences | None = None,
) -> ResultsBoard:
    """Make a board of quality against tokens, writing or p95.

    Args:
        sheet: What it is.
        lane: What stands behind its rows.
        contract: By which they are scored.
        entrants: Everybody; who stands here is chosen.
        gold: Of its dataset; ``None`` where nobody submitted on it.
        inferences: What was inferred before; without them everything is inferred anew.
    """
    first = contract.measures[0]
    measure = whole_recall(contract) if sheet.kind == "tokens" else first
    return measured_board(sheet, lane, chosen(sheet, entrants), gold, (first, measure), {}, inferences)


def measured_board(
    sheet: BoardSheet,
    lane: LaneSheet,
    choice: ChosenEntrants,
    gold: GoldTable | None,
    measures: tuple[str, str],
    bars: Mapping[str, tuple[str, ...]],
    inferences: Inferences | None = None,
) -> ResultsBoard:
    """Rank who stands on a board by a measure of their rows.

    Args:
        sheet: What it is.
        lane: What stands behind its rows.
        choice: Who stands there.
        gold: Of its dataset; ``None`` where nobody submitted on it.
        measures: The one without which nobody is ranked, and the one that ranks.
        bars: Why a submission is not ranked, besides what bars a row of any board.
        inferences: What was inferred before; without them everything is inferred anew.
    """
    first, measure = measures
    rows = {each.id: each.rows[sheet.dataset] for each in choice.stand}
    barring = {
        each.id: tuple(dict.fromkeys((*barred(each, lane, rows[each.id], first), *bars.get(each.id, ()))))
        for each in choice.stand
    }
    ranked = [each for each in choice.stand if not barring[each.id]]
    observed = _observed(sheet, ranked, rows, measure, gold) if gold is not None else None
    known = inferences or Inferences()
    inference = BoardInference() if observed is None else known.of(observed, sheet.name)
    made = (_row(sheet, each, rows[each.id], measure, inference, barring[each.id]) for each in choice.stand)
    return replace(
        empty_board(sheet, lane),
        measure=measure,
        against=AGAINST[sheet.kind],
        conversations=max(
            (s.clusters for row in rows.values() if (s := row.scores[measure]).value is not None), default=0
        ),
        questions=max((run.asked for row in rows.values() for run in row.runs), default=0),
        detectable=inference.ranking.detectable,
        baseline=inference.ranking.baseline,
        rows=tuple(sorted(made, key=_place)),
        beyond=tuple(sorted(each.id for each in choice.beyond)),
        guests=bool(choice.stand) and not any(fits(sheet, each) for each in choice.stand),
        notes=tuple(_notes(choice.beyond)),
    )


def _observed(
    sheet: BoardSheet,
    ranked: Sequence[Entrant],
    rows: Mapping[str, SubmittedRow],
    measure: str,
    gold: GoldTable,
) -> ObservedRows:
    valued = {each.id: rows[each.id].rows(measure) for each in ranked}
    costs = {name: cost for name in valued if (cost := cost_of(sheet, rows[name])) is not None}
    baseline = next((each.id for each in ranked if each.sheet.product == BASELINE), "")
    short = {name: lists for name in valued if (lists := rows[name].short(measure)) is not None}
    grows = parse(measure).formula.grows
    return ObservedRows(valued, costs, baseline, DatasetSampling.of(gold), short, grows)


def cost_of(sheet: BoardSheet, row: SubmittedRow) -> float | None:
    """Return what a board of this kind holds against quality."""
    return {"tokens": row.tokens, "answers": row.tokens, "write-cost": row.writing_s, "p95": row.p95}[sheet.kind]


def _row(
    sheet: BoardSheet,
    entrant: Entrant,
    row: SubmittedRow,
    measure: str,
    inference: BoardInference,
    barring: tuple[str, ...],
) -> QualityRow:
    score, places = row.scores[measure], inference.ranking.sets.get(entrant.id)
    return QualityRow(
        head=head_of(entrant),
        role=row.role,
        group=places.group if places else None,
        rank_low=places.low if places else None,
        rank_high=places.high if places else None,
        value=score.value,
        low=score.low,
        high=score.high,
        scored=score.denominator.scored,
        reason=score.reason,
        seeds=len(row.seeds),
        spread=row.spread.get(measure),
        cost=cost_of(sheet, row),
        tokens=row.tokens,
        p50=row.p50,
        p95=row.p95,
        writing_s=row.writing_s,
        unanswered=row.unanswered,
        asked=row.asked,
        lost=row.lost,
        front=inference.fronts.get(entrant.id),
        beside=inference.ranking.beside.get(entrant.id),
        barred=barring,
        marks=row.marks,
        short=row.short(measure),
    )


def _place(row: QualityRow) -> tuple[int, float, bool, str, str]:
    """Order by tie group, then by name: our own last in a group, the unranked below, floors at the end."""
    bench = ("system", "ceiling", "floor").index(row.role)
    group = float("inf") if row.group is None else row.group
    return bench, group, row.head.own, row.head.title.casefold(), row.head.submission


def below_baseline(row: QualityRow) -> bool:
    """Whether a row is shown to find less than the baseline."""
    return row.beside is not None and row.beside.verdict == Conclusion.WORSE


def _notes(beyond: Sequence[Entrant]) -> list[str]:
    if not beyond:
        return []
    products = ", ".join(sorted({each.product.title for each in beyond}))
    return [
        f"At most {SETTINGS} settings of a product stand on a board, the first ones; there are more of {products}."
    ]
