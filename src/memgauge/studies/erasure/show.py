"""An erasure report as a document: for who asked to be forgotten, who was asked, and who audits it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from memgauge.results import ReadyData, plain
from memgauge.show import Cell, Column, Document, Kind, Note, Table
from memgauge.show.numbers import plural
from memgauge.studies.erasure.checks import checks
from memgauge.studies.erasure.kinds import ERASURE
from memgauge.studies.erasure.lasting import seen_over
from memgauge.studies.erasure.record import Moment, Whose
from memgauge.studies.erasure.verdict import AGAIN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.studies.erasure.lasting import SeenOver
    from memgauge.studies.erasure.record import ErasureReport, MadeCall, ResidueSpot

_HOW = {
    "canary": "an invented person, planted for this report",
    "present": "somebody who is in the store, whose memories were listed",
    "texts": "somebody of whom nothing is listed; texts were handed over to look for",
}


def erasure_document(report: ErasureReport) -> Document:
    """Say what was found, where, when, and what nobody looked at."""
    lead, *rest = report.sentences
    system, subject = report.system, report.subject
    return Document(
        title=f"Erasure report: {subject.scope} in {system.name} {system.version}",
        beside=f"{plural(len(subject.values), 'value')} looked for at {plural(len(report.looks), 'moment')}",
        lead=lead,
        facts=(*rest, f"The subject is {_how(report)}. What was not looked at stands at the end."),
        blocks=tuple(_tables(report)),
        notes=tuple(_notes(report)),
        noted="Before you rely on this",
        origin="calls of the system, and the files that it keeps or wrote",
        identity={"system": system.ref, "seed": str(report.seed), "memgauge": report.made_by},
        data=ReadyData(plain(ERASURE.of(report))),
        checks=tuple(checks(report)),
    )


def _how(report: ErasureReport) -> str:
    if report.subject.how == "texts" and not report.subject.values:
        return "somebody of whom nothing is listed, and no text was handed over to look for"
    return _HOW[report.subject.how]


def _tables(report: ErasureReport) -> Iterator[Table]:
    yield _calls("request", "What was asked of it, and what it answered", report.request)
    yield _seen(report)
    yield _residue("residue", "Where values stand, and how they are written", report, report.residue)
    if report.names:
        yield _residue("names", "Where the subject's name and ids stand", report, report.names, brief=False)
    yield _sought(report)
    yield _looks(report)
    yield _surfaces(report)
    if report.writes:
        yield _calls("writes", "What was written, as the harness knows it", report.writes, brief=False)
    rows = [(part.part, part.why) for part in report.unlooked]
    columns = (Column("not looked at", Kind.TEXT), Column("why", Kind.PROSE))
    yield Table.of("unlooked", "What was not looked at", columns, rows)


def _calls(key: str, title: str, calls: tuple[MadeCall, ...], *, brief: bool = True) -> Table:
    columns = ("when", "call", Column("with", Kind.PROSE), "answer", Column("ms", Kind.COUNT))
    rows = [(call.at, call.call, call.given, call.answer, round(call.ms)) for call in calls]
    return Table.of(key, title, columns, rows, brief=brief)


def _seen(report: ErasureReport) -> Table:
    moments = [look.moment for look in report.looks]
    columns = (Column("where", Kind.TEXT), Column("kind", Kind.TEXT, yields=2), *map(_moment, moments))
    rows = [
        (seen.where, seen.kind, *map(partial(_at, seen), moments), _gone(seen.gone_s, stays=seen.stays))
        for seen in seen_over(report)
    ]
    note = (
        f"Of {plural(len(report.subject.values), 'value')}; n/a where that look was not made, failed where nobody "
        "knows what it would have seen."
    )
    return Table.of("seen", "Values seen at each look", (*columns, Column("gone after", Kind.TEXT)), rows, note)


def _at(seen: SeenOver, moment: Moment) -> Cell | int | None:
    """Return how many values one look saw."""
    count = seen.seen.get(moment)
    return Cell("failed", mark="warn") if count is None and moment in seen.seen else count


def _moment(moment: Moment) -> Column:
    return Column(str(moment), Kind.COUNT)


def _gone(gone_s: float | None, *, stays: bool) -> str:
    return "not gone" if stays else "" if gone_s is None else f"{gone_s:.1f} s"


def _residue(
    key: str, title: str, report: ErasureReport, spots: tuple[ResidueSpot, ...], *, brief: bool = True
) -> Table:
    order = [look.moment for look in report.looks]
    merged: dict[tuple[str, str, str, str], dict[Moment, tuple[str, ...]]] = {}
    for spot in spots:
        merged.setdefault((spot.file, spot.kind, spot.spot, spot.form), {})[spot.moment] = spot.values
    columns = (
        Column("file", Kind.TEXT),
        Column("kind", Kind.TEXT, yields=2),
        *Column.each(Kind.PROSE, "where in it", "written as"),
        Column("values", Kind.PROSE, yields=3),
        Column("last seen", Kind.TEXT),
    )
    last = {where: max(by_moment, key=order.index) for where, by_moment in merged.items()}
    rows = [(*where, ", ".join(merged[where][moment]), str(moment)) for where, moment in last.items()]
    note = "Values by their labels, at the look that saw them last."
    return Table.of(key, title, columns, rows, note, brief=brief)


def _sought(report: ErasureReport) -> Table:
    columns = ("label", "kind", Column("characters", Kind.COUNT), Column("value", Kind.PROSE))
    rows = [
        (value.label, value.kind, value.characters, value.shown or "not shown") for value in report.subject.values
    ]
    return Table.of("values", "What was looked for", columns, rows, brief=False)


def _looks(report: ErasureReport) -> Table:
    columns = (
        Column("look"),
        Column("when"),
        Column("seconds after the request", Kind.COARSE),
        *Column.each(Kind.COUNT, "files", "bytes"),
    )
    rows = [(str(look.moment), look.at, look.after_s, look.files, look.bytes) for look in report.looks]
    return Table.of("looks", "When it was looked", columns, rows, brief=False)


def _surfaces(report: ErasureReport) -> Table:
    columns = (
        *map(Column, ("look", "surface", "asked under")),
        *Column.each(Kind.COUNT, "calls", "texts returned"),
        *Column.each(Kind.PROSE, "values", "failed"),
    )
    rows = [
        (str(row.moment), row.surface, str(row.whose), row.calls, row.returned, ", ".join(row.values), row.problem)
        for row in report.surfaces
    ]
    note = f"Under the controls and a stranger too. {AGAIN.capitalize()} counts what was still there."
    return Table.of("surfaces", "What every surface returned", columns, rows, note, brief=False)


def _notes(report: ErasureReport) -> Iterator[Note]:
    yield Note("Nothing here says that anything is erased: it says what was seen, where, and at which moment.")
    failed = sorted({row.surface for row in report.surfaces if row.problem})
    if failed:
        yield Note(f"Calls failed, and what they would have returned is not known: {', '.join(failed)}.")
    foreign = [row for row in report.surfaces if row.whose is not Whose.OWN and row.values]
    if foreign:
        yield Note("Values of the subject were returned under another scope: that is a leak, whatever is deleted.")
    if report.system.stand_ins:
        yield Note(f"Stand-ins were used: {'; '.join(report.system.stand_ins)}.")
    for change in report.system.interventions:
        yield Note(f"The adapter changed: {change}.")
