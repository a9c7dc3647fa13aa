"""What the document of every study holds: a page does not lose a table, a column or a figure unnoticed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.show import Figure, Section, Table
from memgauge.web.address import Address
from memgauge.web.studies import found

if TYPE_CHECKING:
    from collections.abc import Iterator

    from syrupy.assertion import SnapshotAssertion

    from memgauge.show import Document
    from memgauge.show.document import Block
    from memgauge.web.library import Library
    from memgauge.web.site import Site


def test_documents_hold_what_they_held(site: Site, library: Library, snapshot: SnapshotAssertion) -> None:
    """Title, verdict, sections, tables with their columns, figures and notes of every kind of result."""
    outlines = {}
    for study in found(library):
        document = site.view(Address.of("study", study.key)).document
        assert document is not None
        outlines[study.kind] = list(_outline(document))
    assert outlines == snapshot


def _outline(document: Document) -> Iterator[str]:
    yield f"{document.title}: {'a verdict' if document.lead else 'no verdict'}, {len(document.notes)} notes"
    for block in document.blocks:
        yield from _held(block, "")


def _held(block: Block, indent: str) -> Iterator[str]:
    match block:
        case Section():
            yield f"{indent}section {block.key}: {block.fold}"
            for inner in block.blocks:
                yield from _held(inner, f"{indent}  ")
        case Table():
            yield f"{indent}table {block.key}: {' | '.join(block.heads)}"
        case Figure():
            yield f"{indent}figure {block.key}"
        case _:
            yield f"{indent}{type(block).__name__.lower()}"
