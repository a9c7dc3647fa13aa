"""What tasks there are, and how rules fare on known models: their documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.show import Column, Document, Kind, Table
from memgauge.show.numbers import percent, plural
from memgauge.studies.context.listing import TASK_LIST
from memgauge.studies.context.simulate import RULES
from memgauge.version import __version__

if TYPE_CHECKING:
    from memgauge.studies.context.listing import TaskList
    from memgauge.studies.context.simulate import RuleComparison


def tasks_document(listed: TaskList) -> Document:
    """Say what each task takes, with a question of it."""
    return Document(
        title="Tasks of the context study",
        blocks=(
            Table.of(
                "tasks",
                "Tasks",
                ("task", "type", Column("overlap", Kind.NUMBER), Column("what it takes", Kind.PROSE)),
                [(each.task, each.type, each.overlap, each.what) for each in listed.tasks],
                "Overlap: share of a question's content words that stand in its evidence, the mean over "
                f"{plural(listed.samples, 'sample')}.",
            ),
            Table.of(
                "examples",
                "A question of each",
                ("task", *Column.each(Kind.PROSE, "question", "right")),
                [(each.task, each.question, ", ".join(each.gold)) for each in listed.tasks],
                "The first sample.",
                brief=False,
            ),
        ),
        origin="the generators of samples",
        identity={"samples": str(listed.samples), "seed": str(listed.seed), "memgauge": __version__},
        data=TASK_LIST.of(listed),
    )


def rules_document(comparison: RuleComparison) -> Document:
    """Say how often each rule claims more than there is."""
    most = max(comparison.rules, key=lambda fared: fared.over)
    least = min(comparison.rules, key=lambda fared: fared.over)
    return Document(
        title="Rules for effective context",
        lead=(
            f"On models whose effective length is known, the rule {most.rule} claims more than there is in "
            f"{percent(most.over)} of cases, the rule {least.rule} in {percent(least.over)}."
        ),
        blocks=(
            Table.of(
                "rules",
                "Rules on simulated models of known effective length",
                (
                    "rule",
                    Column("n", Kind.COUNT),
                    *(Column(head, Kind.SHARE) for head in ("claims more", "exact", "claims less")),
                    Column("calls", Kind.COUNT),
                ),
                [
                    (fared.rule, fared.n, fared.over, fared.exact, fared.under, fared.calls)
                    for fared in comparison.rules
                ],
                f"{plural(comparison.simulations, 'simulation')}; n: samples of each length; calls: their mean.",
            ),
        ),
        origin="simulated models",
        identity={
            "samples": str(comparison.samples),
            "simulations": str(comparison.simulations),
            "seed": str(comparison.seed),
            "memgauge": __version__,
        },
        data=RULES.of(comparison),
    )
