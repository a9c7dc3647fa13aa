"""What the study says."""

from __future__ import annotations

from memgauge.show import Column, Document, Kind, Table
from toystudy.lengths import LENGTHS, Lengths


def document(lengths: Lengths) -> Document:
    """Say how long questions are."""
    columns = ("dataset", Column("questions", Kind.COUNT), Column("words", Kind.NUMBER))
    rows = [(lengths.dataset, lengths.questions, lengths.words)]
    return Document(
        title="How long questions are",
        lead=f"A question of {lengths.dataset} has {lengths.words:.1f} words.",
        blocks=(Table.of("lengths", "Words", columns, rows),),
        data=LENGTHS.of(lengths),
    )
