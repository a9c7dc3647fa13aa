"""The measures of the third document over a frozen run: precision, recall, time, contradiction, sets, silence.

What a dataset does not say cannot be scored: without versions there is no temporal measure, without facts no
contradiction and no set, and each such question is excluded with that reason.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.measures import Rows, parse, temporal
from memgauge.measures.contradiction import Voice, contradictions, unresolved, values
from memgauge.measures.sets import f1_of_sets
from memgauge.measures.temporal import HitCurrency, Presence
from memgauge.records import Contract, Denominator, Failures, Outcome
from memgauge.scoring.align import NOT_RUN, align
from memgauge.scoring.score import MeasureColumn, column
from memgauge.scoring.voiced import facts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from memgauge.records import Fact, Gold, Question
    from memgauge.runs.record.store import Run
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.voiced import Truth, Voiced

RANKED = (
    "Precision(conv=returned)@5",
    "Precision@5",
    "Precision(conv=cap)@5",
    "Recall@5",
    "Recall@10",
    "Complete@10",
)
DEEPEST = 10
"""Hits that the ranked measures look at."""
NO_VERSIONS = "the dataset names no versions"
ONE_VERSION = "there is one version only"
ANOTHER_TIME = "asks for another time"
THIS_TIME = "asks for what holds"
NO_FACTS = "the dataset names no facts"
NOTHING_SAID = "nothing functional is said"
NO_CONFLICT = "no conflict in the store is touched"
NOT_A_SET = "not spread over sessions"
NO_ANSWER = "there is no answer to find"
AN_ANSWER = "there is an answer to find"
NO_HITS = "nothing was returned"

Cell = float | str
"""A value, or why there is none."""


@dataclass(frozen=True)
class Depths:
    """How many hits each group of measures looks at."""

    time: int = 5
    contradiction: int = 5
    """Of the measures that look at a cutoff; the others look at all that is returned."""
    sets: int = 10


@dataclass(frozen=True)
class _QuestionMaterial:
    """One question with everything that its cells are made of."""

    gold: Gold
    question: Question
    hits: Sequence[Voiced]
    evidence: frozenset[str]
    wanted: Sequence[Fact]
    """The facts that its evidence states."""
    stored: Mapping[Hashable, AbstractSet[str]]


def quality_columns(run: Run, gold: GoldTable, truth: Truth, depths: Depths | None = None) -> list[MeasureColumn]:
    """Value every question of *run* by every measure of the study."""
    depths = depths or Depths()
    contract = Contract()
    judged = align(run, gold, contract, DEEPEST)
    ranked = [column(judged, parse(name)) for name in RANKED]
    asked = _asked(run, gold, truth, run.manifest.limits.k)
    failed = _failures(run, contract)
    others = []
    for name, cell in _cells(truth, depths).items():
        cells = [failed.get(question.id, NOT_RUN) or cell(asked[question.id]) for question in gold.questions]
        others.append(column_of(name, cells))
    return [*ranked, *others]


def _asked(run: Run, gold: GoldTable, truth: Truth, k: int) -> dict[str, _QuestionMaterial]:
    ran = set(run.questions["question"].tolist())
    pairs = [(q, g) for q, g in zip(gold.questions, gold.golds, strict=True) if q.id in ran]
    said = truth.of_run(run, {q.id: (q.conversation, q.asked_at) for q, _ in pairs}, k)
    stored = {name: _values(hits) for name, hits in truth.stored(run).items()}
    found = {}
    for question, g in pairs:
        evidence = frozenset(g.anchors())
        wanted = [fact for turn in g.anchors() for fact in truth.by_turn.get((question.conversation, turn), ())]
        found[question.id] = _QuestionMaterial(
            g, question, said[question.id], evidence, wanted, stored.get(question.conversation, {})
        )
    return found


def _failures(run: Run, contract: Contract) -> dict[str, str]:
    """Say for every question of the run why it cannot be scored, or give an empty text."""
    zero = contract.failures is Failures.ZERO
    pairs = zip(run.questions["question"].tolist(), run.questions["outcome"].tolist(), strict=True)
    return {name: "" if zero or Outcome(outcome).valid else str(outcome) for name, outcome in pairs}


def _cells(truth: Truth, depths: Depths) -> Mapping[str, Callable[[_QuestionMaterial], Cell]]:
    t, c, s = depths.time, depths.contradiction, depths.sets
    return {
        f"Temporal(strict)@{t}": _timed(lambda said: float(temporal.strict(said)), t),
        f"Temporal(lenient)@{t}": _timed(lambda said: float(temporal.lenient(said)), t),
        f"Contaminated@{t}": _timed(lambda said: float(temporal.contaminated(said)), t),
        f"Omitted@{t}": _timed(lambda said: float(temporal.presence(said) in {Presence.NONE, Presence.STALE}), t),
        f"StaleShare@{t}": _timed(temporal.stale_share, t),
        f"AsOf@{t}": _timed(lambda said: float(temporal.strict(said)), t, now=False),
        "Contradiction": _if_known(truth, lambda asked: _contradiction(asked, None, share=True)),
        "AnyContradiction": _if_known(truth, lambda asked: _contradiction(asked, None, share=False)),
        f"Contradiction@{c}": _if_known(truth, lambda asked: _contradiction(asked, c, share=True)),
        f"AnyContradiction@{c}": _if_known(truth, lambda asked: _contradiction(asked, c, share=False)),
        f"Unresolved@{c}": _if_known(truth, lambda asked: _unresolved(asked, c)),
        f"SetF1@{s}": _if_known(truth, lambda asked: _set(asked, s)),
        "SilentRightly": lambda asked: float(not asked.hits) if asked.gold.abstain else AN_ANSWER,
        "SilentWrongly": lambda asked: float(not asked.hits) if asked.evidence else NO_ANSWER,
    }


def _timed(
    value: Callable[[Sequence[HitCurrency]], float | None], k: int, *, now: bool = True
) -> Callable[[_QuestionMaterial], Cell]:
    """Look at questions for what holds when they are asked, or at those for what held at another time."""

    def cell(asked: _QuestionMaterial) -> Cell:
        stale = asked.gold.stale
        if stale is None:
            return NO_VERSIONS
        if not asked.evidence:
            return NO_ANSWER
        if not stale:
            return ONE_VERSION
        if _is_now(asked) is not now:
            return ANOTHER_TIME if now else THIS_TIME
        others = frozenset(stale)
        said = [
            HitCurrency(bool(hit.turns & asked.evidence), bool(hit.turns & others), hit.marked)
            for hit in asked.hits[:k]
        ]
        found = value(said)
        return NO_HITS if found is None else found

    return cell


def _is_now(asked: _QuestionMaterial) -> bool:
    """Whether what is wanted holds when it is asked for; without facts nothing says otherwise."""
    return all(fact.holds(asked.question.asked_at) for fact in asked.wanted)


def _if_known(truth: Truth, cell: Callable[[_QuestionMaterial], Cell]) -> Callable[[_QuestionMaterial], Cell]:
    return cell if truth.known else lambda _: NO_FACTS


def _contradiction(asked: _QuestionMaterial, k: int | None, *, share: bool) -> Cell:
    found = contradictions(_voices(asked.hits[:k]))
    value = found.rate if share else found.any
    return NOTHING_SAID if value is None else float(value)


def _unresolved(asked: _QuestionMaterial, k: int) -> Cell:
    value = unresolved(_voices(asked.hits[:k]), asked.stored)
    return NO_CONFLICT if value is None else value


def _set(asked: _QuestionMaterial, k: int) -> Cell:
    slots = {(fact.subject, fact.slot) for fact in asked.wanted}
    if len(asked.gold.sessions) < 2 or len(slots) != 1 or any(fact.functional for fact in asked.wanted):
        return NOT_A_SET
    said = {
        fact.value
        for fact, marked in facts_of(asked.hits[:k])
        if (fact.subject, fact.slot) in slots and not marked
    }
    f1 = f1_of_sets(said, {fact.value for fact in asked.wanted})
    return NOT_A_SET if f1 is None else f1


def _voices(hits: Iterable[Voiced]) -> list[Voice]:
    return [
        Voice((fact.subject, fact.slot), fact.value, fact.functional, marked) for fact, marked in facts_of(hits)
    ]


def _values(hits: Iterable[Voiced]) -> Mapping[Hashable, AbstractSet[str]]:
    return values(_voices(hits))


def column_of(name: str, cells: Sequence[Cell]) -> MeasureColumn:
    """Turn cells into a column with the denominator that they add up to; what was not run is in no denominator."""
    asked = [cell for cell in cells if cell != NOT_RUN]
    reasons = Counter(cell for cell in asked if isinstance(cell, str))
    numbers = np.array([0.0 if isinstance(cell, str) else cell for cell in cells])
    defined = np.array([not isinstance(cell, str) for cell in cells])
    scored = int(defined.sum())
    return MeasureColumn(name, Rows(numbers, defined), Denominator(len(asked), scored, dict(reasons)))


def by_part(
    columns: Sequence[MeasureColumn], parts: Mapping[str, Sequence[int]]
) -> dict[str, list[MeasureColumn]]:
    """Cut columns to the questions of each part, by their places."""
    cut: defaultdict[str, list[MeasureColumn]] = defaultdict(list)
    for part, places in parts.items():
        chosen = np.array(places, dtype=np.int64)
        for whole in columns:
            values_, defined = whole.rows.values[chosen], whole.rows.defined[chosen]
            n = int(defined.sum())
            gone = {"not scored": len(chosen) - n} if n < len(chosen) else {}
            cut[part].append(MeasureColumn(whole.name, Rows(values_, defined), Denominator(len(chosen), n, gone)))
    return dict(cut)
