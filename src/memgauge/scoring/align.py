"""Lay a frozen run beside the gold of its dataset: who is scored, who is not and why, and what each hit earned."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from memgauge.measures import Descent, Judged, Measure, Reads, Rows, Trace, credit_of, find
from memgauge.records import Credit, Denominator, Failures, Lineage, Outcome, Ties, Unlabelled
from memgauge.scoring.gold import NOT_RUN
from memgauge.scoring.question_facts import fact_rows, facts_of_run
from memgauge.scoring.spending import Spending, counted
from memgauge.scoring.targets import credited
from memgauge.scoring.witness import Claims, witness_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from numpy.typing import NDArray

    from memgauge.measures.facts import QuestionFacts
    from memgauge.records import Contract
    from memgauge.runs.record.store import Run
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.witness import Bearing


@dataclass(frozen=True, eq=False)
class CreditedHits:
    """What the hits of a run earned, and all that this was read from: by far the most of what is held of a run."""

    judged: Judged
    spending: Spending
    """The same ranking within budgets of tokens."""
    borne: Descent
    """From which evidence turns every memory descends, as far as the witness of the contract bears it out."""
    unwitnessed: int = 0
    """How many claims to evidence nobody could check, because texts were left out; they are believed."""


@dataclass(frozen=True, eq=False)
class JudgedRun:
    """One run under one contract; its rows are in the order of the gold table.

    Its hits are credited when something is asked that needs them, and again where they were let go of.
    """

    run: Run
    contract: Contract
    gold: GoldTable
    reasons: tuple[str, ...]
    """Why each question is not scored; empty where it is."""
    credit_hits: Callable[[], CreditedHits]

    @cached_property
    def hits(self) -> CreditedHits:
        """What its hits earned.

        Raises:
            RunError: The contract asks for a model's verdicts, and the run has none.
        """
        return self.credit_hits()

    @property
    def judged(self) -> Judged:
        """Return what the first ranks earned."""
        return self.hits.judged

    @property
    def spending(self) -> Spending:
        """Return the same ranking within budgets of tokens."""
        return self.hits.spending

    @property
    def borne(self) -> Descent:
        """Return from which evidence turns every memory descends, as far as the witness bears it out."""
        return self.hits.borne

    @property
    def unwitnessed(self) -> int:
        """Return how many claims nobody could check, because texts were left out; they are believed."""
        return self.hits.unwitnessed

    @cached_property
    def missed(self) -> NDArray[np.bool_]:
        """(Q,) whether a question counts as a miss because it names no evidence."""
        return self.gold.without_evidence(self.contract.evidence) & (self.contract.unlabelled is Unlabelled.MISS)

    @property
    def claims(self) -> int:
        """Return how many pairs of a memory and an evidence turn there are."""
        return len(self.borne.turns)

    @cached_property
    def scored(self) -> NDArray[np.bool_]:
        """(Q,) whether each question is scored."""
        return np.array([not reason for reason in self.reasons])

    @cached_property
    def facts(self) -> dict[str, QuestionFacts]:
        """What the hits of each question say; read when a measure asks for it."""
        return facts_of_run(self.run, self.gold)

    @cached_property
    def run_mask(self) -> NDArray[np.bool_]:
        """(Q,) whether each question is part of the run."""
        return np.array([reason != NOT_RUN for reason in self.reasons])

    def rows(self, measure: Measure) -> Rows:
        """Value every scored question; where failures count, what is not there to be found is a miss as well."""
        if measure not in self._rows:
            self._rows[measure] = self._valued(measure)
        return self._rows[measure]

    @cached_property
    def _rows(self) -> dict[Measure, Rows]:
        """What was valued already: boards, score files, lists of failures and stories ask for the same."""
        return {}

    def _valued(self, measure: Measure) -> Rows:
        if measure.formula.reads is Reads.FACTS:
            return fact_rows(self.run, self.gold, self.contract, self.facts, measure)
        if measure.budgets:
            rows = measure.within(self.spending.judged)
            known = self.spending.known(max(measure.budgets))
        else:
            rows, known = measure.rows(self.judged), np.ones(len(self.reasons), dtype=np.bool_)
        missed = self.missed | (self.contract.failures is Failures.ZERO)
        defined = (rows.defined | missed) & known & self.scored
        values = np.where(defined & rows.defined, rows.values, 0.0)
        return Rows(values, defined, rows.why if known.all() else NO_TEXTS)

    def denominator(self, rows: Rows, inside: NDArray[np.bool_] | None = None) -> Denominator:
        """Count who is in *rows* and who is not, by reason, among the run's questions (and *inside* a part)."""
        excluded: Counter[str] = Counter()
        here = self.run_mask if inside is None else self.run_mask & inside
        for place in np.flatnonzero(here & ~rows.defined).tolist():
            excluded[(not rows.reasons and self.reasons[place]) or rows.reason(place)] += 1
        scored = int(rows.defined.sum())
        return Denominator(scored + sum(excluded.values()), scored, dict(sorted(excluded.items())))


NO_LINEAGE = "no memory names a turn that it descends from"
NO_TEXTS = "texts were left out, so their tokens cannot be counted"


def align(
    run: Run, gold: GoldTable, contract: Contract, k: int, lineage: Collection[Lineage] = frozenset(Lineage)
) -> JudgedRun:
    """Judge the first *k* hits of every question of *run*, where sources known as well as *lineage* says count.

    Raises:
        IdentityError: The run was made on other data.
        RunError: The contract asks for a model's verdicts, and the run has none.
    """
    judged = align_later(run, gold, contract, k, lineage)
    _ = judged.hits
    return judged


def align_later(
    run: Run, gold: GoldTable, contract: Contract, k: int, lineage: Collection[Lineage] = frozenset(Lineage)
) -> JudgedRun:
    """Do the same, and credit hits when they are asked for: of thousands of runs few are held at a time.

    Raises:
        IdentityError: The run was made on other data.
    """
    gold.require(run)
    outcomes: dict[int, str] = dict(zip(places(run, gold).tolist(), run.questions["outcome"], strict=True))
    failures = {outcome: _failure(outcome, contract, run) for outcome in set(outcomes.values())}
    untraced = NO_LINEAGE if _is_untraced(run) else ""
    reasons = gold.shared(
        (reason or failures[outcomes[number]] or untraced) if number in outcomes else NOT_RUN
        for number, reason in enumerate(gold.exclusions(contract))
    )
    return JudgedRun(run, contract, gold, reasons, partial(_credited_hits, run, gold, contract, k, lineage))


def _credited_hits(
    run: Run, gold: GoldTable, contract: Contract, k: int, lineage: Collection[Lineage]
) -> CreditedHits:
    """Find what the hits of a run earned.

    Raises:
        RunError: The contract asks for a model's verdicts, and the run has none.
    """
    trace, witness = trace_of(run, gold, contract.ties), witness_of(contract.witness, run, gold)
    borne, unwitnessed = _borne(gold, descent(run, gold, lineage), witness)
    anchors, form = gold.anchors(contract.evidence), credited(run, contract.target)
    hits = find(trace, borne, anchors, k=k, credited=form)
    source = hits
    if contract.credit is Credit.ANCHOR_CN and not hits.whole:
        source = find(trace, borne, anchors, k=k)
    return CreditedHits(
        credit_of(hits, contract.credit, contract.coverage, source=source),
        Spending(run, gold, contract, hits, source, witness, counted(run, gold, trace)),
        borne,
        unwitnessed,
    )


def _borne(gold: GoldTable, lineage: Descent, witness: Bearing | None) -> tuple[Descent, int]:
    """Let *witness* say how much of each evidence turn its memory bears, and how often it could not."""
    if witness is None:
        return lineage, 0
    names = list(gold.turn_number)
    pairs = [names[turn] for turn in lineage.turns.tolist()]
    memory = np.repeat(np.arange(len(lineage.indptr) - 1), np.diff(lineage.indptr))
    shares, unwitnessed = witness.shares(Claims(memory, [home for home, _ in pairs], [turn for _, turn in pairs]))
    return replace(lineage, share=None if (shares == 1).all() else shares), unwitnessed


def _failure(outcome: str, contract: Contract, run: Run) -> str:
    """Say why an outcome gives no value; what a file tells nothing of is no failure of who is in it."""
    untold = outcome == Outcome.UNSUPPORTED and run.manifest.is_imported
    if not untold and (Outcome(outcome).valid or contract.failures is Failures.ZERO):
        return ""
    return str(outcome)


def _is_untraced(run: Run) -> bool:
    """Whether nobody knows from which turns any memory of a run descends that the harness did not see.

    Of a run that it saw, a memory without turns is one that descends from none.
    """
    return (
        run.manifest.is_imported
        and run.stored > 0
        and bool((run.memories["lineage"] == str(Lineage.ABSENT)).all())
    )


def places(run: Run, gold: GoldTable) -> NDArray[np.int32]:
    """(run's questions,) the place of each in the gold; -1 where it has none."""
    names = run.questions["question"].tolist()
    return np.array([gold.number.get(question, -1) for question in names], dtype=np.int32)


def trace_of(run: Run, gold: GoldTable, ties: Ties = Ties.RETURNED) -> Trace:
    """Number the hits of counting attempts by the gold's order of questions."""
    place, n = places(run, gold), len(gold.questions)
    rows, asked = run.questions["row"], run.hits["question"]
    of_row = np.full(1 + max(rows.max(initial=-1), asked.max(initial=-1)), -1, dtype=np.int32)
    of_row[rows] = place
    query = of_row[asked]
    known = query >= 0
    query, memory = query[known], (run.hits if ties is Ties.RETURNED else run.hits_by_hash)["memory"][known]
    if bool((query[1:] < query[:-1]).any()):  # a stream may ask in another order than the dataset lists
        order = np.argsort(query, kind="stable")
        query, memory = query[order], memory[order]
    return Trace(query.astype(np.int32), memory.astype(np.int32), n)


def descent(run: Run, gold: GoldTable, lineage: Collection[Lineage] = frozenset(Lineage)) -> Descent:
    """Number the sources of every memory; turns that are evidence of nothing are left out."""
    sources, wanted, numbers = run.sources, {str(status) for status in lineage}, gold.turn_number
    rows = zip(*(sources[name].tolist() for name in ("conversation", "turn", "lineage")), strict=True)
    numbered = [numbers.get((home, turn), -1) if status in wanted else -1 for home, turn, status in rows]
    turns = np.array(numbered, dtype=np.int32)
    evidence = turns >= 0
    counts = np.bincount(sources["memory"][evidence], minlength=run.stored)
    return Descent(np.concatenate(([0], np.cumsum(counts))), turns[evidence])
