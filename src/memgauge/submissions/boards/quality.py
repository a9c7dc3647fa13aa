"""Boards of quality: ranks as sets, tie groups, fronts against a cost, everybody beside the baseline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.scoring.compare import detectable, differences_of
from memgauge.scoring.conclusions import Conclusion
from memgauge.scoring.fronts import FrontPlace, front
from memgauge.scoring.score import DatasetSampling
from memgauge.stats import rank_sets
from memgauge.submissions.boards.board import BesideBaseline, QualityRow, ResultsBoard
from memgauge.submissions.boards.choosing import SETTINGS, chosen, fits
from memgauge.submissions.boards.heads import barred, head_of
from memgauge.submissions.rows.reading import whole_recall

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memgauge.scoring.gold import GoldTable
    from memgauge.stats import RankSet
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


@dataclass(frozen=True, eq=False)
class _Inference:
    """What rows of one board say of each other."""

    sets: Mapping[str, RankSet]
    fronts: Mapping[str, FrontPlace]
    beside: Mapping[str, BesideBaseline]
    detectable: float | None
    baseline: str


def quality_board(
    sheet: BoardSheet,
    lane: LaneSheet,
    contract: ContractSheet,
    entrants: Iterable[Entrant],
    gold: GoldTable | None,
) -> ResultsBoard:
    """Make a board of quality against tokens, writing or p95.

    Args:
        sheet: What it is.
        lane: What stands behind its rows.
        contract: By which they are scored.
        entrants: Everybody; who stands here is chosen.
        gold: Of its dataset; ``None`` where nobody submitted on it.
    """
    first = contract.measures[0]
    measure = whole_recall(contract) if sheet.kind == "tokens" else first
    return measured_board(sheet, lane, chosen(sheet, entrants), gold, (first, measure), {})


def measured_board(
    sheet: BoardSheet,
    lane: LaneSheet,
    choice: ChosenEntrants,
    gold: GoldTable | None,
    measures: tuple[str, str],
    bars: Mapping[str, tuple[str, ...]],
) -> ResultsBoard:
    """Rank who stands on a board by a measure of their rows.

    Args:
        sheet: What it is.
        lane: What stands behind its rows.
        choice: Who stands there.
        gold: Of its dataset; ``None`` where nobody submitted on it.
        measures: The one without which nobody is ranked, and the one that ranks.
        bars: Why a submission is not ranked, besides what bars a row of any board.
    """
    first, measure = measures
    rows = {each.id: each.rows[sheet.dataset] for each in choice.stand}
    barring = {
        each.id: tuple(dict.fromkeys((*barred(each, lane, rows[each.id], first), *bars.get(each.id, ()))))
        for each in choice.stand
    }
    ranked = [each for each in choice.stand if not barring[each.id]]
    inference = _infer(sheet, ranked, rows, measure, gold) if gold is not None else _nothing()
    made = (_row(sheet, each, rows[each.id], measure, inference, barring[each.id]) for each in choice.stand)
    return ResultsBoard(
        name=sheet.name,
        title=sheet.title,
        kind=sheet.kind,
        contract=sheet.contract,
        dataset=sheet.dataset,
        division=sheet.division,
        lane=sheet.lane,
        superseded_by=sheet.superseded_by,
        means=lane.means,
        plumbing=not lane.shows_quality,
        measure=measure,
        against=AGAINST[sheet.kind],
        conversations=max(
            (s.clusters for row in rows.values() if (s := row.scores[measure]).value is not None), default=0
        ),
        questions=max((run.asked for row in rows.values() for run in row.runs), default=0),
        detectable=inference.detectable,
        baseline=inference.baseline,
        rows=tuple(sorted(made, key=_place)),
        beyond=tuple(sorted(each.id for each in choice.beyond)),
        guests=bool(choice.stand) and not any(fits(sheet, each) for each in choice.stand),
        notes=tuple(_notes(choice.beyond)),
    )


def _nothing() -> _Inference:
    return _Inference({}, {}, {}, None, "")


def _infer(
    sheet: BoardSheet,
    ranked: Sequence[Entrant],
    rows: Mapping[str, SubmittedRow],
    measure: str,
    gold: GoldTable,
) -> _Inference:
    sampling = DatasetSampling.of(gold)
    names = [each.id for each in ranked]
    valued = {name: rows[name].rows(measure) for name in names}
    if not valued:
        return _nothing()
    values = np.stack([valued[name].values for name in names], axis=1)
    defined = np.stack([valued[name].defined for name in names], axis=1)
    common = np.broadcast_to(defined.all(axis=1, keepdims=True), defined.shape)
    sets = rank_sets(names, values, sampling.clusters, common) if common.any() else {}
    costs = {name: cost for name in names if (cost := cost_of(sheet, rows[name])) is not None}
    best = sorted(names, key=lambda name: -valued[name].values.sum())[:2]
    pairs = len(names) * (len(names) - 1) // 2
    least = detectable(valued[best[0]], valued[best[1]], sampling, pairs) if len(best) > 1 else None
    baseline = next((each.id for each in ranked if each.sheet.product == BASELINE), "")
    others = [name for name in names if name != baseline] if baseline else []
    compared, _ = differences_of([(name, valued[baseline], valued[name]) for name in others], sampling)
    beside = {
        each.measure: BesideBaseline(each.difference, each.low, each.high, str(each.verdict)) for each in compared
    }
    return _Inference(sets, front(costs, valued, sampling), beside, least, baseline)


def cost_of(sheet: BoardSheet, row: SubmittedRow) -> float | None:
    """Return what a board of this kind holds against quality."""
    return {"tokens": row.tokens, "answers": row.tokens, "write-cost": row.writing_s, "p95": row.p95}[sheet.kind]


def _row(
    sheet: BoardSheet,
    entrant: Entrant,
    row: SubmittedRow,
    measure: str,
    inference: _Inference,
    barring: tuple[str, ...],
) -> QualityRow:
    score, places = row.scores[measure], inference.sets.get(entrant.id)
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
        beside=inference.beside.get(entrant.id),
        barred=barring,
        marks=row.marks,
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
