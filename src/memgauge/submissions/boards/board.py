"""What a board holds, as values and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from memgauge.results import ResultKind, result
from memgauge.scoring.ended import ShortLists
from memgauge.scoring.fronts import FrontPlace


@result
@dataclass(frozen=True)
class RowHead:
    """Whose row it is, and who looked at it."""

    submission: str
    product: str
    title: str
    """Of the product."""
    label: str
    """What the row is called: the product with the options that differ from its defaults."""
    version: str
    day: str
    division: str
    lane: str
    category: str
    """With ``preview`` where it cannot be had yet."""
    baseline: bool
    own: bool
    """Whether memgauge's authors make it; such a row is the last of its tie group."""
    submitter: str
    relation: str
    level: int
    level_name: str
    caution: str
    """What must be said where its numbers are quoted."""
    grey: bool
    footnotes: tuple[str, ...]
    """Objections, and how levels came about."""


@result
@dataclass(frozen=True)
class BesideBaseline:
    """How much more a row finds than the baseline, paired by question."""

    difference: float
    low: float | None
    high: float | None
    verdict: str


@result
@dataclass(frozen=True)
class QualityRow:
    """One row of a board of quality."""

    head: RowHead
    role: str
    """``system``, ``floor`` or ``ceiling``."""
    group: int | None
    """Tie group: nobody in it is shown to be worse than its best; ``None`` where it is not ranked."""
    rank_low: int | None
    rank_high: int | None
    value: float | None
    low: float | None
    high: float | None
    scored: int
    reason: str
    """Why there is no value."""
    seeds: int
    spread: tuple[float, float] | None
    """The lowest and the highest of several runs."""
    cost: float | None
    """What the board holds against quality."""
    tokens: float | None
    p50: float | None
    p95: float | None
    writing_s: float | None
    unanswered: int
    asked: int
    lost: int
    front: FrontPlace | None
    beside: BesideBaseline | None
    barred: tuple[str, ...]
    """Why it is not ranked."""
    marks: tuple[str, ...]
    unscored: int | None = None
    """Answers on which judges decided nothing; each counts 0. Only on boards of answers."""
    answerer: str = ""
    """Who answered from what the memory returned, on boards of answers."""
    short: ShortLists | None = None
    """How its lists end at k before the budget of the board's measure is full, where they do."""


@result
@dataclass(frozen=True)
class CheckedRow:
    """One row of a board of checks: what was looked at, what was wrong, and by which names."""

    head: RowHead
    states: Mapping[str, str]
    """By check: ``kept``, ``broken``, ``not offered``, ``not looked at``."""
    said: Mapping[str, str]
    """By check, what was seen."""
    failed: Mapping[str, int]
    """Golden scenarios that show an anomaly, by family."""
    named: Mapping[str, tuple[str, ...]]
    """By family, the anomalies."""
    verdicts: Mapping[str, int]
    played: int
    of: int


@result
@dataclass(frozen=True)
class ResultsBoard:
    """A board: rows of one dataset, contract, division and lane, and nothing mixed."""

    name: str
    title: str
    kind: str
    contract: str
    dataset: str
    division: str
    lane: str
    superseded_by: str
    means: str
    """What numbers of its lane show, and what they do not."""
    plumbing: bool
    """Whether its lane is of stand-ins: nobody is ranked, and nothing is called quality."""
    judge: str = ""
    """Of answers: whose grades are counted."""
    answerer: str = ""
    """Of answers: who answered for everybody; empty where each brings their own."""
    measure: str = ""
    against: str = ""
    """What is held against the measure."""
    conversations: int = 0
    questions: int = 0
    detectable: float | None = None
    """The smallest difference of the two best that is found with a chance of 80 %.

    Of those whose lists do not end at k before the budget is full.
    """
    baseline: str = ""
    """The submission that others stand beside."""
    rows: tuple[QualityRow, ...] = ()
    checked: tuple[CheckedRow, ...] = ()
    beyond: tuple[str, ...] = ()
    """Submissions of a product beyond its eighth setting."""
    banners: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Who stands here and fails at isolation or erasure, by what they fail at."""
    guests: bool = False
    """Whether nobody stands here but baselines that stand on every board."""
    notes: tuple[str, ...] = ()


RESULTS_BOARD: ResultKind[ResultsBoard] = ResultKind(
    "results board", 1, ResultsBoard, "memgauge results board REGISTRY --out SITE"
)
