"""Judge the answers of a layer, and keep every vote as a layer on top of it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from memgauge.llm.judges.panel import Item
from memgauge.measures.answers.longmemeval import TOLERANCES
from memgauge.records import Outcome
from memgauge.runs.layers import LayerManifest, write_layer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from memgauge.datasets.base import Dataset
    from memgauge.llm.judges.panel import Panel
    from memgauge.runs.layers import Layer
    from memgauge.runs.rows import Row
    from memgauge.runs.store import Run


DESCRIBED = "The accepted answer describes a good reply instead of stating a fact: CORRECT is what fits it."


def judge_layer(
    run: Run,
    answers: Layer,
    dataset: Dataset,
    panel: Panel,
    *,
    workers: int = 1,
    seed: int = 0,
    environment: Callable[[], Mapping[str, Any]] = dict,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Layer:
    """Let a panel judge every answer that can be judged, in a shuffled order, blind to the system.

    An answer that failed, or a question without an accepted one, is not judged. No model is asked about an empty
    answer: it is right where the question must not be answered, and wrong elsewhere.

    Raises:
        BudgetError: The next call could exceed what was allowed; the same command goes on from there.
    """
    items = dict(_items(answers, dataset))
    manifest = LayerManifest(
        kind="verdicts",
        base=answers.hash,
        label=panel.name,
        maker={"panel": dict(panel.details), "answers": answers.manifest.label, "seed": seed},
    )
    keys = list(items)
    order = [keys[n] for n in np.random.default_rng(seed).permutation(len(keys))]

    def make(wanted: list[str]) -> Iterator[Row]:
        done = len(order) - len(wanted)
        with ThreadPoolExecutor(max_workers=workers) as pool:
            try:
                for row in pool.map(lambda key: _row(key, items[key], panel), wanted):
                    done += 1
                    yield row
                    on_progress(done, len(order))
            finally:
                pool.shutdown(cancel_futures=True)

    return write_layer(run, manifest, order, make, environment)


def _items(answers: Layer, dataset: Dataset) -> Iterator[tuple[str, Item]]:
    questions = {question.id: question for case in dataset.cases() for question in case.questions}
    rules = TOLERANCES if dataset.identity.name == "longmemeval" else {}
    golds = {gold.question: gold for gold in dataset.gold()}
    for row in answers.rows():
        gold = golds[row["question"]]
        if Outcome(row["outcome"]).valid and (gold.answers or gold.abstain):
            accepted = " / ".join(gold.answers)
            question = questions[row["question"]]
            rule = rules.get(question.category, DESCRIBED if gold.rubric else "")
            yield question.id, Item(question.text, accepted, row["text"], gold.abstain, rule)


def _row(question: str, item: Item, panel: Panel) -> Row:
    row: Row = {"key": question, "question": question}
    if not item.answer:
        grade = "correct" if item.abstain else "incorrect"
        return row | {"grade": grade, "votes": [], "injections": [], "rule": "an empty answer abstains"}
    judgment = panel.judge(item)
    return row | {
        "grade": str(judgment.grade),
        "votes": [asdict(vote) for vote in judgment.votes],
        "injections": list(judgment.injections),
        "rule": "",
    }
