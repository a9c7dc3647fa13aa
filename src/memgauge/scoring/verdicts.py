"""From verdicts to values: what each way of judging makes of an answer, question by question."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final, cast

from memgauge.llm.judges.rubrics import OPEN, Grade
from memgauge.measures import parse
from memgauge.measures.answers.verdicts import WORTH, worth
from memgauge.records import Outcome
from memgauge.runs.layers.answering import missed
from memgauge.scoring.cutoffs import CUT_ANSWER, is_cut
from memgauge.scoring.score import MeasureColumn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.measures.answers.verdicts import Value, VerdictFormula
    from memgauge.records import Gold
    from memgauge.runs.record.rows import Row
    from memgauge.scoring.gold import GoldTable

NAMES: Final = (
    "Judged",
    "Judged_as_published",
    "EventOrder",
    "Hallucination",
    "Omission",
    "Supported",
    "Contradicted",
    "Unsupported",
)
"""The measures of verdicts in the order in which they are shown; the first that applies ranks."""


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
    formulas = {name: cast("VerdictFormula", parse(name).formula) for name in NAMES}
    wanted = [name for name, formula in formulas.items() if used & formula.rubrics] or ["Judged"]
    return [_column(name, formulas[name], answers, by_question, gold, own=own) for name in wanted]


def _column(
    name: str,
    formula: VerdictFormula,
    answers: Sequence[Row],
    verdicts: Mapping[str, list[Row]],
    gold: GoldTable,
    *,
    own: bool,
) -> MeasureColumn:
    cells: dict[str, Value] = {}
    for row in answers:
        accepted = gold.golds[gold.number[row["question"]]]
        if formula.compute is worth and missed(row, own=own) and _is_judged(accepted):
            cells[row["question"]] = 0.0
        else:
            cells[row["question"]] = _value(row, verdicts.get(row["question"], []), formula, accepted)
    return MeasureColumn.of(name, gold, cells)


def earned(row: Row) -> Row:
    """Return a verdict as it counts: what tries to judge itself, and leaves its judges without a say, earns least.

    Judges that gave no reply at all decide nothing, whatever was tried.
    """
    grades = WORTH.get(row["rubric"])
    silenced = row["grade"] in OPEN and row.get("injections") and any(vote["raw"] for vote in row["votes"])
    return row | {"grade": min(grades, key=lambda grade: grades[grade])} if silenced and grades else row


def _is_judged(gold: Gold) -> bool:
    """Whether an answer could have been judged."""
    return bool(gold.answers or gold.abstain or gold.points)


def _value(answer: Row, rows: Sequence[Row], formula: VerdictFormula, gold: Gold) -> Value:
    if not Outcome(answer["outcome"]).valid:
        return CUT_ANSWER if is_cut(answer) else str(answer["outcome"])
    if not rows:
        return "nothing to judge it by"
    if rows[0]["rubric"] not in formula.rubrics:
        return "judged otherwise"
    rows = [earned(row) for row in rows]
    undecided = [row["grade"] for row in rows if row["grade"] in OPEN]
    if Grade.CUT in undecided:
        return "verdict cut off"
    if undecided:
        return f"verdict {undecided[0]}"
    value: Value = formula.compute(rows, gold)
    return value
