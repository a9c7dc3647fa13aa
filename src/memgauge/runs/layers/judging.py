"""Judge the answers of a layer, and keep every vote as a layer on top of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from memgauge.llm.judges.items import claim
from memgauge.llm.judges.panel import prompts_of
from memgauge.llm.judges.rubrics import Grade
from memgauge.measures.answers.consistency import claims
from memgauge.records import Outcome
from memgauge.runs.layers.answering import Context, gather
from memgauge.runs.layers.layer import LayerManifest, made_side_by_side, write_layer
from memgauge.runs.layers.tasks import grade_of_silence, task_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from memgauge.datasets.base import Dataset
    from memgauge.llm.judges.items import JudgeItem
    from memgauge.llm.judges.panel import Panel
    from memgauge.runs.layers.layer import Layer
    from memgauge.runs.record.rows import Row
    from memgauge.runs.record.store import Run

RULES = ("official", "neutral", "consistency")
"""What answers are judged by: their benchmark's own way, one way for all, or the memories that were shown."""


@dataclass(frozen=True)
class JudgingTask:
    """One thing to be judged, and what it belongs to."""

    key: str
    question: str
    item: JudgeItem
    silent: str = ""
    """The grade of an empty answer, about which no model is asked."""


def judge_layer(
    run: Run,
    answers: Layer,
    dataset: Dataset,
    panel: Panel,
    *,
    rules: str = "official",
    workers: int = 1,
    seed: int = 0,
    environment: Callable[[], Mapping[str, Any]] = dict,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Layer:
    """Let a panel judge every answer that can be judged, in a shuffled order, blind to the system.

    An answer that failed, or a question without anything to judge it by, is not judged. No model is asked about an
    empty answer: it is right where the question must not be answered, and wrong elsewhere.

    Raises:
        BudgetError: The next call could exceed what was allowed; the same command goes on from there.
    """
    asked = {task.key: task for task in items_of(run, answers, dataset, rules)}
    manifest = LayerManifest(
        kind="verdicts",
        base=answers.hash,
        label=panel.name,
        maker={
            "panel": dict(panel.details),
            "prompts": prompts_of(task.item.rubric for task in asked.values()),
            "rules": rules,
            "answers": answers.manifest.label,
            "seed": seed,
        },
    )
    keys = list(asked)
    order = [keys[n] for n in np.random.default_rng(seed).permutation(len(keys))]

    make = made_side_by_side(asked, lambda task: _row(task, panel), workers=workers, on_progress=on_progress)
    return write_layer(run, manifest, order, make, environment, is_unvoted)


def items_of(run: Run, answers: Layer, dataset: Dataset, rules: str = "official") -> Iterator[JudgingTask]:
    """Yield everything that would be judged, in the order of the answers."""
    if rules == "consistency":
        yield from _claims(run, answers, dataset)
        return
    questions = {question.id: question for case in dataset.cases() for question in case.questions}
    golds = {gold.question: gold for gold in dataset.gold()}
    task = task_of(dataset.identity.name, rules)
    for row in answers.rows():
        if not Outcome(row["outcome"]).valid:
            continue
        key, text = row["question"], row["text"]
        gold = golds[key]
        items = task(questions[key], gold, text)
        for n, item in enumerate(items):
            silent = "" if text else grade_of_silence(item, abstain=gold.abstain)
            yield JudgingTask(f"{key}#{n}" if len(items) > 1 else key, key, item, silent)


def _claims(run: Run, answers: Layer, dataset: Dataset) -> Iterator[JudgingTask]:
    """Yield every claim of every answer beside what its answerer was shown."""
    context = answers.manifest.maker["context"]
    if context not in set(Context):
        return  # a system that answers by itself does not say from what
    shown = {attempt.question.id: attempt.context for attempt in gather(run, dataset, Context(context))}
    for row in answers.rows():
        if Outcome(row["outcome"]).valid and row["text"]:
            key = row["question"]
            for n, stated in enumerate(claims(row["text"])):
                yield JudgingTask(f"{key}#{n}", key, claim(stated, shown[key][: row["shown"]]))


def _row(asked: JudgingTask, panel: Panel) -> Row:
    row: Row = {"key": asked.key, "question": asked.question, "rubric": asked.item.rubric.name}
    if asked.silent:
        return row | {"grade": asked.silent, "votes": [], "injections": [], "rule": "an empty answer abstains"}
    return row | voted(panel, asked.item) | {"rule": ""}


def voted(panel: Panel, item: JudgeItem) -> Row:
    """Let a panel judge, and write down what it decided and how."""
    judgment = panel.judge(item)
    return {
        "grade": str(judgment.grade),
        "votes": [asdict(vote) for vote in judgment.votes],
        "injections": list(judgment.injections),
    }


def is_unvoted(row: Row) -> bool:
    """Whether a judge was asked and nothing came: no reply that cannot be read, but none."""
    return any(vote["grade"] == Grade.INVALID and not vote["raw"] for vote in row["votes"])


def any_unvoted(verdicts: Iterable[Layer]) -> bool:
    """Whether any row of any layer is one of a judge that did not reply."""
    return any(is_unvoted(row) for layer in verdicts for row in layer.rows())
