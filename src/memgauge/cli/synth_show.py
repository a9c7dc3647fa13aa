"""What `memgauge data synth` says of a world: how hard its questions are, and which shortcuts answer them."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from memgauge.results import ReadyData
from memgauge.show import Cell, Column, Document, Kind, Note, Table, Tone
from memgauge.studies.quality.difficulty import ALL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.studies.quality.difficulty import Figures
    from memgauge.studies.quality.shortcuts import ShortcutAudit, SolverAccuracy

_FACTS: Final = {
    "questions": "questions",
    "evidence": "evidence",
    "overlap": "overlap",
    "jaccard": "jaccard",
    "first": "BM25@1",
    "top": "BM25@5",
    "misled": "misled",
    "near_misses": "near",
    "sessions": "sessions",
    "turns": "turns",
    "days": "days",
    "hops": "hops",
}
"""What is measured, and how its column is called."""


def difficulty_document(figures: Mapping[str, Mapping[str, Figures]], *, kinds: bool) -> Document:
    """Say how hard the questions of each dataset are, all together and perhaps by kind."""
    data = {ref: {kind: asdict(row) for kind, row in rows.items()} for ref, rows in figures.items()}
    columns = (Column("kind", Kind.TEXT), *(Column(head, Kind.NUMBER) for head in _FACTS.values()))
    tables = tuple(
        Table.of(
            f"difficulty-{number}",
            ref,
            columns,
            [
                (kind, *(_figure(getattr(rows[kind], name)) for name in _FACTS))
                for kind in sorted(rows, key=lambda kind: (kind != ALL, kind))
                if kind == ALL or kinds
            ],
        )
        for number, (ref, rows) in enumerate(figures.items(), 1)
    )
    return Document("How hard the questions are", blocks=tables, data=ReadyData(data))


def _figure(value: float | None) -> Cell:
    if value is None:
        return Cell("-")
    text = f"{value:,}" if isinstance(value, int) else f"{value:.2f}" if value < 10 else f"{value:.1f}"
    return Cell(text, value=value)


def audit_document(audited: ShortcutAudit, *, why: bool) -> Document:
    """Say what each solver gets right of each kind, and which bounds are beaten."""
    cells = [cell for cell in (audited.cells if why else audited.beaten) if cell.bound is not None]
    bounded = sum(cell.bound is not None for cell in audited.cells)
    return Document(
        title="Shortcuts",
        lead=f"{len(audited.beaten)} of {bounded} bounds are beaten.",
        blocks=(_rates(audited),),
        notes=tuple(Note(_against(cell), tone=Tone.WARN if cell.beaten else Tone.PLAIN) for cell in cells),
        noted="Bounds",
        data=ReadyData(asdict(audited) | {"beaten": [asdict(cell) for cell in audited.beaten]}),
    )


def _rates(audited: ShortcutAudit) -> Table:
    solvers = list(dict.fromkeys(cell.solver for cell in audited.cells))
    by_kind: dict[str, dict[str, SolverAccuracy]] = {}
    for cell in audited.cells:
        by_kind.setdefault(cell.kind, {})[cell.solver] = cell
    rows: list[tuple[Cell | str | int, ...]] = [
        (
            kind,
            max(cell.n for cell in row.values()),
            *(_rate(row[solver]) if solver in row else Cell("") for solver in solvers),
        )
        for kind, row in by_kind.items()
    ]
    columns = (
        Column("kind", Kind.PROSE),
        Column("n", Kind.COUNT),
        *(Column(solver.replace("-", " "), Kind.NUMBER) for solver in solvers),
    )
    return Table.of("rates", f"{audited.dataset}, level {audited.level}: share that is right", columns, rows)


def _rate(cell: SolverAccuracy) -> Cell:
    return Cell(
        f"{cell.rate:.2f}{'!' if cell.beaten else ''}", value=cell.rate, mark="warn" if cell.beaten else ""
    )


def _against(cell: SolverAccuracy) -> str:
    rate = f"{cell.right} of {cell.n}, {cell.rate:.2f} [{cell.low:.2f}, {cell.high:.2f}]"
    return f"{cell.solver} on {cell.kind}: {rate}, bound {cell.bound:g}: {cell.why}."
