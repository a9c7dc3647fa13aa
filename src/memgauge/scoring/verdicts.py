"""From verdicts to values: what each way of judging makes of an answer, question by question."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np

from memgauge.llm.judges.rubrics import CLAIM, DECLINING, FACT, OPEN, OUTCOME, POINT, Grade
from memgauge.measures import Rows
from memgauge.measures.answers.beam import event_order, rubric_score_as_published
from memgauge.records import Denominator, Outcome
from memgauge.runs.layers.answering import missed
from memgauge.scoring.cutoffs import CUT_ANSWER, is_cut
from memgauge.scoring.score import MeasureColumn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memgauge.records import Gold
    from memgauge.runs.record.rows import Row
    from memgauge.scoring.gold import GoldTable

    Value = float | str
    """A value, or why there is none."""
    Compute = Callable[[Sequence[Row], Gold], Value]

PLACE = "place"
WORTH: Mapping[str, Mapping[str, float]] = {
    FACT.name: {"correct": 1.0, "incorrect": 0.0},
    DECLINING.name: {"correct": 1.0, "incorrect": 0.0},
    OUTCOME.name: {"correct": 1.0, "hallucination": 0.0, "omission": 0.0},
    POINT.name: {"full": 1.0, "partly": 0.5, "missing": 0.0},
}
"""What a grade is worth, by rubric; an order and claims are scored otherwise."""


def verdict_columns(
    answers: Sequence[Row], verdicts: Sequence[Row], gold: GoldTable, *, own: bool = False
) -> list[MeasureColumn]:
    """Value every answer by what was decided about it; say of every other answer why it was not.

    Where the memory failed there is nothing to judge, and the answer is wrong. Where the model failed that was to
    answer from it, no memory is to blame, and the answer is left out. *own*: the memory answered by itself.
    """
    by_question: defaultdict[str, list[Row]] = defaultdict(list)
    for row in verdicts:
        by_question[row["question"]].append(row)
    used = {row["rubric"] for row in verdicts}
    wanted = [name for name, (rubrics, _) in COLUMNS.items() if used & rubrics] or ["Judged"]
    return [_column(name, answers, by_question, gold, own=own) for name in wanted]


def _column(
    name: str, answers: Sequence[Row], verdicts: Mapping[str, list[Row]], gold: GoldTable, *, own: bool
) -> MeasureColumn:
    rubrics, compute = COLUMNS[name]
    values, defined = np.zeros(len(gold.questions)), np.zeros(len(gold.questions), dtype=np.bool_)
    excluded: Counter[str] = Counter()
    for row in answers:
        place = gold.number[row["question"]]
        if compute is _worth and missed(row, own=own) and _is_judged(gold.golds[place]):
            value: Value = 0.0
        else:
            value = _value(row, verdicts.get(row["question"], []), rubrics, gold.golds[place], compute)
        if isinstance(value, str):
            excluded[value] += 1
        else:
            values[place], defined[place] = value, True
    scored = int(defined.sum())
    total = scored + sum(excluded.values())
    return MeasureColumn(name, Rows(values, defined), Denominator(total, scored, dict(sorted(excluded.items()))))


def _is_judged(gold: Gold) -> bool:
    """Whether an answer could have been judged."""
    return bool(gold.answers or gold.abstain or gold.points)


def _value(answer: Row, rows: Sequence[Row], rubrics: frozenset[str], gold: Gold, compute: Compute) -> Value:
    if not Outcome(answer["outcome"]).valid:
        return CUT_ANSWER if is_cut(answer) else str(answer["outcome"])
    if not rows:
        return "nothing to judge it by"
    if rows[0]["rubric"] not in rubrics:
        return "judged otherwise"
    undecided = [row["grade"] for row in rows if row["grade"] in OPEN]
    if Grade.CUT in undecided:
        return "verdict cut off"
    return f"verdict {undecided[0]}" if undecided else compute(rows, gold)


def _worth(rows: Sequence[Row], _: Gold) -> Value:
    """Return the mean worth of an answer's grades."""
    return float(np.mean([WORTH[row["rubric"]][row["grade"]] for row in rows]))


def _as_published(rows: Sequence[Row], _: Gold) -> Value:
    return rubric_score_as_published([WORTH[POINT.name][row["grade"]] for row in rows])


def _share(grade: str) -> Compute:
    return lambda rows, _: sum(row["grade"] == grade for row in rows) / len(rows)


def _order(rows: Sequence[Row], gold: Gold) -> Value:
    """Return tau-b of the order in which an answer names the events."""
    ordered = sorted(rows, key=lambda row: int(row["key"].rpartition("#")[2]) if "#" in row["key"] else 0)
    events = [str(n) for n in range(1, len(gold.points) + 1)]
    found = event_order([row["grade"] for row in ordered], events)
    return found.reason if found.value is None else found.value


_OUTCOME, _POINT, _CLAIM = (frozenset({rubric.name}) for rubric in (OUTCOME, POINT, CLAIM))
COLUMNS: Mapping[str, tuple[frozenset[str], Compute]] = {
    "Judged": (frozenset(WORTH), _worth),
    "Judged_as_published": (_POINT, _as_published),
    "EventOrder": (frozenset({PLACE}), _order),
    "Hallucination": (_OUTCOME, _share("hallucination")),
    "Omission": (_OUTCOME, _share("omission")),
    "Supported": (_CLAIM, _share("supported")),
    "Contradicted": (_CLAIM, _share("contradicted")),
    "Unsupported": (_CLAIM, _share("unsupported")),
}
"""Every score of verdicts: the rubrics that it reads, and its formula over the rows of one question."""
