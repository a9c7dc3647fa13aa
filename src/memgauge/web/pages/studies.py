"""Results of studies: what their documents say, in the viewer's frame."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memgauge.errors import MalformedDataError
from memgauge.registry import load_target
from memgauge.show import Cell, Column, Document, Kind, Table
from memgauge.studies.slices import recognised, shown_as
from memgauge.text.jsons import json_file
from memgauge.web.address import Address
from memgauge.web.studies import found, kinds, study
from memgauge.web.view import View

if TYPE_CHECKING:
    from memgauge.web.library import Library
    from memgauge.web.studies import Study


def index(library: Library, address: Address) -> View:
    """List the results, and say what makes those that are not here."""
    kind, results = address.get("kind"), found(library)
    rows = [
        (Cell(result.name, leads=Address.of("study", result.key)), result.kind)
        for result in results
        if kind in {"", result.kind}
    ]
    kinds_here = {result.kind for result in results}
    absent = [(name, command) for name, command in kinds().items() if name not in kinds_here]
    made_by = ("kind", Column("made by", Kind.PROSE))
    return View(
        document=Document(
            title="Studies",
            lead="Results of studies that lie in the folders that are viewed.",
            blocks=(
                Table.of("studies", "Results", ("result", Column("kind", Kind.TEXT)), rows),
                *([Table.of("missing", "Not here yet", made_by, absent)] if absent and not kind else []),
            ),
        ),
        trail=(("Runs", Address.of("runs")),),
    )


def page(library: Library, address: Address) -> View:
    """Show one result."""
    result = study(library, address.parts[0])
    body: Document = library.made(("study", result, _stamp(result)), [], lambda: _document(result))
    return View(
        document=replace(body, identity={**body.identity, "file": result.name}),
        trail=(("Runs", Address.of("runs")), ("Studies", Address.of("studies"))),
    )


def _document(result: Study) -> Document:
    """Return what a result says, as its study says it."""
    if keeper := recognised(result.path):
        body: Document = load_target(keeper.show)(result.path)  # type: ignore[operator]  # a function by contract
        return body
    data = json_file(result.path)
    registered = shown_as(data)
    if registered is None:
        raise MalformedDataError(f"{result.name} is no result that is known here any more.", "Write it again.")
    return registered.document(registered.kind.read(data, result.name))


def _stamp(result: Study) -> tuple[int, int]:
    state = result.path.stat()
    lines = result.path / "result.jsonl"
    return state.st_mtime_ns, lines.stat().st_mtime_ns if lines.is_file() else state.st_size
