"""What was answered to one question, what judges said of it word for word, and where it was lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memgauge.datasets.base import DatasetIdentity
from memgauge.llm.judges.panel import JudgeVote
from memgauge.llm.judges.rubrics import OPEN
from memgauge.measures.answers.verdicts import WORTH
from memgauge.records import Contract
from memgauge.scoring.answered import DEFAULT, answer_column
from memgauge.scoring.attribution import attribute
from memgauge.scoring.gold import GoldTable
from memgauge.show.numbers import number
from memgauge.web.layering import layers_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.records import EvidencePolicy, Gold, Question
    from memgauge.runs.record.rows import Row
    from memgauge.runs.record.store import Run
    from memgauge.web.layering import Indexed
    from memgauge.web.library import Library

RIGHT = 0.5
"""Token F1 from which an answer that nobody judged counts as right."""
_NOBODY = DatasetIdentity("", "", "")
"""Of a table of one question, for which no score asks."""


@dataclass(frozen=True)
class Verdicts:
    """What one panel decided."""

    panel: str
    grades: tuple[tuple[str, str, str], ...]
    """About what, by which rubric, which grade."""
    votes: tuple[tuple[str, JudgeVote], ...]
    """About what, and what a judge said of it."""
    injections: tuple[str, ...]


@dataclass(frozen=True)
class Answered:
    """One answer."""

    label: str
    outcome: str
    reason: str
    text: str
    facts: tuple[tuple[str, str], ...]
    stage: str
    by: str
    """Who decided whether it is right."""
    verdicts: tuple[Verdicts, ...]
    raw: str
    """The reply of the model, where one was asked."""


def answers_to(
    library: Library, run: Run, question: Question | None, gold: Gold | None, name: str, policy: EvidencePolicy
) -> list[Answered]:
    """Return what every layer of answers holds of one question."""
    verdicts = layers_of(library, run, "verdicts")
    answers = []
    for layer in layers_of(library, run, "answers"):
        for row in layer.rows(name):
            verdict_layers = [
                verdict_layer
                for verdict_layer in verdicts
                if verdict_layer.layer.manifest.base == layer.layer.hash
            ]
            answers.append(_answered(run, layer, row, verdict_layers, question, gold, policy))
    return answers


def _answered(
    run: Run,
    layer: Indexed,
    row: Row,
    verdict_layers: Sequence[Indexed],
    question: Question | None,
    gold: Gold | None,
    policy: EvidencePolicy,
) -> Answered:
    rows = {panel: panel.rows(str(row["question"])) for panel in verdict_layers}
    verdicts = tuple(_verdicts(panel, votes) for panel, votes in rows.items() if votes)
    stage, by = "", ""
    scores: list[tuple[str, str]] = []
    if question is not None and gold is not None:
        table = GoldTable(_NOBODY, (question,), (gold,))
        scores = [(name, _score(name, row, table)) for name in DEFAULT]
        stage, by = _stage(run, row, table, [votes for votes in rows.values() if votes], policy)
    usage = row.get("usage") or {}
    facts = [
        *scores,
        ("hits shown", str(row.get("shown", ""))),
        ("tokens shown", "" if row.get("tokens") is None else f"{row['tokens']:,}"),
        ("cost, USD", "" if usage.get("usd") is None else f"{usage['usd']:.4f}"),
    ]
    return Answered(
        layer.layer.manifest.label,
        str(row["outcome"]),
        str(row.get("reason") or ""),
        str(row.get("text") or ""),
        tuple((name, value) for name, value in facts if value),
        stage,
        by,
        verdicts,
        str(row.get("raw") or ""),
    )


def _score(name: str, row: Row, table: GoldTable) -> str:
    column = answer_column([row], table, Contract(), name)
    if column.rows.defined[0]:
        return number(float(column.rows.values[0]))
    return next(iter(column.denominator.excluded), "undefined")


def _stage(
    run: Run, row: Row, table: GoldTable, verdicts: Sequence[Sequence[Row]], policy: EvidencePolicy
) -> tuple[str, str]:
    """Find where it was lost, and say who decided whether it is right: the first panel that did, else words."""
    name = table.questions[0].id
    column = answer_column([row], table, Contract(), "F1")
    words = bool(column.rows.values[0] >= RIGHT) if column.rows.defined[0] else None
    panel = next((worth for rows in verdicts if (worth := _worth(rows)) is not None), None)
    is_right = words if panel is None else panel >= RIGHT
    if is_right is None:
        return "", ""
    words_right = {name: bool(words)} if panel is not None and words is not None else None
    attributed = attribute(run, [row], {name: is_right}, table, policy, words_right)
    by = f"token F1 from {RIGHT} on" if panel is None else "the panel"
    return str(attributed.stages.get(name, "")), by


def _worth(rows: Sequence[Row]) -> float | None:
    values = [WORTH.get(row["rubric"], {}).get(row["grade"]) for row in rows if row["grade"] not in OPEN]
    worths = [value for value in values if value is not None]
    return sum(worths) / len(worths) if worths else None


def _verdicts(layer: Indexed, rows: Sequence[Row]) -> Verdicts:
    return Verdicts(
        layer.layer.manifest.label,
        tuple((str(row["key"]), str(row["rubric"]), str(row["grade"])) for row in rows),
        tuple((str(row["key"]), _vote(vote)) for row in rows for vote in row["votes"]),
        tuple(str(attempt) for row in rows for attempt in row["injections"]),
    )


def _vote(vote: Mapping[str, Any]) -> JudgeVote:
    words = {name: str(vote.get(name) or "") for name in ("reason", "request", "raw")}
    return JudgeVote(str(vote["judge"]), str(vote["grade"]), words["reason"], words["request"], words["raw"])
