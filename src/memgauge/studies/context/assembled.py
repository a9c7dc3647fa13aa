"""What the prompts that a memory fills keep of the evidence, where, and beside which stale version; no model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.errors import ConfigError
from memgauge.records import Outcome
from memgauge.results import result
from memgauge.scoring.voiced import holds
from memgauge.stats import Clusters, Interval, estimates
from memgauge.studies.context.policies import RetrievedMemory
from memgauge.text.values import identifiers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memgauge.datasets.base import Dataset
    from memgauge.records import Case, Gold, Question
    from memgauge.runs.record.store import Run
    from memgauge.scoring.voiced import Truth
    from memgauge.studies.context.policies import AssembledPrompt, Assembly, MemoryExcerpt

EDGE = 0.2
"""What begins in the first or the last fifth of a prompt stands at its edge."""


@dataclass(frozen=True)
class RetrievedContext:
    """One question with what was retrieved for it."""

    question: Question
    gold: Gold
    items: tuple[RetrievedMemory, ...]
    """Best first."""
    turns: Mapping[str, tuple[int, str]]
    """Place and text of every turn of the conversation."""
    values: Mapping[str, tuple[str, ...]]
    """The values that turns state in so many words, where the dataset says so."""

    @property
    def evidence(self) -> tuple[str, ...]:
        """Return the turns that the answer follows from."""
        return self.gold.anchors()

    @property
    def stale(self) -> frozenset[str]:
        """Return the turns that state another version."""
        return frozenset(self.gold.stale or ()) - frozenset(self.evidence)


@result
@dataclass(frozen=True)
class Fate:
    """What became of one question's evidence; ``None`` where a value is undefined."""

    question: str
    conversation: str
    recall: float
    """Share of evidence turns among the hits: what retrieval is usually judged by."""
    survival: float
    """Share of evidence turns that the prompt expresses: a memory of it is there, and so is the value."""
    complete: float
    """Whether all of them survive."""
    loss: float
    """Recall minus survival: found, but cut or no longer said."""
    depth: float | None
    """Share of the prompt before the first memory of evidence."""
    depths: tuple[float, ...]
    """Of the first memory of each evidence turn that survives."""
    edge: float | None
    stale: float | None
    """Whether a version that does not hold at the time asked for is expressed as well; undefined without one."""
    beside: float | None
    """The same, of prompts in which evidence survives."""
    ordered: float | None
    """Whether the last word is the newest version's, where both are there and evidence is the newest."""
    marked: float | None
    """Whether everything stale that is there is marked as history."""
    redundancy: float | None
    """Share of the memories' text whose turns an earlier memory of the prompt speaks for already."""
    intact: float
    """Whether the instructions stand first and whole."""
    verbatim: float | None
    """Share of the identifiers in surviving evidence that the prompt holds letter by letter."""
    tokens: int


FATES: Mapping[str, Callable[[Fate], float | None]] = {
    "recall@k": lambda fate: fate.recall,
    "survival": lambda fate: fate.survival,
    "all survive": lambda fate: fate.complete,
    "truncation loss": lambda fate: fate.loss,
    "depth": lambda fate: fate.depth,
    "edge share": lambda fate: fate.edge,
    "stale in prompt": lambda fate: fate.stale,
    "stale beside evidence": lambda fate: fate.beside,
    "newest last": lambda fate: fate.ordered,
    "stale is marked": lambda fate: fate.marked,
    "redundancy": lambda fate: fate.redundancy,
    "instructions intact": lambda fate: fate.intact,
    "ids verbatim": lambda fate: fate.verbatim,
    "tokens": lambda fate: float(fate.tokens),
}


def asked(run: Run, dataset: Dataset, truth: Truth, k: int) -> list[RetrievedContext]:
    """Read the questions of a run that have evidence, each with its first *k* hits.

    Raises:
        ConfigError: The run was bundled without texts, or holds no such question.
    """
    columns = (run.questions[name].tolist() for name in ("question", "outcome"))
    valid_ids = [name for name, outcome in zip(*columns, strict=True) if Outcome(outcome).valid]
    hits = run.hits_of(valid_ids, k)
    contexts = []
    gold = dataset.gold()
    for case in dataset.cases():
        turns = {turn.id: (place, turn.text) for place, turn in enumerate(case.conversation.turns())}
        values = _values(truth, case)
        for question in case.questions:
            question_gold = next(gold)
            if question.id in hits and question_gold.anchors():
                items = tuple(_items(hits[question.id], question, truth, turns))
                contexts.append(RetrievedContext(question, question_gold, items, turns, values))
    if not contexts:
        raise ConfigError(f"{run.folder} holds no question with evidence.", "Measure a run on labelled data.")
    return contexts


def fate(context: RetrievedContext, prompt: AssembledPrompt) -> Fate:
    """Say what became of one question's evidence in one prompt."""
    evidence = context.evidence
    retrieved = {turn for item in context.items for turn in item.voiced.turns}
    first_excerpts = {
        turn: excerpt for excerpt in reversed(prompt.items) for turn in evidence if _says(context, excerpt, turn)
    }
    depths = tuple(first_excerpts[turn].start for turn in evidence if turn in first_excerpts)
    depth = min(depths, default=None)
    recall, survival = (
        sum(turn in turns for turn in evidence) / len(evidence) for turns in (retrieved, first_excerpts)
    )
    stale = [excerpt for excerpt in prompt.items if any(_says(context, excerpt, turn) for turn in context.stale)]
    there = float(bool(stale)) if context.stale else None
    return Fate(
        question=context.question.id,
        conversation=context.question.conversation,
        recall=recall,
        survival=survival,
        complete=float(len(depths) == len(evidence)),
        loss=recall - survival,
        depth=depth,
        depths=depths,
        edge=None if depth is None else float(depth <= EDGE or depth >= 1 - EDGE),
        stale=there,
        beside=there if depths else None,
        ordered=_ordered(context, prompt, stale) if depths else None,
        marked=float(all(excerpt.item.voiced.marked for excerpt in stale)) if stale else None,
        redundancy=_redundancy(prompt),
        intact=float(prompt.intact),
        verbatim=_verbatim(context, first_excerpts),
        tokens=prompt.tokens,
    )


@result
@dataclass(frozen=True)
class AssemblyLane:
    """One memory under one way of assembly."""

    run: str
    dataset: str
    policy: str
    cut: str
    budget: int
    counter: str
    fates: tuple[Fate, ...]
    measures: Mapping[str, Interval]
    """By the names of :data:`FATES`; intervals over conversations."""
    predicted: Interval | None = None
    """The accuracy that should follow, where a profile of a model was given."""


def measure_lane(run: Run, questions: Sequence[RetrievedContext], assembly: Assembly) -> AssemblyLane:
    """Assemble the prompt of every question and say what it keeps."""
    fates = tuple(fate(context, assembly.assemble(context.items)) for context in questions)
    clusters = Clusters.of([outcome.conversation for outcome in fates])
    cells = [[value(outcome) for value in FATES.values()] for outcome in fates]
    table = np.array([[np.nan if cell is None else cell for cell in row] for row in cells], dtype=np.float64)
    means = estimates(np.nan_to_num(table), clusters, ~np.isnan(table), shares=True)
    return AssemblyLane(
        run.label,
        run.manifest.dataset.ref,
        assembly.policy,
        str(assembly.cut),
        assembly.budget,
        assembly.counter.name,
        fates,
        {name: mean.interval for name, mean in zip(FATES, means, strict=True)},
    )


def _values(truth: Truth, case: Case) -> dict[str, tuple[str, ...]]:
    values = {}
    for turn in case.conversation.turns():
        facts = truth.by_turn.get((case.conversation.id, turn.id), ())
        values[turn.id] = tuple(fact.value for fact in facts if fact.spoken and holds(turn.text, fact.value))
    return values


def _items(
    hits: Sequence[Mapping[str, object]], question: Question, truth: Truth, turns: Mapping[str, tuple[int, str]]
) -> Iterator[RetrievedMemory]:
    for hit in hits:
        text = hit["text"]
        if not isinstance(text, str):
            raise ConfigError("The texts of this run were left out.", "Measure a run that holds its texts.")
        voiced = truth.voiced(hit, question.conversation, question.asked_at)
        place = max((turns[turn][0] for turn in voiced.turns if turn in turns), default=-1)
        yield RetrievedMemory(int(str(hit["rank"])), text, place, voiced)


def _says(context: RetrievedContext, excerpt: MemoryExcerpt, turn: str) -> bool:
    """Whether what is left of a memory expresses *turn*: it descends from it, and holds a value that it states."""
    if turn not in excerpt.item.voiced.turns:
        return False
    values = context.values.get(turn, ())
    return any(holds(excerpt.text, value) for value in values) if values else excerpt.whole


def _ordered(context: RetrievedContext, prompt: AssembledPrompt, stale: Sequence[MemoryExcerpt]) -> float | None:
    newest = max(context.turns[turn][0] for turn in context.evidence if turn in context.turns)
    if not stale or any(context.turns[turn][0] > newest for turn in context.stale if turn in context.turns):
        return None
    current_starts = [
        excerpt.start
        for excerpt in prompt.items
        if any(_says(context, excerpt, turn) for turn in context.evidence)
    ]
    return float(max(current_starts) >= max(excerpt.start for excerpt in stale))


def _redundancy(prompt: AssembledPrompt) -> float | None:
    seen_turns: set[str] = set()
    repeated = total = 0
    for excerpt in prompt.items:
        turns = excerpt.item.voiced.turns
        total += len(excerpt.text)
        if turns and turns <= seen_turns:
            repeated += len(excerpt.text)
        seen_turns |= turns
    return repeated / total if total else None


def _verbatim(context: RetrievedContext, first_excerpts: Mapping[str, MemoryExcerpt]) -> float | None:
    """Look for the identifiers of every evidence turn that survives; undefined where it holds none."""
    codes = [
        (code, excerpt.text)
        for turn, excerpt in first_excerpts.items()
        for code in identifiers(context.turns[turn][1])
    ]
    return sum(holds(text, code) for code, text in codes) / len(codes) if codes else None
