"""One row of a board: what a run scored, at what cost, and what must be read beside it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from memgauge.measures import Measure
from memgauge.measures.measure import BUDGETS
from memgauge.records import Denominator, Lineage, Witness
from memgauge.runs.record.cost import PhaseCost
from memgauge.runs.record.pricing import priced
from memgauge.scoring.align import align
from memgauge.scoring.board import Entry, EntryCost, Latency, Score
from memgauge.scoring.card import MISSING, card_of
from memgauge.scoring.ended import budgets_of, list_ends
from memgauge.scoring.floors import own_floor, rises
from memgauge.scoring.score import column, summarise
from memgauge.scoring.standing import borne_of, standing
from memgauge.show.numbers import listed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from numpy.typing import NDArray

    from memgauge.measures import Rows
    from memgauge.runs.record.store import Run
    from memgauge.scoring.align import JudgedRun
    from memgauge.scoring.card import TargetCard
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.score import DatasetSampling, Settings
    from memgauge.scoring.standing import Standing

CURVE = (1, 2, 3, 5, 10, 20, 30, 60)
"""Cutoffs of the score-by-k curve."""
_VOID = Score("", None, None, None, None, None, Denominator(0, 0))


@dataclass(frozen=True, eq=False)
class Candidate:
    """A row of a board before ranks are known."""

    entry: Entry
    rows: Rows
    """Of the first measure."""
    standing: Standing

    @property
    def rankable(self) -> bool:
        """Whether it may be ranked: a system that nothing bars, with a value."""
        return self.entry.role == "system" and not self.standing.bars and bool(self.rows.defined.any())


def candidate_of(
    judged: JudgedRun, gold: GoldTable, settings: Settings, sampling: DatasetSampling, asked: NDArray[np.bool_]
) -> Candidate:
    """Make the row of one run.

    Args:
        judged: The run under the contract of *settings*.
        gold: Of its dataset.
        settings: Of the board.
        sampling: Shared by the board, so that all intervals agree.
        asked: (Q,) the questions that the board asks of everybody.
    """
    run, primary = judged.run, settings.parsed[0]
    borne = borne_of(judged, primary.budget)
    stands = standing(judged, asked, borne)
    ends = list_ends(judged.spending, budgets_of(settings))
    scores = _scores(judged, gold, settings, sampling, ends.short_of)
    if stands.incomplete:
        scores = scores.voided(stands.incomplete)
    floor = None if stands.incomplete else own_floor(judged, gold)
    system, questions, card = run.manifest.system, run.questions, card_of(run, settings.contract)
    role = str(system.capabilities.get("role", "system"))
    entry = Entry(
        label=run.label,
        system=system.name,
        version=system.version,
        role=role,
        run=str(run.folder),
        scores=scores.whole,
        rank=None,
        rank_low=None,
        rank_high=None,
        marks=stands.sentences if role == "system" else (),
        outcomes=dict(sorted(Counter(questions["outcome"].tolist()).items())),
        coverage=None if borne is None else borne.share,
        context_tokens=mean_of(questions["tokens"]),
        latency=latency_of(run),
        by_category=scores.by_category,
        by_k=scores.by_k,
        by_budget=scores.by_budget,
        short_of={} if stands.incomplete else ends.short_of,
        own_floor=_by_budget(floor, sampling) if floor is not None else {},
        no_lead=stands.extreme or (_flat(judged, floor, primary, sampling) if floor is not None else ""),
        claimed=_claimed(judged, gold, settings, sampling),
        isolation=run.manifest.isolation.sentence,
        cost=_cost(run),
        notes=(
            *_run_notes(run),
            *ends.notes(),
            *_deeper(judged, settings),
            *_evidence(judged, gold, settings),
            *_gaps(run, card),
        ),
        card=tuple(answer or MISSING for answer in card.answers),
    )
    return Candidate(entry, judged.rows(primary), stands)


@dataclass(frozen=True)
class _Scores:
    """Everything that one run scored."""

    whole: Mapping[str, Score]
    by_category: Mapping[str, Score]
    by_k: Mapping[int, Score]
    by_budget: Mapping[int, Score]

    def voided(self, why: str) -> _Scores:
        """Leave no value: what was not written was not measured."""
        void = {
            name: replace(_VOID, measure=name, denominator=s.denominator, reason=why)
            for name, s in self.whole.items()
        }
        return _Scores(void, {}, {}, {})


def _scores(
    judged: JudgedRun,
    gold: GoldTable,
    settings: Settings,
    sampling: DatasetSampling,
    short_of: Collection[int],
) -> _Scores:
    """Score a run by every measure, by category, k and budget, all intervals from one product.

    Budgets that its lists are short of have no point: it would be the cut at k that is seen.
    """
    primary = settings.parsed[0]
    of_question = np.array([question.category for question in gold.questions])
    categories = sorted(set(of_question[judged.run_mask].tolist()))
    curve = [k for k in CURVE if k <= min(settings.depth, judged.run.manifest.limits.k)]
    budgets = [budget for budget in BUDGETS if budget not in short_of]
    columns = (
        [column(judged, measure) for measure in settings.parsed],
        [column(judged, primary, of_question == category) for category in categories],
        [column(judged, Measure("Recall", k)) for k in curve],
        [column(judged, Measure("Recall", budget=budget)) for budget in budgets],
    )
    scored = iter(
        summarise([each for part in columns for each in part], sampling, by_question=len(settings.parsed))
    )
    whole, by_category, by_k, by_budget = (list(islice(scored, len(part))) for part in columns)
    return _Scores(
        {score.measure: score for score in whole},
        dict(zip(categories, by_category, strict=True)),
        dict(zip(curve, by_k, strict=True)),
        dict(zip(budgets, by_budget, strict=True)),
    )


def _flat(judged: JudgedRun, floor: JudgedRun, primary: Measure, sampling: DatasetSampling) -> str:
    """Say that a run is not better than its own floor; empty where it is, or nobody knows."""
    measure = primary if primary.budgets else Measure("RecallCurve")
    if rises(judged, floor, measure, sampling) is not False:
        return ""
    return f"does not clearly rise above its own memories in random order ({measure})"


def _by_budget(judged: JudgedRun, sampling: DatasetSampling) -> dict[int, Score]:
    short_of = list_ends(judged.spending, BUDGETS).short_of
    budgets = [budget for budget in BUDGETS if budget not in short_of]
    if not budgets:
        return {}
    columns = [column(judged, Measure("Recall", budget=budget)) for budget in budgets]
    return dict(zip(budgets, summarise(columns, sampling, by_question=0), strict=True))


def _claimed(judged: JudgedRun, gold: GoldTable, settings: Settings, sampling: DatasetSampling) -> Score | None:
    """Score the first measure where every claim of a source is believed; ``None`` where it is anyway."""
    if settings.contract.witness is Witness.NONE or settings.parsed[0].why_no_ranks:
        return None
    believed = _believed(judged, gold, settings)
    return summarise([column(believed, settings.parsed[0])], sampling, by_question=0)[0]


def _believed(judged: JudgedRun, gold: GoldTable, settings: Settings) -> JudgedRun:
    """Judge a run with every claim believed; where texts bear them all, this differs in what a budget cuts."""
    contract = replace(settings.contract, witness=Witness.NONE)
    if judged.borne.share is not None:
        return align(judged.run, gold, contract, settings.depth)
    whole = replace(judged.hits, spending=judged.spending.believed(), unwitnessed=0)
    return replace(judged, contract=contract, credit_hits=lambda: whole)


def _evidence(judged: JudgedRun, gold: GoldTable, settings: Settings) -> Iterator[str]:
    """Say what of a score rests on lineage that is declared or inferred, where some does."""
    run, measure = judged.run, settings.parsed[0]
    if measure.why_no_ranks:
        return
    classes = Counter(run.memories["lineage"][run.memories["counts"]].tolist())
    weaker = {name: n for name, n in classes.most_common() if name not in {Lineage.EXACT, Lineage.ABSENT}}
    rows = judged.rows(measure)
    if weaker and rows.defined.any():
        strict = align(run, gold, settings.contract, settings.depth, (Lineage.EXACT,)).rows(measure)
        known = ", ".join(f"{n:,} {name}" for name, n in weaker.items())
        yield f"{measure} is {level(strict):.3f} on exact lineage alone, {level(rows):.3f} with {known}"


def level(rows: Rows) -> float:
    """Return the mean over what is defined."""
    return float(rows.values[rows.defined].mean()) if rows.defined.any() else 0.0


def _gaps(run: Run, card: TargetCard) -> Iterator[str]:
    """Name what the reporting card of a run lacks; one that stored nothing has no card to speak of."""
    if card.gaps and len(run.memories["form"]):
        yield f"it is not known {', and not '.join(card.gaps)}"


def latency_of(run: Run) -> Latency:
    """Sum up how long calls of a run took."""
    searches = run.questions["ms"]
    writes = run.writes["ms"][run.writes["kind"] == "write"]
    return Latency(
        _percentile(searches, 50), _percentile(searches, 95), _percentile(writes, 50), _percentile(writes, 95)
    )


def _cost(run: Run) -> EntryCost | None:
    if run.cost is None:
        return None
    totals = {name: run.cost.total(name) for name in PhaseCost.model_fields} | {
        "bytes_stored": run.cost.bytes_stored
    }
    return EntryCost(
        amounts={name: amount.value for name, amount in totals.items()},
        sources={name: str(amount.source) for name, amount in totals.items()},
        money=priced(run.cost),
        whole=run.cost.whole,
    )


def _percentile(column: NDArray[np.float64], q: float) -> float | None:
    known = column[~np.isnan(column)]
    return float(np.percentile(known, q)) if len(known) else None


def mean_of(column: NDArray[np.float64]) -> float | None:
    """Average what is known of a column; ``None`` where nothing is."""
    values = np.asarray(column, dtype=np.float64)
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None


def _deeper(judged: JudgedRun, settings: Settings) -> Iterator[str]:
    """Say which measures name a rank that its lists have not, since they end at the run's k."""
    k = judged.run.manifest.limits.k
    deeper = [str(measure) for measure in settings.parsed if (measure.cutoff or 0) > k]
    if deeper and int(np.diff(judged.spending.evidence.trace.starts).max(initial=0)) >= k:
        yield f"its lists end at k={k}, so that {listed(deeper)} look{'s' if len(deeper) == 1 else ''} no further"


def _run_notes(run: Run) -> tuple[str, ...]:
    """Gather what a reader of this row must know: failures, breaches, interventions."""
    notes = [f"intervention: {text}" for text in run.manifest.system.capabilities.get("interventions", ())]
    remarks = Counter(note for each in run.questions["notes"].tolist() for note in each)
    return tuple(notes + [f"{note} ({n} questions)" for note, n in sorted(remarks.items())])
