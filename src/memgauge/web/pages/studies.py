"""Results of studies: what their own pages show, in the viewer's frame."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memgauge.errors import MalformedDataError
from memgauge.registry import load_target
from memgauge.report.page import framed
from memgauge.report.sheet import Cell, Sheet
from memgauge.studies.slices import recognised, shown_as
from memgauge.text.jsons import json_file
from memgauge.web.address import Address
from memgauge.web.revive import revive
from memgauge.web.studies import found, kinds, study
from memgauge.web.view import View

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from memgauge.show import Document
    from memgauge.web.library import Library
    from memgauge.web.studies import Study

_ROWS = 500
"""Rows of a table made of data that nobody knows."""


def index(library: Library, address: Address) -> View:
    """List the results, and say what makes those that are not here."""
    kind = address.get("kind")
    results = [one for one in found(library) if kind in {"", one.kind}]
    rows = [(Cell(one.name, leads=Address.of("study", one.key)), one.kind) for one in results]
    held = {one.kind for one in found(library)}
    missing = [(name, Cell(command, mark="text")) for name, command in kinds().items() if name not in held]
    return View(
        title="Studies",
        lead="Results of studies that lie in the folders that are viewed.",
        sheets=(
            Sheet.of("studies", "Results", ("result", "kind"), rows),
            *([Sheet.of("missing", "Not here yet", ("kind", "made by"), missing)] if missing and not kind else []),
        ),
        trail=(("Runs", Address.of("runs")),),
    )


def page(library: Library, address: Address) -> View:
    """Show one result."""
    one = study(library, address.parts[0])
    made: View = library.made(("study", one, _stamp(one)), [], lambda: _view(one))
    trail = (("Runs", Address.of("runs")), ("Studies", Address.of("studies")))
    return replace(made, trail=trail, identity={**made.identity, "file": one.name})


def _view(one: Study) -> View:
    """Show a result as its study does."""
    if one.path.is_file() and one.path.suffix == ".json" and (shown := shown_as(data := json_file(one.path))):
        return _documented(shown.document(shown.kind.read(data, one.name)))
    if kept := recognised(one.path):
        return _documented(load_target(kept.show)(one.path))  # type: ignore[operator]  # a function by contract
    return _views()[one.kind](one)


def _documented(document: Document) -> View:
    return View(document.title, "document.page.html.j2", identity=document.identity, document=document)


def _stamp(one: Study) -> tuple[int, int]:
    state = one.path.stat()
    result = one.path / "result.jsonl"
    return state.st_mtime_ns, result.stat().st_mtime_ns if result.is_file() else state.st_size


def _captured(make: Callable[[], str]) -> View:
    """Let a report write its page, and take what it would have shown."""
    with framed() as pages:
        make()
    (one,) = pages
    content = dict(one.content)
    for name, value in content.items():
        if hasattr(value, "__next__"):
            content[name] = list(value)  # a page that is kept is shown more than once
    return View(title=one.title, template=one.template, identity=one.identity, values=content)




def _data(one: Study) -> View:
    """Show data that no page knows, table by table."""
    data = json_file(one.path)
    return View(
        title=one.name,
        lead=f"{one.kind.capitalize()}, as it was written.",
        sheets=tuple(_sheets(data)),
    )


def _sheets(data: Any, title: str = "Values", key: str = "data") -> Iterator[Sheet]:
    """Turn JSON into tables: a list of objects is one, an object's plain values are another."""
    if isinstance(data, dict):
        plain = [(str(name), _word(value)) for name, value in data.items() if not isinstance(value, dict | list)]
        if plain:
            yield Sheet.of(key, title, ("what", "value"), plain)
        for name, value in data.items():
            if isinstance(value, dict | list) and value:
                yield from _sheets(value, str(name), f"{key}-{len(key)}-{list(data).index(name)}")
    elif isinstance(data, list) and data and all(isinstance(one, dict) for one in data):
        heads = list(dict.fromkeys(str(name) for one in data for name in one))
        rows = [[_word(one.get(head)) for head in heads] for one in data[:_ROWS]]
        yield Sheet.of(key, title, heads, rows)
    elif isinstance(data, list):
        yield Sheet.of(key, title, ("value",), [(_word(value),) for value in data[:_ROWS]])


def _word(value: Any) -> Cell | str | int | float | None:
    import json

    if isinstance(value, dict | list):
        return Cell(json.dumps(value, ensure_ascii=False), mark="text")
    return str(value) if isinstance(value, bool) else value


def _views() -> Mapping[str, Callable[[Study], View]]:
    from memgauge.web.pages import histories

    return {
        "data": _data,
    }
