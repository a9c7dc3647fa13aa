"""What is said about timelines before anybody plays them: statistics, doubts, and what an import kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.show import Cell, Column, Document, Kind, Table
from memgauge.show.numbers import plural
from memgauge.studies.track.kinds import IMPORT, LINT, STATISTICS
from memgauge.studies.track.tables import timelines
from memgauge.studies.track.timeline.statistics import THRESHOLD
from memgauge.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memgauge.studies.track.timeline.accounting import ArchiveImport
    from memgauge.studies.track.timeline.lint import LintFinding, LintReport
    from memgauge.studies.track.timeline.statistics import Statistics, TimelineStatistics

_ORIGIN = "the timelines"


def statistics_document(counted: TimelineStatistics) -> Document:
    """Say what Table 1 of MEMTRACK says: of each instance, and over all of them."""
    histories = len({each.history for each in counted.instances})
    return Document(
        title="Timelines",
        lead=(
            f"{plural(len(counted.instances), 'instance')} over {histories:,} different "
            f"{'history' if histories == 1 else 'histories'}."
        ),
        blocks=(_each(counted), timelines(counted.table)),
        origin=_ORIGIN,
        identity={"memgauge": __version__},
        data=STATISTICS.of(counted),
    )


def _each(counted: TimelineStatistics) -> Table:
    counts = ("events", "slack", "linear", "git", "tokens")
    return Table.of(
        "instances",
        "Instances",
        (
            "instance",
            *(Column(head, Kind.COUNT, yields=int(head in {"slack", "linear", "git"})) for head in counts),
            Column("H bits", Kind.NUMBER),
            Column("refs", Kind.COUNT),
            "heterophily",
            Column("span h", Kind.NUMBER),
            Column("q", Kind.COUNT, means="questions"),
        ),
        [
            (
                each.name,
                each.events,
                *(each.platforms.get(name, 0) for name in ("slack", "linear", "git")),
                each.tokens,
                Cell(f"{each.entropy_bits:.4f}", value=each.entropy_bits),
                each.references,
                f"{each.heterophily.count}/{each.heterophily.of}",
                Cell(f"{each.span_hours:,.2f}", value=each.span_hours),
                each.questions,
            )
            for each in counted.instances
        ],
        _counted(counted.instances[0]) if counted.instances else "",
    )


def _counted(first: Statistics) -> str:
    """Say what the numbers of every instance were counted by."""
    return (
        f"Tokens: {first.token_counter}. References: {first.reference_scorer}, score above {THRESHOLD}. "
        "H: entropy of the platforms, in bits."
    )


def lint_document(report: LintReport) -> Document:
    """Say what is doubtful."""
    return Document(
        title="Lint of instances",
        lead=f"{plural(len(report.findings), 'finding')} in {plural(report.instances, 'instance')}.",
        blocks=(findings_table(report.findings),),
        origin=_ORIGIN,
        identity={"memgauge": __version__},
        data=LINT.of(report),
    )


def findings_table(findings: Iterable[LintFinding]) -> Table:
    """List findings: level, code, where and what."""
    columns = (Column("level"), Column("finding"), *Column.each(Kind.PROSE, "where", "what"))
    rows = [(str(each.level), each.code, each.where, each.what) for each in findings]
    return Table.of("findings", "Findings", columns, rows)


def import_document(archive: ArchiveImport) -> Document:
    """Say what an import kept of every instance, and what it lost."""
    instances = plural(len(archive.instances), "instance")
    heads = ("events", "questions", "values", "lost", "keys kept as extra")
    return Document(
        title="Import of MEMTRACK",
        lead=f"Wrote {instances} below {archive.out}." if archive.out else f"Read {instances}.",
        blocks=(
            Table.of(
                "instances",
                "Instances",
                ("instance", *(Column(head, Kind.COUNT) for head in heads)),
                [
                    (
                        each.name,
                        each.events,
                        each.questions,
                        each.accounting.values,
                        len(each.accounting.lost),
                        len(each.accounting.extra),
                    )
                    for each in archive.instances
                ],
                "Values: of the original, wherever they stand; lost: those that the timeline does not hold.",
            ),
        ),
        origin="the archive",
        identity={"memgauge": __version__},
        data=IMPORT.of(archive),
    )
