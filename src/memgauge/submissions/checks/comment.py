"""What stands below a pull request: the level and what is missing, numbers beside others, and what is asked."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from memgauge.results import ReadyData
from memgauge.show import Code, Column, Document, Note, Notes, Section, Table
from memgauge.show.numbers import between, number
from memgauge.submissions.checks.rulings import Ruling
from memgauge.submissions.checks.show import findings_table, lead_of
from memgauge.submissions.sheets.base import place_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memgauge.show import Block
    from memgauge.submissions.checks.beside import ReportedMeasure
    from memgauge.submissions.checks.report import CheckReport, ReportedFinding

_ORIGIN = "Recomputed from rows; origin not verified: who made these rows is not shown by that."
_CALLING = re.compile(r"(?<!\w)[@#](?=\w)|:(?=//)|www(?=\.)|GH(?=-\d)")
"""What a page takes for the beginning of somebody's name, an issue, or an address."""
_TIED = {None: "", True: " (tied)", False: ""}


def comment(report: CheckReport) -> Document:
    """Draw a report as the comment of a pull request; nobody is called, and nothing linked, by what it quotes."""
    report = _quiet(report)
    refusals = sum(each.ruling is Ruling.REFUSE for each in report.findings) + report.left_out
    return Document(
        f"Checks of {report.id}",
        lead=lead_of(report, refusals, report.level.marks if report.level else ()),
        blocks=tuple(_blocks(report)),
        notes=(Note(_ORIGIN),),
        origin="the submission and the registry",
        data=ReadyData(report.model_dump(mode="json", by_alias=True)),
    )


def _quiet(report: CheckReport) -> CheckReport:
    """Break up what a page would take for a name to call, an issue, or an address to link."""
    text = _CALLING.sub("\\g<0>\N{WORD JOINER}", report.model_dump_json(by_alias=True))
    return type(report).model_validate_json(text)


def _blocks(report: CheckReport) -> Iterator[Block]:
    by = {
        ruling: [each for each in report.findings if each.ruling is ruling]
        for ruling in (Ruling.REFUSE, Ruling.ASK, Ruling.CANNOT)
    }
    yield from _findings("refused", "What keeps it out", by[Ruling.REFUSE])
    yield from _measures(report.measures)
    yield from _costs(report)
    yield from _listed("Golden scenarios", report.golden)
    yield from _listed("What its card claims and was not observed", report.contradicted)
    asked = [f"{place_of(each.file, each.field)}: {each.what} {each.remedy}" for each in by[Ruling.ASK]]
    yield from _listed("Questions", asked)
    yield from _findings("open", "What was not looked at", by[Ruling.CANNOT])
    yield Section("again", "To see the same", (Code(f"memgauge results check {shlex.quote(report.place)}"),))


def _findings(key: str, title: str, findings: Iterable[ReportedFinding]) -> Iterator[Table]:
    table = findings_table(key, title, ((each.check, each) for each in findings))
    if table.rows:
        yield table


def _measures(measures: Iterable[ReportedMeasure]) -> Iterator[Table]:
    """Yield a table a dataset: a row a measure, a column for each that this one is held against."""
    by_dataset: dict[str, dict[str, dict[str, ReportedMeasure]]] = {}
    for each in measures:
        by_dataset.setdefault(each.dataset, {}).setdefault(each.measure, {})[each.who] = each
    for dataset, rows in by_dataset.items():
        who = dict.fromkeys(name for cells in rows.values() for name in cells)
        heads = tuple(Column(name, under=_called(rows, name)) for name in who)
        yield Table.of(
            f"measures {dataset}",
            f"On {dataset}, with 95 % intervals over conversations",
            (Column("measure"), *heads),
            [(measure, *(_cell(cells.get(name)) for name in who)) for measure, cells in rows.items()],
        )


def _called(rows: dict[str, dict[str, ReportedMeasure]], name: str) -> str:
    return next(cells[name].submission for cells in rows.values() if name in cells)


def _cell(measure: ReportedMeasure | None) -> str:
    if measure is None or measure.value is None:
        return ""
    ends = f" (or more: {measure.ends})" if measure.ends else ""
    return f"{number(measure.value)} {between(measure.low, measure.high)}{_TIED[measure.tied]}{ends}"


def _costs(report: CheckReport) -> Iterator[Table]:
    heads = ("bundle", "ingest, s", "search, s", "calls of a model", "tokens", "p95, ms")
    rows = [
        (each.bundle, each.ingest_s, each.query_s, each.model_calls, each.tokens, each.p95_ms)
        for each in report.costs
    ]
    if rows:
        yield Table.of("costs", "What it cost, as counted", tuple(map(Column, heads)), rows)


def _listed(title: str, lines: Iterable[str]) -> Iterator[Section]:
    notes = tuple(map(Note, lines))
    if notes:
        yield Section(title.lower(), title, (Notes(notes),))
