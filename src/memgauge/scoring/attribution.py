"""Where a wrong answer was lost: the first stage that failed, from frozen data alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from memgauge.records import EvidencePolicy, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memgauge.runs.record.rows import Row
    from memgauge.runs.record.store import Run
    from memgauge.scoring.gold import GoldTable


class Stage(StrEnum):
    """What became of the evidence of one question, in the order in which it can be lost."""

    UNKNOWN = "no evidence is known"
    """Nobody says where the answer lies, so nothing can be attributed."""
    FAILED = "the system or the answerer failed"
    NOT_STORED = "never stored"
    NOT_RETRIEVED = "stored but not retrieved"
    CUT = "retrieved but cut by the budget"
    NOT_USED = "in context but not used"
    JUDGED_WRONG = "used but judged wrong"
    """The answer holds the accepted one by its words or its value, and a judge says otherwise."""
    RIGHT = "answered right"


@dataclass(frozen=True)
class LayerAttribution:
    """How the answers of one layer came about, question by question."""

    stages: Mapping[str, Stage]
    """By question."""

    @property
    def counts(self) -> Mapping[Stage, int]:
        """Count the questions that ended at each stage, in order."""
        by_stage = Counter(self.stages.values())
        return {stage: by_stage[stage] for stage in Stage}


def attribute(
    run: Run,
    rows: Sequence[Row],
    right: Mapping[str, bool],
    gold: GoldTable,
    policy: EvidencePolicy = EvidencePolicy.STRICT,
    used: Mapping[str, bool] | None = None,
) -> LayerAttribution:
    """Find the first stage that failed for every wrong answer.

    One evidence turn is enough at every stage: a question with several may have lost the others earlier.

    Args:
        run: What was stored and retrieved.
        rows: Of the answers.
        right: Whether each scored answer is right, by question; others are left out.
        gold: Where the evidence lies.
        policy: How evidence entries are read.
        used: Whether an answer holds the accepted one, where somebody else decided whether it is right.
    """
    anchors = {known.question: set(known.anchors(policy)) for known in gold.golds}
    homes = {question.id: question.conversation for question in gold.questions}
    # A simulation lists only what was found: what it could have found was all there.
    stored = None if run.manifest.system.ref.startswith("simulated:") else _stored(run)
    hits = run.hits_of([row["question"] for row in rows], run.manifest.limits.k)
    stages = {}
    for row in rows:
        question = row["question"]
        if question not in right:
            continue
        wanted = anchors[question]
        places = [n for n, hit in enumerate(hits[question]) if wanted.intersection(hit["sources"])]
        if right[question]:
            stages[question] = Stage.RIGHT
        elif used and used.get(question):
            stages[question] = Stage.JUDGED_WRONG
        elif not Outcome(row["outcome"]).valid:
            stages[question] = Stage.FAILED
        elif not wanted:
            stages[question] = Stage.UNKNOWN
        elif stored is not None and not wanted & stored.get(homes[question], set()):
            stages[question] = Stage.NOT_STORED
        elif not places:
            stages[question] = Stage.NOT_RETRIEVED
        else:
            stages[question] = Stage.NOT_USED if places[0] < row["shown"] else Stage.CUT
    return LayerAttribution(stages)


def failures(rows: Iterable[Row]) -> dict[str, bool]:
    """Count answers that failed as not right: most contracts leave them without a score, and lost they are."""
    return {row["question"]: False for row in rows if not Outcome(row["outcome"]).valid}


def _stored(run: Run) -> dict[str, set[str]]:
    """Return the turns that some memory of each conversation descends from."""
    stored: dict[str, set[str]] = {}
    for conversation, sources in zip(run.memories["conversation"], run.memories["sources"], strict=True):
        stored.setdefault(conversation, set()).update(sources)
    return stored
