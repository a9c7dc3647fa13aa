"""Documents: what a result says, as values, and one renderer for each surface that they are shown on."""

from memgauge.show.document import (
    Block,
    CheckOutcome,
    Code,
    CountedCheck,
    Document,
    Figure,
    Fold,
    Note,
    Notes,
    Prose,
    Section,
    Step,
    Steps,
    Tone,
    Way,
    Ways,
    embedded,
)
from memgauge.show.numbers import Kind
from memgauge.show.table import Cell, Column, Table, Value

__all__ = [
    "Block",
    "Cell",
    "CheckOutcome",
    "Code",
    "Column",
    "CountedCheck",
    "Document",
    "Figure",
    "Fold",
    "Kind",
    "Note",
    "Notes",
    "Prose",
    "Section",
    "Step",
    "Steps",
    "Table",
    "Tone",
    "Value",
    "Way",
    "Ways",
    "embedded",
]
