"""The shortcut audit: a world is no test of a skill that a solver without it can show."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memgauge.datasets.base import HasTruth
from memgauge.datasets.own.dataset import OwnDataset
from memgauge.datasets.own.lines import MANIFEST
from memgauge.datasets.synthetic.asked import ABSTAIN, QuestionKind
from memgauge.datasets.synthetic.words import MIXED, WordingLevel
from memgauge.errors import ConfigError
from memgauge.stats.proportion import wilson
from memgauge.studies.quality.difficulty import ALL, together
from memgauge.studies.quality.oracle import answer
from memgauge.studies.quality.solvers import SOLVERS, WHOLE, is_right, look_around, mentions, states
from memgauge.text.jsons import json_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from memgauge.datasets.base import Dataset
    from memgauge.records import Case, Fact, Gold, Question, Turn
    from memgauge.studies.quality.solvers import SolverScene

CHANGED = "current, changed"
"""Those questions for the current value that had another one before; they count under ``current`` too."""
ORACLE, BEREFT = "oracle", "oracle-without-evidence"
LAST_TOLD, FIRST_TOLD = "last-told", "first-told"
BLIND = frozenset({"recency-only", "random", "majority"})
WORDS = frozenset({"bm25", "last-mention", "last-match", "first-mention"})
TOLD = frozenset({LAST_TOLD, FIRST_TOLD})
TIME = frozenset({CHANGED, QuestionKind.AS_OF, QuestionKind.REFERENCE, QuestionKind.ORDER})
"""Where only time tells which of several statements is right."""
_ANSWERABLE = frozenset(QuestionKind) - ABSTAIN | {CHANGED}
_FAR = frozenset({WordingLevel.PARA, WordingLevel.LATENT})
_EVERY = frozenset({MIXED, *WordingLevel})


@dataclass(frozen=True)
class Bound:
    """How often solvers may be right at most; oracles have to be at least."""

    solvers: AbstractSet[str]
    kinds: AbstractSet[str]
    levels: AbstractSet[str]
    limit: float
    why: str

    def about(self, solver: str, kind: str, level: str) -> bool:
        """Whether it is the bound of a solver on a kind at a level."""
        return solver in self.solvers and kind in self.kinds and level in self.levels


BOUNDS = (
    Bound(
        frozenset({ORACLE}),
        {ALL, CHANGED, *QuestionKind},
        _EVERY,
        1,
        "truth answers everything, or a label is wrong",
    ),
    Bound(frozenset({BEREFT}), {ALL, *_ANSWERABLE}, _EVERY, 1, "without its evidence nothing can be known"),
    Bound(frozenset({"always-abstain"}), ABSTAIN, _EVERY, 1, "silence is right there by definition"),
    Bound(frozenset({"always-abstain"}), _ANSWERABLE, _EVERY, 0, "silence is no answer"),
    Bound(frozenset({"always-abstain"}), {ALL}, _EVERY, 0.25, "the base rate: silence must not pay"),
    Bound(frozenset({"echo-all"}), {QuestionKind.DURATION}, _EVERY, 0.05, "a few tell one span of days"),
    Bound(
        frozenset({"echo-all"}),
        {ALL, CHANGED, *QuestionKind},
        _EVERY,
        0.01,
        "whoever lists everything says nothing",
    ),
    Bound(BLIND, ABSTAIN, _EVERY, 0, "they are never silent"),
    Bound(
        BLIND,
        {ALL, CHANGED, *QuestionKind},
        _EVERY,
        0.1,
        "one of 84 turns, or of some sixty values; room for chance",
    ),
    Bound(TOLD, TIME, _EVERY, 0.75, "life is mostly told in order; beyond three in four no date is needed"),
    Bound(WORDS, {QuestionKind.OTHER_USER}, _EVERY, 0.1, "it names what many turns are about"),
    Bound(WORDS, ABSTAIN, _EVERY, 0.7, "no common word is a hint, but no proof that nothing was said"),
    Bound(WORDS, {ALL}, _FAR, 0.2, "silence on what is open, and little else"),
    Bound(WORDS, _ANSWERABLE, _FAR, 0.1, "question and statement have no word in common"),
    Bound(WORDS, {ALL}, frozenset({MIXED}), 0.4, "a third is worded near, and silence is right at times"),
    Bound(frozenset({"last-mention"}), {CHANGED}, frozenset({MIXED}), 0.35, "near in a third, and last in some"),
    Bound(
        WORDS,
        {QuestionKind.AS_OF, QuestionKind.HOP},
        frozenset({MIXED}),
        0.35,
        "near in a third, and one of several then",
    ),
    Bound(WORDS, WHOLE, frozenset({MIXED}), 0.25, "two statements are both near in a ninth; most have more"),
    Bound(WORDS, _ANSWERABLE, frozenset({MIXED}), 0.45, "a third is worded near; the rest is room for chance"),
    Bound(WORDS, {QuestionKind.HOP}, frozenset({WordingLevel.LEX}), 0.5, "two were born: a coin"),
    Bound(
        WORDS, {QuestionKind.ORDER}, frozenset({WordingLevel.LEX}), 0.6, "two came: a coin, and room for chance"
    ),
    Bound(
        WORDS,
        TIME,
        frozenset({WordingLevel.LEX}),
        0.65,
        "all versions are found; order of telling gives most of one",
    ),
)
"""The first one that fits a cell is its bound. At level ``lex`` finding is free: most kinds have none there."""


@dataclass(frozen=True)
class SolverAccuracy:
    """How often one solver was right on one kind."""

    solver: str
    kind: str
    right: int
    n: int
    rate: float
    low: float
    high: float
    """The 95 % interval of Wilson."""
    bound: float | None
    """Of oracles the least, of others the most."""
    why: str
    beaten: bool
    """Whether the bound lies outside: the whole interval above it, or an oracle below it."""


@dataclass(frozen=True)
class ShortcutAudit:
    """What shortcuts a dataset leaves open."""

    dataset: str
    sha256: str
    level: str
    questions: int
    cells: tuple[SolverAccuracy, ...]

    @property
    def beaten(self) -> tuple[SolverAccuracy, ...]:
        """Return the cells outside their bounds."""
        return tuple(cell for cell in self.cells if cell.beaten)


def audit(dataset: Dataset, level: str | None = None) -> ShortcutAudit:
    """Let every solver try every question.

    The *dataset* is a synthetic world, and its bounds are of the distance *level*, by default what it says of
    itself.

    Raises:
        ConfigError: It is another dataset.
    """
    if dataset.identity.name != "synthetic" or not isinstance(dataset, HasTruth):
        raise ConfigError(f"{dataset.identity.ref} is no synthetic world.", "Audit one, or a folder of synth.")
    level = level or _level(dataset)
    counts: Counter[tuple[str, str]] = Counter()
    rights: Counter[tuple[str, str]] = Counter()
    questions = 0
    for case, golds, facts in together(dataset):
        scene = look_around(case)
        for question, gold in zip(case.questions, golds, strict=True):
            questions += 1
            rows = _rows(question, gold)
            for solver, right in _tries(scene, case, question, gold, facts):
                counts.update((solver, row) for row in rows)
                rights.update((solver, row) for row in rows if right)
    kinds = [
        ALL,
        *(row for kind in QuestionKind for row in ((kind, CHANGED) if kind is QuestionKind.CURRENT else (kind,))),
    ]
    cells = tuple(
        _cell(solver, str(kind), rights[solver, kind], counts[solver, kind], level)
        for solver in (ORACLE, BEREFT, LAST_TOLD, FIRST_TOLD, *SOLVERS)
        for kind in kinds
        if counts[solver, kind]
    )
    return ShortcutAudit(dataset.identity.ref, dataset.identity.sha256, level, questions, cells)


def bound_of(solver: str, kind: str, level: str) -> Bound | None:
    """Return the bound of a solver on a kind, if it has one at a level."""
    return next((bound for bound in BOUNDS if bound.about(solver, kind, level)), None)


def _tries(
    scene: SolverScene, case: Case, question: Question, gold: Gold, facts: Sequence[Fact]
) -> Iterator[tuple[str, bool]]:
    turns = list(case.conversation.turns())
    oracle_answer = _asked(question, facts, turns)
    yield (
        ORACLE,
        oracle_answer is None if gold.abstain else oracle_answer is not None and states(oracle_answer, gold),
    )
    if not gold.abstain:
        evidence_turns = set(gold.anchors())
        bereft = [
            replace(fact, turns=tuple(turn for turn in fact.turns if turn not in evidence_turns)) for fact in facts
        ]
        remaining_facts = [fact for fact in bereft if fact.turns]
        yield (
            BEREFT,
            _asked(question, remaining_facts, [turn for turn in turns if turn.id not in evidence_turns]) is None,
        )
        if question.category in TIME or (question.category == QuestionKind.CURRENT and gold.stale):
            about = mentions(scene, gold)
            yield LAST_TOLD, is_right(about[::-1], question, gold)
            yield FIRST_TOLD, is_right(about, question, gold)
    for name, solver in SOLVERS.items():
        yield name, is_right(solver(scene, question), question, gold)


def _asked(question: Question, facts: Sequence[Fact], turns: Sequence[Turn]) -> str | None:
    return answer(question, facts, [turn.text for turn in turns])


def _rows(question: Question, gold: Gold) -> tuple[str, ...]:
    is_changed = question.category == QuestionKind.CURRENT and gold.stale
    return (ALL, question.category, CHANGED) if is_changed else (ALL, question.category)


def _cell(solver: str, kind: str, n_right: int, n: int, level: str) -> SolverAccuracy:
    interval, bound = wilson(n_right, n), bound_of(solver, kind, level)
    rate, low, high = n_right / n, interval.low or 0.0, interval.high or 1.0
    limit, reason = (None, "") if bound is None else (bound.limit, bound.why)
    is_outside = limit is not None and (rate < limit if solver in {ORACLE, BEREFT} else min(rate, low) > limit)
    return SolverAccuracy(solver, kind, n_right, n, rate, low, high, limit, reason, is_outside)


def _level(dataset: Dataset) -> str:
    if isinstance(dataset, OwnDataset):
        return str(json_file(dataset.path / MANIFEST).get("level", MIXED))
    return dataset.identity.options.get("level", MIXED)
