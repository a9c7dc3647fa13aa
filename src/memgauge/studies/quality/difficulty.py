"""How hard every question of a dataset is, measured on what was said and not claimed by who made it."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from statistics import fmean
from typing import TYPE_CHECKING

from memgauge.datasets.base import HasTruth
from memgauge.retrieval import BM25, TermMatrix
from memgauge.text.tokens import tokenize
from memgauge.text.words import FUNCTION_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from memgauge.datasets.base import Dataset
    from memgauge.records import Case, Fact, Gold, Question, Turn

TOP = 5
ALL = "all"
"""The row of all kinds together."""


@dataclass(frozen=True, slots=True)
class Difficulty:
    """The difficulty of one question; what needs evidence is ``None`` without any."""

    question: str
    kind: str
    overlap: float | None
    """Share of the question's content words that an evidence turn repeats, the mean over evidence turns."""
    jaccard: float | None
    """Content words in common with an evidence turn, of those in either; the mean over evidence turns."""
    rank: int | None
    """The best rank that BM25 over content words gives an evidence turn; ``None`` too where none is found."""
    misled: bool | None
    """Whether BM25 puts a stale turn before all evidence; ``None`` too where nothing is stale."""
    near_misses: int
    """Decoys and stale turns."""
    sessions: int
    """Sessions that the evidence is spread over."""
    turns: int | None
    """Turns from the oldest evidence to the end."""
    days: int | None
    """Days from the oldest evidence to the question."""
    hops: int | None
    """Things (a slot of a subject) that the evidence tells of; ``None`` too where no truth is known."""


@dataclass(frozen=True)
class Figures:
    """The difficulties of one kind, as means and shares; what has no case is ``None``."""

    questions: int
    evidence: int
    """Questions with evidence, which the figures below are of."""
    overlap: float | None
    jaccard: float | None
    first: float | None
    """Share whose evidence BM25 ranks first."""
    top: float | None
    """Share with evidence among its first five."""
    misled: float | None
    """Share, of those with something stale, where BM25 ranks a stale turn before all evidence."""
    near_misses: float | None
    """Of all questions."""
    sessions: float | None
    turns: float | None
    days: float | None
    hops: float | None


def content(text: str) -> list[str]:
    """Return the stems of the words of *text* that carry content."""
    pairs = zip(tokenize(text), tokenize(text, stem="english"), strict=True)
    return [stem for word, stem in pairs if word not in FUNCTION_WORDS]


def together(dataset: Dataset) -> Iterator[tuple[Case, list[Gold], list[Fact]]]:
    """Yield every conversation with what is right and what is true, one at a time."""
    golds = iter(dataset.gold())
    by_conversation = groupby(
        dataset.truth() if isinstance(dataset, HasTruth) else (), key=lambda fact: fact.conversation
    )
    waiting = next(by_conversation, None)
    for case in dataset.cases():
        facts: list[Fact] = []
        if waiting is not None and waiting[0] == case.conversation.id:
            facts, waiting = list(waiting[1]), next(by_conversation, None)
        yield case, [gold for _, gold in zip(case.questions, golds, strict=False)], facts


def measure(dataset: Dataset) -> Iterator[Difficulty]:
    """Measure every question of a dataset."""
    for case, golds, facts in together(dataset):
        yield from measure_case(case, golds, facts)


def measure_case(case: Case, golds: Sequence[Gold], facts: Sequence[Fact]) -> Iterator[Difficulty]:
    """Measure the questions about one conversation."""
    turns = list(case.conversation.turns())
    place = {turn.id: n for n, turn in enumerate(turns)}
    words = [frozenset(content(turn.text)) for turn in turns]
    question_texts = [question.text for question in case.questions]
    rankings, _ = BM25(TermMatrix.build((turn.text for turn in turns), content)).search_many(
        question_texts, len(turns)
    )
    tells: dict[str, set[tuple[str, str]]] = {}
    for fact in facts:
        for turn in fact.turns:
            tells.setdefault(turn, set()).add((fact.subject, fact.slot))
    for question, gold, ranking in zip(case.questions, golds, rankings.tolist(), strict=True):
        evidence = [place[turn] for turn in gold.anchors()]
        stale = [place[turn] for turn in gold.stale or ()]
        ranks = {item: n for n, item in enumerate(ranking, 1) if item >= 0}
        best_rank = min((ranks[item] for item in evidence if item in ranks), default=None)
        stale_rank = min((ranks[item] for item in stale if item in ranks), default=None)
        facts_told = {told_fact for turn in gold.anchors() for told_fact in tells.get(turn, ())}
        query = frozenset(content(question.text))
        common = [(len(query & words[item]), len(query | words[item])) for item in evidence]
        yield Difficulty(
            question.id,
            question.category,
            overlap=fmean(n / len(query) for n, _ in common) if common and query else None,
            jaccard=fmean(n / union for n, union in common) if common and query else None,
            rank=best_rank,
            misled=stale_rank is not None and (best_rank is None or stale_rank < best_rank)
            if evidence and stale
            else None,
            near_misses=len(gold.decoys) + len(stale),
            sessions=len({turns[item].session for item in evidence}),
            turns=len(turns) - min(evidence) if evidence else None,
            days=_days(question, turns[min(evidence)]) if evidence else None,
            hops=len(facts_told) if evidence and facts else None,
        )


def _days(question: Question, turn: Turn) -> int | None:
    return None if question.asked_at is None or turn.at is None else (question.asked_at - turn.at).days


_FIGURES: Mapping[str, Callable[[Difficulty], float | None]] = {
    "overlap": lambda measured: measured.overlap,
    "jaccard": lambda measured: measured.jaccard,
    "first": lambda measured: None if measured.turns is None else measured.rank == 1,
    "top": lambda measured: None if measured.turns is None else measured.rank is not None and measured.rank <= TOP,
    "misled": lambda measured: measured.misled,
    "near_misses": lambda measured: measured.near_misses,
    "sessions": lambda measured: None if measured.turns is None else measured.sessions,
    "turns": lambda measured: measured.turns,
    "days": lambda measured: measured.days,
    "hops": lambda measured: measured.hops,
}


@dataclass
class Aggregate:
    """Sums by kind while questions come by, so that none has to be kept."""

    sums: dict[str, dict[str, tuple[int, float]]] = field(default_factory=dict)

    def add(self, difficulties: Iterable[Difficulty]) -> None:
        """Count questions under their kind and under all."""
        for difficulty in difficulties:
            for kind in (ALL, difficulty.kind):
                sums = self.sums.setdefault(kind, {})
                for name, figure in _FIGURES.items():
                    n, total = sums.get(name, (0, 0.0))
                    value = figure(difficulty)
                    sums[name] = (n, total) if value is None else (n + 1, total + value)

    def figures(self) -> dict[str, Figures]:
        """Return the figures of all kinds together, then of each, rounded to four places."""
        return {kind: _figures(sums) for kind, sums in self.sums.items()}


def aggregate(difficulties: Iterable[Difficulty]) -> dict[str, Figures]:
    """Return the figures of *difficulties* by kind, all kinds together first."""
    sums = Aggregate()
    sums.add(difficulties)
    return sums.figures()


def _figures(sums: Mapping[str, tuple[int, float]]) -> Figures:
    means = {name: round(total / n, 4) if n else None for name, (n, total) in sums.items()}
    return Figures(questions=sums["near_misses"][0], evidence=sums["turns"][0], **means)
