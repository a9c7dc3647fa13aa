"""The list of measures, as the registry has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.measures import MEASURES, Reads
from memgauge.measures.formula import GIVEN_BY
from memgauge.results import ReadyData
from memgauge.show import Cell, Column, Document, Kind, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.measures import Formula


def document() -> Document:
    """List every measure that is known here, installed ones included, by what it is read from."""
    formulas = {name: MEASURES.get(name) for name in MEASURES.names()}
    groups = {reads: [name for name in formulas if formulas[name].reads is reads] for reads in Reads}
    return Document(
        title="Measures",
        blocks=tuple(
            _table(reads, [(name, formulas[name]) for name in names]) for reads, names in groups.items() if names
        ),
        next="Name one with `--measure`: nDCG@10, Recall@2000tok, Precision(conv=returned)@5, Temporal(strict)@5.",
        data=ReadyData({"measures": [_plain(name, formula) for name, formula in formulas.items()]}),
    )


def written(name: str, formula: Formula) -> str:
    """Write a measure as its grammar has it: ``nDCG@k or @tokens``, ``Precision[(conv=k|returned)]@k``."""
    options = ";".join(f"{key}={'|'.join(values)}" for key, values in formula.options.items())
    return f"{name}{f'[({options})]' * bool(options)}{formula.grammar}"


def _table(reads: Reads, formulas: Sequence[tuple[str, Formula]]) -> Table:
    columns = (
        "measure",
        Column("is", Kind.PROSE),
        Column("better", Kind.TEXT),
        Column("unit", Kind.TEXT, yields=4),
        Column("undefined where", Kind.PROSE, yields=2),
        Column("source", Kind.PROSE, yields=3),
    )
    given = GIVEN_BY[reads].partition(" gives it")[0].format(measure="…", module="memgauge.measures")
    return Table.of(
        reads.name.lower(),
        f"Read from {reads}",
        columns,
        [tuple(map(Cell, _row(name, formula))) for name, formula in formulas],
        f"Given by {given}.",
    )


def _row(name: str, formula: Formula) -> Iterator[str]:
    yield written(name, formula)
    yield formula.sentence
    yield "lower" if formula.lower else "higher"
    yield formula.unit
    yield formula.undefined
    yield formula.source


def _plain(name: str, formula: Formula) -> dict[str, object]:
    return {
        "name": name,
        "grammar": written(name, formula),
        "options": {key: list(values) for key, values in formula.options.items()},
        "reads": str(formula.reads),
        "direction": formula.direction,
        "unit": formula.unit,
        "undefined": formula.undefined,
        "source": formula.source,
        "is": formula.sentence,
    }
