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


def statistics_document(timeline_statistics: TimelineStatistics) -> Document:
    """Say what Table 1 of MEMTRACK says: of each instance, and over all of them."""
    histories = len({instance.history for instance in timeline_statistics.instances})
    return Document(
        title="Timelines",
        lead=(
            f"{plural(len(timeline_statistics.instances), 'instance')} over {histories:,} different "
            f"{'history' if histories == 1 else 'histories'}."
        ),
        blocks=(_each(timeline_statistics), timelines(timeline_statistics.table)),
        origin=_ORIGIN,
        identity={"memgauge": __version__},
        data=STATISTICS.of(timeline_statistics),
    )


def _each(timeline_statistics: TimelineStatistics) -> Table:
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
                instance.name,
                instance.events,
                *(instance.platforms.get(name, 0) for name in ("slack", "linear", "git")),
                instance.tokens,
                Cell(f"{instance.entropy_bits:.4f}", value=instance.entropy_bits),
                instance.references,
                f"{instance.heterophily.count}/{instance.heterophily.of}",
                Cell(f"{instance.span_hours:,.2f}", value=instance.span_hours),
                instance.questions,
            )
            for instance in timeline_statistics.instances
        ],
        _counted(timeline_statistics.instances[0]) if timeline_statistics.instances else "",
    )


def _counted(statistics: Statistics) -> str:
    """Say what the numbers of every instance were counted by."""
    return (
        f"Tokens: {statistics.token_counter}. References: {statistics.reference_scorer}, score above {THRESHOLD}. "
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
    columns = ("level", "finding", Column("where", Kind.PROSE), Column("what", Kind.PROSE))
    rows = [(str(finding.level), finding.code, finding.where, finding.what) for finding in findings]
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
                        instance.name,
                        instance.events,
                        instance.questions,
                        instance.accounting.values,
                        len(instance.accounting.lost),
                        len(instance.accounting.extra),
                    )
                    for instance in archive.instances
                ],
                "Values: of the original, wherever they stand; lost: those that the timeline does not hold.",
            ),
        ),
        origin="the archive",
        identity={"memgauge": __version__},
        data=IMPORT.of(archive),
    )
