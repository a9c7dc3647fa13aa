"""Questions that a memory failed, the most telling first, each with where its evidence was lost in the record."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from memgauge.records import Outcome

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from memgauge.measures import Measure
    from memgauge.scoring.align import JudgedRun
    from memgauge.scoring.gold import GoldTable


class FailureCause(StrEnum):
    """Where the evidence of a failed question was lost, in the order in which it can be."""

    SEARCH_FAILED = "the search failed"
    NOT_STORED = "never stored"
    ALTERED = "returned, but its words no longer say it"
    BEYOND = "found too far down"
    NOT_RETURNED = "stored, but not returned"


@dataclass(frozen=True)
class RetrievalFailure:
    """One question that one system failed, and why."""

    system: str
    question: str
    category: str
    text: str
    answers: tuple[str, ...]
    cause: FailureCause
    detail: str
    """The rank of the evidence, or what a search said when it failed."""
    best: str
    """The system that did best here; empty where nobody found anything."""
    value: float
    """What that system reached."""


@dataclass(frozen=True)
class FailureList:
    """What systems failed on one dataset."""

    dataset: str
    measure: str
    scored: Mapping[str, int]
    """Questions that count, by system."""
    causes: Mapping[str, Mapping[str, int]]
    """Failed questions by system and cause."""
    shown: tuple[RetrievalFailure, ...]
    """The most telling ones."""


def failures(
    judged: Sequence[JudgedRun],
    gold: GoldTable,
    measure: Measure,
    *,
    limit: int,
    systems: Collection[str] = (),
) -> FailureList:
    """List the questions for which a system returned nothing that counts.

    Those that another system answers best come first; equal ones are ordered by a hash of their id.

    Args:
        judged: Runs on one dataset under one contract.
        gold: Of the dataset.
        measure: What must not be 0.
        limit: How many failures are told.
        systems: Labels of the systems that are looked at; every system that is no floor or ceiling by default.
    """
    looked_at = [each for each in judged if _looked_at(each, systems)]
    columns = {each.run.label: each.rows(measure) for each in judged if _competes(each)}
    listed, causes, scored = [], {}, {}
    for each in looked_at:
        rows = each.rows(measure)
        asked = set(each.run.questions["question"].tolist())
        failed = [
            place
            for place in range(len(gold.questions))
            if rows.defined[place] and rows.values[place] == 0 and gold.questions[place].id in asked
        ]
        explained = _causes(each, gold, failed)
        causes[each.run.label] = dict(Counter(str(cause) for cause, _ in explained.values()).most_common())
        scored[each.run.label] = int(rows.defined.sum())
        for place, (cause, detail) in explained.items():
            others = {label: float(c.values[place]) for label, c in columns.items() if label != each.run.label}
            best = max(others, key=others.__getitem__, default="")
            listed.append(_failure(each.run.label, gold, place, cause, detail, best, others.get(best, 0.0)))
    listed.sort(key=lambda failure: (-failure.value, _shuffled(failure.question), failure.system))
    dataset = judged[0].run.manifest.dataset.ref if judged else ""
    return FailureList(dataset, str(measure), scored, causes, tuple(listed[:limit]))


def _competes(judged: JudgedRun) -> bool:
    return judged.run.manifest.system.capabilities.get("role") == "system"


def _looked_at(judged: JudgedRun, systems: Collection[str]) -> bool:
    return judged.run.label in systems if systems else _competes(judged)


def _shuffled(question: str) -> bytes:
    return hashlib.sha256(question.encode()).digest()


def _failure(
    system: str, gold: GoldTable, place: int, cause: FailureCause, detail: str, best: str, value: float
) -> RetrievalFailure:
    question = gold.questions[place]
    return RetrievalFailure(
        system=system,
        question=question.id,
        category=question.category,
        text=question.text,
        answers=gold.golds[place].answers,
        cause=cause,
        detail=detail,
        best=best if value else "",
        value=value,
    )


def _causes(judged: JudgedRun, gold: GoldTable, places: Sequence[int]) -> dict[int, tuple[FailureCause, str]]:
    """Say of every failed question where its evidence was lost."""
    run, policy = judged.run, judged.contract.evidence
    hits = run.hits_of([gold.questions[place].id for place in places], run.manifest.limits.k)
    ended = dict(zip(run.questions["question"].tolist(), run.questions["outcome"].tolist(), strict=True))
    reasons = dict(zip(run.questions["question"].tolist(), run.questions["reason"].tolist(), strict=True))
    stored, borne = _stored(judged), _borne(judged, gold)
    explained = {}
    for place in places:
        question = gold.questions[place]
        wanted = {(question.conversation, turn) for turn in gold.golds[place].anchors(policy)}
        if not Outcome(ended[question.id]).valid:
            explained[place] = FailureCause.SEARCH_FAILED, str(reasons[question.id] or ended[question.id])
        elif not wanted & stored:
            explained[place] = FailureCause.NOT_STORED, ""
        else:
            explained[place] = _lost(hits[question.id], wanted, borne, question.conversation)
    return explained


def _lost(
    hits: Sequence[Mapping[str, Any]],
    wanted: Collection[tuple[str, str]],
    borne: Mapping[int, set[tuple[str, str]]],
    conversation: str,
) -> tuple[FailureCause, str]:
    """Say what became of evidence that is stored."""
    bearing = [hit["rank"] for hit in hits if borne.get(hit["memory_row"], set()).intersection(wanted)]
    if bearing:
        return FailureCause.BEYOND, f"rank {min(bearing)}"
    claiming = [hit["rank"] for hit in hits if {(conversation, turn) for turn in hit["sources"]} & set(wanted)]
    if claiming:
        return FailureCause.ALTERED, f"rank {min(claiming)}"
    return FailureCause.NOT_RETURNED, f"not among {len(hits):,}"


def _stored(judged: JudgedRun) -> set[tuple[str, str]]:
    """Return every turn that some memory says it descends from, with its conversation."""
    sources = judged.run.sources
    return set(zip(sources["conversation"].tolist(), sources["turn"].tolist(), strict=True))


def _borne(judged: JudgedRun, gold: GoldTable) -> dict[int, set[tuple[str, str]]]:
    """Return the evidence turns that each memory bears out, by its row."""
    names, lineage = list(gold.turn_number), judged.borne
    bearing: dict[int, set[tuple[str, str]]] = {}
    for memory in range(len(lineage.indptr) - 1):
        for entry in range(int(lineage.indptr[memory]), int(lineage.indptr[memory + 1])):
            if lineage.share is None or lineage.share[entry] > 0:
                bearing.setdefault(memory, set()).add(names[int(lineage.turns[entry])])
    return bearing
