"""Results of studies: what their own pages show, in the viewer's frame."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memgauge.errors import MalformedDataError
from memgauge.registry import load_target
from memgauge.report.page import framed
from memgauge.show import Cell, Column, Document, Kind, Table
from memgauge.studies.slices import recognised, shown_as
from memgauge.text.jsons import json_file
from memgauge.web.address import Address
from memgauge.web.revive import revive
from memgauge.web.studies import found, kinds, study
from memgauge.web.view import View

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from memgauge.web.library import Library
    from memgauge.web.studies import Study

_ROWS = 500
"""Rows of a table made of data that nobody knows."""


def index(library: Library, address: Address) -> View:
    """List the results, and say what makes those that are not here."""
    wanted, results = address.get("kind"), found(library)
    listed = [
        (Cell(result.name, leads=Address.of("study", result.key)), result.kind)
        for result in results
        if wanted in {"", result.kind}
    ]
    here = {result.kind for result in results}
    missing = [(name, command) for name, command in kinds().items() if name not in here]
    made_by = ("kind", Column("made by", Kind.PROSE))
    return View(
        document=Document(
            title="Studies",
            lead="Results of studies that lie in the folders that are viewed.",
            blocks=(
                Table.of("studies", "Results", ("result", Column("kind", Kind.TEXT)), listed),
                *([Table.of("missing", "Not here yet", made_by, missing)] if missing and not wanted else []),
            ),
        ),
        trail=(("Runs", Address.of("runs")),),
    )


def page(library: Library, address: Address) -> View:
    """Show one result."""
    one = study(library, address.parts[0])
    made: View = library.made(("study", one, _stamp(one)), [], lambda: _view(one))
    trail = (("Runs", Address.of("runs")), ("Studies", Address.of("studies")))
    if made.document is None:
        return replace(made, trail=trail, identity={**made.identity, "file": one.name})
    document = replace(made.document, identity={**made.document.identity, "file": one.name})
    return replace(made, trail=trail, document=document)


def _view(one: Study) -> View:
    """Show a result as its study does."""
    if one.path.is_file() and one.path.suffix == ".json" and (shown := shown_as(data := json_file(one.path))):
        return _documented(shown.document(shown.kind.read(data, one.name)))
    if kept := recognised(one.path):
        return _documented(load_target(kept.show)(one.path))  # type: ignore[operator]  # a function by contract
    return _views()[one.kind](one)


def _documented(document: Document) -> View:
    return View(document=document)


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


def _shift(one: Study) -> View:
    from memgauge.report.shift_page import render_shift
    from memgauge.studies.shift.findings.answering import AnswerCheck
    from memgauge.studies.shift.findings.result import ShiftResult
    from memgauge.studies.shift.findings.sensitivity import DefinitionResult
    from memgauge.studies.shift.protocol.spec import ShiftSpec

    data = json_file(one.path)
    spec = revive(ShiftSpec, data["spec"])
    identity = {
        name: str(data[name]) for name in ("dataset", "sha256", "preset", "seed", "memgauge") if name in data
    }
    answers = data.get("answers")
    return _captured(
        lambda: render_shift(
            revive(ShiftResult, data["result"]),
            spec,
            title=f"Shift study of {identity.get('dataset', one.name)}",
            identity=identity,
            beside=identity.get("dataset") == "locomo" and (spec.k, spec.horizon) == (5, 5),
            answers=revive(AnswerCheck, answers) if answers else None,
            readings=[revive(DefinitionResult, each) for each in data.get("readings") or ()],
            notes=[str(note) for note in data.get("notes") or ()],
        )
    )


def _golden(one: Study) -> View:
    from memgauge.report.golden_page import render_golden
    from memgauge.studies.golden.summary import GoldenReport

    data = json_file(one.path)
    report = revive(GoldenReport, data | {"played": data["scenarios"]})
    return _captured(lambda: render_golden(report, identity={"seed": report.seed}))


def _attribution(one: Study) -> View:
    from memgauge.report.attribution_page import render_attribution
    from memgauge.studies.attribution.study import Attribution

    cards = [revive(Attribution, card) for card in json_file(one.path)["cards"]]
    if not cards:
        raise MalformedDataError(f"{one.name} holds no card.", "Write it again.")
    return _captured(lambda: render_attribution(cards, identity={}))


def _track(one: Study) -> View:
    from memgauge.report.track_page import render_track
    from memgauge.studies.track.scoring.scored import score_run

    return _captured(lambda: render_track([score_run(one.path)]))


def _systems(one: Study) -> View:
    import json

    from memgauge.report.systems_page import render_systems
    from memgauge.systems.conformance.card import parse_card

    try:
        cards = [parse_card(json.dumps(system["card"])) for system in json_file(one.path)["systems"]]
    except ValueError as error:
        raise MalformedDataError(f"{one.name} holds no cards that can be read.", "Write it again.") from error
    return _captured(lambda: render_systems(cards, identity={}))


def _data(one: Study) -> View:
    """Show data that no page knows, table by table."""
    data = json_file(one.path)
    return View(
        document=Document(
            title=one.name,
            lead=f"{one.kind.capitalize()}, as it was written.",
            blocks=tuple(_tables(data)),
            origin="data that no study knows",
        )
    )


def _tables(data: Any, title: str = "Values", key: str = "data") -> Iterator[Table]:
    """Turn JSON into tables: a list of objects is one, an object's plain values are another."""
    if isinstance(data, dict):
        plain = [(str(name), _word(value)) for name, value in data.items() if not isinstance(value, dict | list)]
        if plain:
            yield Table.of(key, title, ("what", "value"), plain)
        for name, value in data.items():
            if isinstance(value, dict | list) and value:
                yield from _tables(value, str(name), f"{key}-{len(key)}-{list(data).index(name)}")
    elif isinstance(data, list) and data and all(isinstance(row, dict) for row in data):
        heads = list(dict.fromkeys(str(name) for row in data for name in row))
        rows = [[_word(row.get(head)) for head in heads] for row in data[:_ROWS]]
        yield Table.of(key, title, heads, rows)
    elif isinstance(data, list):
        yield Table.of(key, title, ("value",), [(_word(value),) for value in data[:_ROWS]])


def _word(value: Any) -> Cell | str | int | float | None:
    import json

    if isinstance(value, dict | list):
        return Cell(json.dumps(value, ensure_ascii=False), mark="text")
    return str(value) if isinstance(value, bool) else value


def _views() -> Mapping[str, Callable[[Study], View]]:
    from memgauge.web.pages import context, histories

    return {
        "shift": _shift,
        "golden": _golden,
        "golden history": histories.golden,
        "attribution": _attribution,
        "attribution history": histories.attribution,
        "context": context.page,
        "context history": histories.context,
        "track": _track,
        "systems matrix": _systems,
        "data": _data,
    }
