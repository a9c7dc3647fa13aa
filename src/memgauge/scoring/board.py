"""What scoring hands to a report: scores with intervals and denominators, boards, stories. Values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from memgauge.datasets.base import DatasetIdentity
from memgauge.records import Contract, Denominator
from memgauge.results import result
from memgauge.runs.record.pricing import PricedCost
from memgauge.scoring.fronts import FrontStanding


@result
@dataclass(frozen=True, slots=True)
class Score:
    """One number that can be defended."""

    measure: str
    value: float | None
    """``None`` is undefined; *reason* says why."""
    low: float | None
    high: float | None
    """95 % interval over the conversations of the run: t on CR2 errors. ``None`` where *reason* says why."""
    question_low: float | None
    question_high: float | None
    """95 % percentile bootstrap over questions: holds only where the questions are independent."""
    denominator: Denominator
    reason: str = ""
    """Why there is no value, or no interval."""
    se: float | None = None
    """Standard error over conversations (CR2)."""
    df: float | None = None
    """Its degrees of freedom (Satterthwaite)."""
    clusters: int = 0
    """Conversations with a scored question."""


@result
@dataclass(frozen=True)
class Latency:
    """Milliseconds per call as measured by the harness; ``None`` where it had no clock, as in imported runs."""

    search_p50: float | None
    search_p95: float | None
    write_p50: float | None
    write_p95: float | None


@result
@dataclass(frozen=True)
class EntryCost:
    """What a run cost as far as somebody saw it; ``None`` where nobody did, which is not 0."""

    amounts: Mapping[str, float | None]
    """Of all phases: ``wall_s``, ``cpu_s``, ``model_calls``, ``tokens_in``, ``tokens_out``, ``embedding_tokens``,
    ``bytes_stored``."""
    sources: Mapping[str, str]
    """Of each, who says so: ``counted``, ``reported`` or ``unavailable``."""
    money: PricedCost
    whole: bool
    """Whether nothing was spent that nobody saw: in a sitting that broke off, in a process that died."""


@result
@dataclass(frozen=True)
class Entry:
    """One system on one dataset."""

    label: str
    system: str
    version: str
    role: str
    """``system``, ``floor`` or ``ceiling``."""
    run: str
    """Path of the run folder."""
    scores: Mapping[str, Score]
    """By measure text; the first measure of the board ranks."""
    rank: int | None
    """Place among the ranked systems by the first measure; ``None`` where it has none."""
    rank_low: int | None
    rank_high: int | None
    """95 % confidence set of the rank, simultaneous over all ranked systems (Mogstad et al. 2024).

    Where lists of a system end at k, it may have any better rank; ``None`` with one conversation.
    """
    marks: tuple[str, ...]
    """Why it is unranked, and what else must be known before its scores are believed; sentences."""
    outcomes: Mapping[str, int]
    """Questions by outcome."""
    coverage: float | None
    """Mean share of the conversation's distinct turns that the returned memories bear, at the run's k."""
    context_tokens: float | None
    latency: Latency
    by_category: Mapping[str, Score] = field(default_factory=dict)
    """The board's first measure by question category."""
    by_k: Mapping[int, Score] = field(default_factory=dict)
    """Recall at several k."""
    by_budget: Mapping[int, Score] = field(default_factory=dict)
    """Recall within several budgets of tokens, without those that its lists are short of."""
    short_of: Mapping[int, int] = field(default_factory=dict)
    """The budgets that its lists leave too empty because they end at k, each with a k that would do."""
    own_floor: Mapping[int, Score] = field(default_factory=dict)
    """The same for its own memories in random order: what its grain is worth without its search."""
    no_lead: str = ""
    """Why it is never said to lead: it does not rise above its own floor, or chooses nothing."""
    claimed: Score | None = None
    """The first measure where every claim of a source is believed."""
    isolation: str = ""
    """What the process that played it could reach; empty where that was not recorded."""
    cost: EntryCost | None = None
    """``None`` where the run does not record it."""
    notes: tuple[str, ...] = ()
    """What a reader must know: branding, interventions, contract breaches."""
    card: tuple[str, ...] = ()
    """Whether memory is transformed, the retrieval unit, the mapping to evidence, the credit; as far as known."""


@result
@dataclass(frozen=True)
class Exclusion:
    """Why some questions of the dataset have no score."""

    reason: str
    questions: tuple[str, ...]


class CostAxis(StrEnum):
    """What a question takes."""

    TOKENS = "tokens handed over"
    LATENCY = "ms a search (mean)"
    MONEY = "USD a question"


@result
@dataclass(frozen=True)
class CostPlace:
    """One system on one front."""

    label: str
    cost: float | None
    """Mean over questions; ``None`` where it is not known, which is not 0."""
    cost_low: float | None = None
    cost_high: float | None = None
    """95 % interval over conversations."""
    standing: FrontStanding | None = None
    beside: str = ""
    """Who finds the most among those that cost no more, where somebody finds more, or may below k."""
    difference: float | None = None
    """How much better that one is, paired by question."""
    low: float | None = None
    high: float | None = None
    why: str = ""
    """Why it has no place."""


@result
@dataclass(frozen=True)
class CostFront:
    """Who finds more for what a question takes of one thing."""

    axis: CostAxis
    measure: str
    places: tuple[CostPlace, ...]
    """Of all systems, in the order of the board."""


@result
@dataclass(frozen=True)
class Board:
    """A leaderboard: everything about one dataset under one contract."""

    dataset: DatasetIdentity
    contract: Contract
    measures: tuple[str, ...]
    k: int
    conversations: int
    questions: int
    entries: tuple[Entry, ...]
    """Systems first, best first, then ceilings and floors."""
    exclusions: tuple[Exclusion, ...] = ()
    minimum_detectable: float | None = None
    """The smallest paired difference of the first measure found with 80 % power at 5 %.

    Of the two best whose lists do not end at k before a budget of that measure is full.
    """
    notes: tuple[str, ...] = ()
    fronts: tuple[CostFront, ...] = ()
    """Who finds more for what a question takes: of tokens, of time, of money."""
    nothing: str = ""
    """Why nothing can be found under its target, where that is so; nobody is ranked then."""


@dataclass(frozen=True)
class ShownHit:
    """One returned memory in a question story."""

    rank: int
    memory: str
    text: str
    score: float | None
    sources: tuple[str, ...]
    lineage: str
    credited: bool


@dataclass(frozen=True)
class ShownAnswer:
    """What one system returned for the question of a story."""

    label: str
    outcome: str
    reason: str
    value: float | None
    """Of the board's first measure."""
    hits: tuple[ShownHit, ...]


@dataclass(frozen=True)
class QuestionStory:
    """One question with its gold and what every system returned."""

    question: str
    conversation: str
    category: str
    text: str
    answers: tuple[str, ...]
    evidence: tuple[tuple[str, str], ...]
    """Turn id and text of each evidence turn (empty text where it does not exist)."""
    erratum: str
    excluded: str
    """Why it is not scored, or empty."""
    systems: tuple[ShownAnswer, ...]
    why: str = ""
    """Why this question was chosen for the report."""
