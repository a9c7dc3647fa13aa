"""Questions worth reading: gold, and what every system returned for it."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from memgauge.registry import unknown_name
from memgauge.scoring.board import QuestionStory, ShownAnswer, ShownHit
from memgauge.scoring.targets import marked

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.measures import Measure
    from memgauge.records import Contract, Gold, Question
    from memgauge.scoring.align import JudgedRun
    from memgauge.scoring.gold import GoldTable

DEPTH = 10
"""Hits shown for each system."""


def telling(judged: Sequence[JudgedRun], gold: GoldTable, measure: Measure, limit: int) -> dict[str, str]:
    """Choose the most telling questions, most telling first, and say of each why.

    Half are those on which the systems disagree most, then come those that every system fails, then excluded ones.
    Equal questions are ordered by a hash of their id, so that no part of the dataset is favoured.
    """
    systems = [j for j in judged if j.run.manifest.system.capabilities.get("role") == "system"] or list(judged)
    columns = [j.rows(measure) for j in systems]
    values = np.stack([c.values for c in columns])
    defined = np.logical_and.reduce([c.defined for c in columns])
    spread, best = values.max(axis=0) - values.min(axis=0), values.max(axis=0)
    shuffled = sorted(
        range(len(gold.questions)), key=lambda i: hashlib.sha256(gold.questions[i].id.encode()).digest()
    )
    run = set(systems[0].run.questions["question"].tolist())
    asked = [i for i in shuffled if gold.questions[i].id in run]
    disputed = sorted((i for i in asked if defined[i] and spread[i] > 0), key=lambda i: -float(spread[i]))
    failed = [i for i in asked if defined[i] and best[i] == 0]
    excluded = [i for i in asked if not defined[i]]
    quotas = (
        (disputed, limit // 2, "systems disagree"),
        (failed, limit // 3, "every system fails"),
        (excluded, limit, "not scored"),
    )
    chosen: dict[str, str] = {}
    for pool, quota, why in quotas:
        for i in pool[: min(quota, limit - len(chosen))]:
            chosen[gold.questions[i].id] = why
    for i in disputed[limit // 2 :][: limit - len(chosen)]:
        chosen[gold.questions[i].id] = "systems disagree"
    return chosen


def stories(
    judged: Sequence[JudgedRun], gold: GoldTable, measure: Measure, chosen: Mapping[str, str]
) -> list[QuestionStory]:
    """Tell the chosen questions, in their order.

    Raises:
        UnknownNameError: A question that the dataset does not have.
    """
    for wanted in chosen:
        if wanted not in gold.number:
            raise unknown_name("question", wanted, gold.number)
    texts = _turn_texts(gold, {gold.questions[gold.number[q]].conversation for q in chosen})
    shown = [_shown(j, gold, measure, list(chosen)) for j in judged]
    chosen_stories = []
    for number, (question_id, why) in enumerate(chosen.items()):
        place = gold.number[question_id]
        question, answer = gold.questions[place], gold.golds[place]
        chosen_stories.append(
            _story(question, answer, judged[0].contract, texts, tuple(s[number] for s in shown), why)
        )
    return chosen_stories


def _story(
    question: Question,
    gold: Gold,
    contract: Contract,
    texts: Mapping[tuple[str, str], str],
    systems: tuple[ShownAnswer, ...],
    why: str,
) -> QuestionStory:
    anchors = gold.anchors(contract.evidence)
    dangling = tuple(e.raw for e in gold.evidence if not set(e.turns) & set(anchors))
    return QuestionStory(
        question=question.id,
        conversation=question.conversation,
        category=question.category,
        text=question.text,
        answers=gold.answers or (("(the conversation does not say)",) if gold.abstain else ()),
        evidence=(
            *((turn, texts.get((question.conversation, turn), "")) for turn in anchors),
            *((raw, "") for raw in dangling),
        ),
        erratum=f"{gold.erratum.kind}: {gold.erratum.note}" if gold.erratum else "",
        excluded=gold.why_no_anchors(contract.evidence) or "",
        systems=systems,
        why=why,
    )


def _shown(judged: JudgedRun, gold: GoldTable, measure: Measure, chosen: Sequence[str]) -> list[ShownAnswer]:
    run, rows = judged.run, judged.rows(measure)
    hits, wanted = run.hits_of(chosen, DEPTH), marked(run, judged.contract.target)
    asked = {q: i for i, q in enumerate(run.questions["question"].tolist())}
    answers = []
    for question in chosen:
        place, row = gold.number[question], asked.get(question)
        anchors = set(gold.golds[place].anchors(judged.contract.evidence))
        answers.append(
            ShownAnswer(
                label=run.label,
                outcome=str(run.questions["outcome"][row]) if row is not None else "not run",
                reason=str(run.questions["reason"][row] or "") if row is not None else "",
                value=float(rows.values[place]) if rows.defined[place] else None,
                hits=tuple(_hit(hit, anchors, bool(wanted[hit["memory_row"]])) for hit in hits[question]),
            )
        )
    return answers


def _hit(hit: Mapping[str, Any], anchors: set[str], wanted: bool) -> ShownHit:
    return ShownHit(
        rank=hit["rank"],
        memory=hit["memory"],
        text=hit["text"] if hit["text"] is not None else "(text not in this bundle)",
        score=hit["score"],
        sources=tuple(hit["sources"]),
        lineage=hit["lineage"],
        credited=wanted and bool(anchors & set(hit["sources"])),
    )


def _turn_texts(gold: GoldTable, conversations: set[str]) -> dict[tuple[str, str], str]:
    return {
        (name, turn.id): f"{turn.speaker}: {turn.text}"
        for name, spoken in gold.conversations.said(conversations)
        for turn in spoken.turns.values()
    }
