"""What the shift study says: its documents."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.show import Document, Figure, Fold, Note, Prose, Section
from memgauge.show.numbers import plural
from memgauge.studies.shift import tables, words
from memgauge.studies.shift.charts import curves_chart, slope_chart
from memgauge.studies.shift.findings.sensitivity import words as surviving
from memgauge.studies.shift.report import SENSITIVITY, SHIFT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.datasets.base import DatasetIdentity
    from memgauge.show import Block
    from memgauge.studies.shift.report import SensitivityReport, ShiftReport

ORIGIN = "one deterministic play of the protocol"
SURVIVES = "Does the finding survive another reading?"


def document(report: ShiftReport) -> Document:
    """Say everything about one reading of the protocol."""
    result, spec = report.result, report.spec
    return Document(
        title=f"Shift study of {report.dataset.ref}",
        lead=words.verdict(result),
        facts=(f"{_data(report.dataset)}, preset {report.preset}, seed {spec.seed}", _measured(report)),
        blocks=tuple(_blocks(report)),
        notes=tuple(map(Note, words.notes(report))),
        next=_kept(report),
        origin=ORIGIN,
        identity=_identity(report.dataset, report.memgauge, preset=report.preset, seed=str(spec.seed)),
        data=SHIFT.of(report),
    )


def sensitivity(report: SensitivityReport) -> Document:
    """Say what survives every definition that the paper leaves open."""
    return Document(
        title=SURVIVES,
        lead=surviving(report.readings),
        facts=(f"{_data(report.dataset)}, m={report.burst}, seed {report.seed}",),
        blocks=(tables.definitions(report.readings, report.horizon, brief=True),),
        origin=ORIGIN,
        identity=_identity(report.dataset, report.memgauge, seed=str(report.seed)),
        data=SENSITIVITY.of(report),
    )


def _blocks(report: ShiftReport) -> Iterator[Block]:
    result = report.result
    yield from tuple(_figures(report)) or (Prose("There is nothing to draw: no score is defined."),)
    yield tables.scores(report)
    each = tables.conversations(report)
    yield Section(f"folded-{each.key}", each.title, (each,), Fold.CLOSED)
    yield tables.ranks(report)
    if result.ranks_of_all:
        yield tables.ranks_of_all(report)
    alone = () if result.gaps else (Prose("With one policy there is no gap."),)
    gaps = (tables.gaps(report),) if result.gaps else alone
    yield Section("gaps", "Which gaps hold over conversations", (Prose(words.clear(result)), *gaps))
    if any(report.spec.bursts):
        yield tables.times(report)
    else:
        yield Section("times", tables.TIMES, (Prose("No interruption was played."),))
    if report.answers is not None:
        sentence = (
            f"{words.answered(report.answers)} Rank correlation of F1 with hits: {words.follows(report.answers)}."
        )
        yield Section("answers", "Do answers follow?", (Prose(sentence), tables.answers(report.answers)))
    if result.routes:
        yield tables.routes(result)
    if report.readings:
        definitions = tables.definitions(report.readings, report.spec.horizon, brief=False)
        yield Section("definitions", SURVIVES, (Prose(surviving(report.readings)), definitions))
    yield tables.protocol(report.spec)


def _figures(report: ShiftReport) -> Iterator[Figure]:
    result, spec, burst = report.result, report.spec, report.result.told

    if any(None not in {row.overall.mean, row.recovery[burst].mean} for row in result.rows):
        hollow = " Hollow: published." if report.like_published else ""
        caption = f"Figure 1. Thick, in colour: policies that change places.{hollow}"
        title = f"Who leads overall, and who {words.after(burst)}"
        yield Figure(
            "slope", title, caption, partial(slope_chart, result, spec, burst, beside=report.like_published)
        )
    bursts = {burst, 0} if 0 in spec.bursts else {burst}
    if any(point.mean is not None for row in result.rows for m in bursts for point in row.curves[m]):
        clean_note = " Dashed: without bursts." if 0 in spec.bursts and burst else ""
        caption = f"Figure 2. Bands: 95 % interval over conversations.{clean_note} Dotted: T={spec.horizon}."
        title = f"How fast retrieval comes back {words.after(burst)}"
        yield Figure("curves", title, caption, partial(curves_chart, result, spec, burst))


def _measured(report: ShiftReport) -> str:
    spec = report.spec
    return (
        f"{words.counts(report.result, spec)}. Recovery@{spec.horizon} is the share of hits "
        f"among the first {plural(spec.horizon, 'question')} after every session boundary; m is the number of "
        f"off-topic turns put before each of the first {spec.interrupted}."
    )


def _data(dataset: DatasetIdentity) -> str:
    return f"{dataset.ref} (sha256 {dataset.sha256[:12]})"


def _identity(dataset: DatasetIdentity, version: str, **further: str) -> dict[str, str]:
    return {"dataset": dataset.ref, "sha256": dataset.sha256, **further, "memgauge": version}


def _kept(report: ShiftReport) -> str:
    """Say where the runs are."""
    places = sorted({str(Path(run.folder).parent) for run in report.runs})
    return f"Runs: {plural(len(report.runs), 'folder')} in {', '.join(places)}." if places else ""
