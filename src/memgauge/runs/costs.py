"""What answering and judging would cost before anything is run: that of one conversation, scaled up."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from memgauge.llm.prices import expect
from memgauge.runs.layers.tasks import task_of
from memgauge.runs.play.plan import outstanding, pilot

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.llm.judges.panel import Panel
    from memgauge.llm.messages import Request
    from memgauge.llm.prices import Price
    from memgauge.llm.prompted import Prompted
    from memgauge.records import Case
    from memgauge.runs.play.plan import Plan, PlannedRun
    from memgauge.runs.record.rows import Row

PILOT = "contexts of its first conversation"
ASSUMED = "k turns of mean length, for nothing may be asked of it yet"


@dataclass(frozen=True)
class ModelCost:
    """What one model would take for one cell."""

    system: str
    work: str
    """``answers`` or ``verdicts``."""
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    """At most."""
    usd: float | None
    """``None`` where no price is known."""
    basis: str
    """What contexts were taken for."""


def costs(
    planned: Plan, answerer: Prompted | None, panel: Panel | None, prices: Mapping[str, Price | None]
) -> list[ModelCost]:
    """Estimate every cell; what a record may already hold is not deducted.

    Judges are shown accepted answers in place of the answers that nobody has given yet.
    """
    expected: list[ModelCost] = []
    for cell in planned.cells:
        dataset = planned.datasets[cell.manifest.dataset.ref]
        case = next(dataset.cases())
        if answerer is not None:
            contexts, basis = _contexts(cell, case)
            asked = [answerer.request(question.text, contexts[question.id])[0] for question in case.questions]
            expected += _scaled(cell, "answers", asked, len(case.questions), prices, basis)
        if panel is not None:
            task = task_of(dataset.identity.name, "official")
            golds = islice(dataset.gold(), len(case.questions))
            items = [
                item
                for question, gold in zip(case.questions, golds, strict=True)
                for item in task(question, gold, " / ".join(gold.answers) or "I don't know.")
            ]
            judged = [judge.request(item) for judge in panel.judges for item in items]
            expected += _scaled(cell, "verdicts", judged, len(case.questions), prices, "accepted answers")
    return expected


def _scaled(
    cell: PlannedRun,
    work: str,
    asked: Sequence[Request],
    questions: int,
    prices: Mapping[str, Price | None],
    basis: str,
) -> Iterator[ModelCost]:
    """Scale the requests about one conversation up to all questions of the cell, model by model."""
    factor = cell.questions / max(questions, 1)
    for model in dict.fromkeys(request.model for request in asked):
        usages = [expect(request, prices.get(model)) for request in asked if request.model == model]
        prices_known = [usage.usd for usage in usages if usage.usd is not None]
        yield ModelCost(
            cell.manifest.system.label,
            work,
            model,
            calls=round(len(usages) * factor),
            input_tokens=round(sum(usage.input_tokens for usage in usages) * factor),
            output_tokens=round(sum(usage.output_tokens for usage in usages) * factor),
            usd=sum(prices_known) * factor if len(prices_known) == len(usages) else None,
            basis=basis,
        )


def _contexts(cell: PlannedRun, case: Case) -> tuple[Mapping[str, tuple[str, ...]], str]:
    """Return what would be shown for each question of *case*, as far as that can be known for free."""
    if not outstanding(cell.manifest.system.capabilities):
        return _retrieved(pilot(cell, case)[1]), PILOT
    turns = list(case.conversation.turns())
    mean = "x" * round(sum(len(turn.text) for turn in turns) / max(len(turns), 1))
    shown = (mean,) * min(cell.manifest.limits.k, len(turns))
    return {question.id: shown for question in case.questions}, ASSUMED


def _retrieved(rows: Sequence[Row]) -> dict[str, tuple[str, ...]]:
    texts = {row["row"]: row["text"] for row in rows if row["t"] == "memory"}
    return {
        row["question"]: tuple(texts[memory] for memory in row["memories"])
        for row in rows
        if row["t"] == "question"
    }
