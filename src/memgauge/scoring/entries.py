"""One row of a board: what a run scored, at what cost, and what must be read beside it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from memgauge.measures import Measure
from memgauge.records import Lineage
from memgauge.scoring.align import align
from memgauge.scoring.board import Entry, Latency
from memgauge.scoring.card import MISSING, card_of
from memgauge.scoring.score import column, level, summarise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from memgauge.runs.store import Run
    from memgauge.scoring.align import JudgedRun
    from memgauge.scoring.card import Card
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.score import Sampling, Settings

CURVE = (1, 2, 3, 5, 10, 20, 30, 60)
"""Cutoffs of the score-by-k curve."""


def _entry(judged: JudgedRun, gold: GoldTable, settings: Settings, sampling: Sampling) -> Entry:
    run, primary = judged.run, settings.parsed[0]
    questions, system = run.questions, run.manifest.system
    of_question = np.array([question.category for question in gold.questions])
    categories = sorted(set(of_question[judged.run_mask].tolist()))
    curve = [k for k in CURVE if k <= settings.depth]
    scores = summarise(
        [column(judged, measure) for measure in settings.parsed]
        + [column(judged, primary, of_question == category) for category in categories]
        + [column(judged, Measure("Recall", k)) for k in curve],
        sampling,
    )
    whole, rest = scores[: len(settings.parsed)], scores[len(settings.parsed) :]
    card = card_of(run, settings.contract)
    return Entry(
        label=run.label,
        system=system.name,
        version=system.version,
        role=str(system.capabilities.get("role", "system")),
        run=str(run.folder),
        scores={score.measure: score for score in whole},
        rank=None,
        rank_low=None,
        rank_high=None,
        marks=(),
        outcomes=dict(sorted(Counter(questions["outcome"].tolist()).items())),
        coverage=_mean(questions["coverage"]),
        context_tokens=_mean(questions["tokens"]),
        latency=_latency(run),
        by_category=dict(zip(categories, rest, strict=False)),
        by_k=dict(zip(curve, rest[len(categories) :], strict=True)),
        notes=(*_run_notes(run), *_evidence(judged, gold, settings), *_gaps(run, card)),
        card=tuple(said or MISSING for said in card.answers),
    )


def _evidence(judged: JudgedRun, gold: GoldTable, settings: Settings) -> Iterator[str]:
    """Say what of a score rests on lineage that is declared or inferred, where some does."""
    run, measure = judged.run, settings.parsed[0]
    classes = Counter(run.memories["lineage"][run.memories["counts"]].tolist())
    weaker = {name: n for name, n in classes.most_common() if name not in {Lineage.EXACT, Lineage.ABSENT}}
    rows = judged.rows(measure)
    if weaker and rows.defined.any():
        strict = align(run, gold, settings.contract, settings.depth, (Lineage.EXACT,)).rows(measure)
        known = ", ".join(f"{n:,} {name}" for name, n in weaker.items())
        yield f"{measure} is {_level(strict):.3f} on exact lineage alone, {_level(rows):.3f} with {known}"


def _gaps(run: Run, card: Card) -> Iterator[str]:
    """Name what the reporting card of a run lacks; one that stored nothing has no card to speak of."""
    if card.missing and len(run.memories["form"]):
        yield f"its reporting card has no answer to: {', '.join(card.missing)}"


def _latency(run: Run) -> Latency:
    searches = run.questions["ms"]
    writes = run.writes["ms"][run.writes["kind"] == "write"]
    return Latency(
        _percentile(searches, 50), _percentile(searches, 95), _percentile(writes, 50), _percentile(writes, 95)
    )


def _percentile(column: NDArray[np.float64], q: float) -> float | None:
    known = column[~np.isnan(column)]
    return float(np.percentile(known, q)) if len(known) else None


def _mean(column: NDArray[np.float64]) -> float | None:
    values = np.asarray(column, dtype=np.float64)
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None


def _run_notes(run: Run) -> tuple[str, ...]:
    """Gather what a reader of this row must know: failures, breaches, interventions."""
    notes = [f"intervention: {text}" for text in run.manifest.system.capabilities.get("interventions", ())]
    failed = Counter(o for o in run.questions["outcome"].tolist() if o not in {"ok", "empty"})
    notes += [f"{n} questions ended as {outcome}" for outcome, n in sorted(failed.items())]
    lost = _lost_writes(run.writes)
    notes += [f"{lost} writes failed"] if lost else []
    said = Counter(note for each in run.questions["notes"].tolist() for note in each)
    return tuple(notes + [f"{note} ({n} questions)" for note, n in sorted(said.items())])


def _lost_writes(writes: Columns) -> int:
    return int(((writes["outcome"] != "ok") & (writes["kind"] == "write")).sum())
