"""What races showed, and how likely it is that a rare one would have been seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.results import plain
from memgauge.show import Code, Column, Document, Fold, Kind, Note, Prose, Section, Table
from memgauge.show.numbers import plural
from memgauge.show.safety import visible
from memgauge.studies.golden.races.connections import TAKES_TURNS
from memgauge.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.studies.golden.races.race import RaceFinding, RaceReport


def document(report: RaceReport, system: str, seed: str, one_in: int) -> Document:
    """Say what went wrong at once, in the fewest calls that show it."""
    tried = (
        ""
        if report.not_tried
        else f"{plural(report.rounds, 'round')}; {plural(len(report.findings), 'race')} seen."
    )
    return Document(
        title=f"Races on {visible(system)}",
        lead=visible(f"Not tried: {report.not_tried}.") if report.not_tried else tried,
        facts=tuple(_facts(report, one_in)),
        blocks=(*((_table(report),) if report.shapes else ()), *map(_story, report.findings)),
        notes=tuple(_notes(report)),
        noted="What the memory did besides",
        origin="threads on one memory",
        identity={"memory": visible(system), "seed": visible(seed), "memgauge": __version__},
        data={**plain(report), "one_in": one_in, "seen": None if report.not_tried else report.seen(one_in)},
    )


def _facts(report: RaceReport, one_in: int) -> Iterator[str]:
    if report.not_tried:
        yield (
            "Nothing is known of its races: open it in this process, or serve it with `systems serve --at-once`."
            if report.not_tried == TAKES_TURNS
            else "A memory need promise nothing of threads; this one says so by refusing."
        )
        return
    how = f"{report.connections}{', with jitter' if report.jitter else ''}"
    yield (
        f"{plural(report.rounds, 'round')} of {plural(len(report.shapes), 'shape')}, by {how}: a race that shows "
        f"once in {one_in} rounds would have been seen with probability {report.seen(one_in):.3f}."
    )
    if not report.positive:
        yield "Vacuous: nothing that was acknowledged was ever shown, so that what was not seen proves nothing."
    looked = f"{report.negative:,} times it was looked for what must not be shown"
    yield f"{plural(report.positive, 'value')} had to be there and were; {looked}."


def _table(report: RaceReport) -> Table:
    return Table.of(
        "races",
        "Shapes",
        (
            Column("shape", Kind.TEXT),
            *Column.each(Kind.COUNT, "histories", "calls", "raised"),
            *Column.each(Kind.PROSE, "ended", "what happens"),
        ),
        [
            (
                shape.shape,
                shape.histories,
                shape.calls,
                shape.raised,
                visible(
                    f"not tried: {shape.not_tried}"
                    if shape.not_tried
                    else " ".join(finding.anomaly for finding in shape.findings) or "nothing seen"
                ),
                shape.title,
            )
            for shape in report.shapes
        ],
        "A shape that failed is not played again. What raises is not acknowledged, and no anomaly by itself.",
    )


def _story(finding: RaceFinding) -> Section:
    lines = "\n".join(map(visible, finding.story))
    what = f"{finding.anomaly} in round {finding.round} of {finding.shape}"
    return Section(
        f"race-{finding.shape}-{finding.anomaly}".lower().replace("_", "-"),
        what,
        (Prose(visible(f"{finding.witness}.")), Code(lines, brief=True)),
        Fold.FOLDED,
    )


def _notes(report: RaceReport) -> Iterator[Note]:
    for shape in report.shapes:
        if shape.raised:
            yield Note(visible(f"{plural(shape.raised, 'call')} raised, first {shape.first_raised}"), shape.shape)
        if shape.set_aside:
            rules = ", ".join(shape.set_aside)
            yield Note(f"not judged, because it is so without threads too: {rules}", shape.shape)
