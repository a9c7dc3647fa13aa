"""What the hits of a run say, question by question, beside what was true: the measures that read facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from memgauge.measures import Rows
from memgauge.measures.facts import QuestionFacts, stored_values
from memgauge.records import Failures, Items, Outcome
from memgauge.scoring.gold import NOT_RUN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.measures import Measure
    from memgauge.measures.facts import Cell
    from memgauge.records import Contract, Gold, Question
    from memgauge.runs.record.store import Run
    from memgauge.scoring.gold import GoldTable


def facts_of_run(run: Run, gold: GoldTable) -> dict[str, QuestionFacts]:
    """Lay what every question of *run* returned beside what the dataset says is true."""
    ran, truth = set(run.questions["question"].tolist()), gold.truth
    pairs = [(q, g) for q, g in zip(gold.questions, gold.golds, strict=True) if q.id in ran]
    hits = truth.of_run(run, {q.id: (q.conversation, q.asked_at) for q, _ in pairs}, run.manifest.limits.k)
    stored = {name: stored_values(voiced) for name, voiced in truth.stored(run).items()}
    return {
        question.id: QuestionFacts(
            accepted,
            question,
            hits[question.id],
            frozenset(accepted.anchors()),
            [fact for turn in accepted.anchors() for fact in truth.by_turn.get((question.conversation, turn), ())],
            stored.get(question.conversation, {}),
            truth.known,
        )
        for question, accepted in pairs
    }


def fact_rows(
    run: Run, gold: GoldTable, contract: Contract, facts: Mapping[str, QuestionFacts], measure: Measure
) -> Rows:
    """Value every question by what its hits say.

    Where failures count, a failed search is worth the worst that the measure knows, for silence is no merit of it.
    """
    outcomes: dict[str, str] = dict(
        zip(run.questions["question"].tolist(), run.questions["outcome"].tolist(), strict=True)
    )
    cells = [
        _cell(question, accepted, outcomes.get(question.id), contract, facts, measure)
        for question, accepted in zip(gold.questions, gold.golds, strict=True)
    ]
    return Rows(
        np.array([0.0 if isinstance(cell, str) else cell for cell in cells]),
        np.array([not isinstance(cell, str) for cell in cells], dtype=np.bool_),
        reasons=tuple(cell if isinstance(cell, str) else "" for cell in cells),
    )


def _cell(
    question: Question,
    accepted: Gold,
    outcome: str | None,
    contract: Contract,
    facts: Mapping[str, QuestionFacts],
    measure: Measure,
) -> Cell:
    if outcome is None:
        return NOT_RUN
    if contract.items is Items.CLEAN and accepted.erratum and accepted.erratum.counts:
        return f"label in doubt: {accepted.erratum.kind}"
    valid = Outcome(outcome).valid
    if not valid and contract.failures is not Failures.ZERO:
        return str(outcome)
    formula = measure.formula
    if not valid and formula.unit != "share":
        return str(outcome)  # of a count nobody knows the worst
    value: Cell = formula.compute(facts[question.id], measure.cutoff)
    return value if valid or isinstance(value, str) else float(formula.lower)
