"""What judges say of memories: whether those returned bear their sources, and those stored are right."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING

from memgauge.results import ReadyData
from memgauge.show import Cell, Column, Document, Kind, Note, Table
from memgauge.show.numbers import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.runs.layers.layer import Layer
    from memgauge.runs.record.store import Run
    from memgauge.scoring.written import WrittenEntry


def witness_document(panel: str, witnessed: Sequence[tuple[Run, Layer]]) -> Document:
    """Count what a panel says of the memories of each run and of what they are said to descend from."""
    grades = {str(run.folder): _grades(layer) for run, layer in witnessed}
    data = [
        {
            "system": run.label,
            "run": str(run.folder),
            "layer": str(layer.folder),
            "pairs": grades[str(run.folder)].total(),
            "grades": dict(sorted(grades[str(run.folder)].items())),
        }
        for run, layer in witnessed
    ]
    rows = [(run.label, grades[str(run.folder)].total(), _shares(grades[str(run.folder)])) for run, _ in witnessed]
    columns = (Column("system", Kind.PROSE), Column("pairs", Kind.COUNT), Column("verdicts", Kind.PROSE))
    return Document(
        title=f"What {panel} says is borne",
        blocks=(Table.of("witness", "", columns, rows),),
        next="Read by `memgauge score --contract witness=model`.",
        origin="sealed layers of verdicts",
        data=ReadyData({"witness": data}),
    )


def _grades(layer: Layer) -> Counter[str]:
    return Counter("word for word" if row["rule"] and row["borne"] else str(row["grade"]) for row in layer.rows())


def _shares(grades: Counter[str]) -> str:
    return ", ".join(f"{n:,} {grade}" for grade, n in sorted(grades.items()))


def writes_document(entries: Sequence[WrittenEntry]) -> Document:
    """Say how well each system stored what it should have."""
    heads = (
        "Integrity",
        "Integrity(weighted)",
        "Accuracy",
        "ExtractionF1",
        "Resistance",
        "Updates",
        "Updates_as_published",
    )
    columns = (
        Column("system", Kind.PROSE),
        *(Column(head, Kind.NUMBER) for head in heads),
        Column("open", Kind.COUNT, means="what no majority decided"),
    )
    return Document(
        title="What was stored",
        blocks=(Table.of("writes", "", columns, [_written(entry) for entry in entries]),),
        notes=(
            Note("Updates: share that is correct, of all; as published, of those for which anything was found."),
        ),
        origin="sealed layers of verdicts",
        data=ReadyData({"writes": [asdict(entry) for entry in entries]}),
    )


def _written(entry: WrittenEntry) -> tuple[Cell | str | int, ...]:
    shares = (
        entry.integrity,
        entry.weighted,
        entry.accuracy,
        entry.f1,
        entry.resistance,
        entry.updates["correct"],
        entry.updates_as_published["correct"],
    )
    return entry.system, *(Cell(number(share), value=share) for share in shares), entry.open
