"""What curation says of issues that an instance may come from, and of checks of an instance: documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.show import Cell, Column, Document, Kind, Table
from memgauge.show.numbers import plural
from memgauge.studies.track.show_timelines import findings_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.studies.track.curation.bench import Work
    from memgauge.studies.track.curation.candidates import IssueCandidate
    from memgauge.studies.track.curation.record import InstanceChecks

_OURS = frozenset({"search", "random"})


def issues_document(issues: Sequence[IssueCandidate]) -> Document:
    """Say which closed issues can be used, and why the others cannot."""
    columns = (
        "issue",
        Column("title", Kind.PROSE),
        "PR",
        Column("comments", Kind.COUNT),
        Column("usable", Kind.PROSE),
    )
    rows = [
        (
            f"#{candidate.issue.number}",
            candidate.issue.title,
            f"#{candidate.change.number}" if candidate.change else "",
            candidate.remarks,
            candidate.why_not or "yes",
        )
        for candidate in issues
    ]
    usable = sum(candidate.change is not None for candidate in issues)
    return Document(
        title="Issues",
        lead=f"{usable} of {len(issues)} closed issues can be used.",
        blocks=(Table.of("issues", "Closed issues", columns, rows),),
        origin="the dump of issues",
    )


def checks_document(work: Work, checks: InstanceChecks) -> Document:
    """Say what is doubtful about an instance, and what agents made of it."""
    name, by = work.timeline.name, checks.filtered_by
    caveat = "" if by in _OURS else f"; scores of {by} on it are biased"
    findings = findings_table(checks.findings)
    counts = f"{plural(len(checks.errors), 'error')}, {plural(len(checks.warnings), 'warning')}"
    return Document(
        title="Checks of an instance",
        lead=f"{name}: {counts}; filtered by {by}{caveat}.",
        blocks=tuple(table for table in (findings, _solved(work, checks)) if table.rows),
        origin="the instance and those who played it",
    )


def _solved(work: Work, checks: InstanceChecks) -> Table:
    questions = [question.id for question in work.timeline.questions]
    return Table.of(
        "solved",
        "What agents made of it",
        ("agent", Column("correct", Kind.NUMBER), *(Column(name, Kind.NUMBER) for name in questions)),
        [(solution.agent, solution.score, *map(_mark, solution.questions.values())) for solution in checks.solved],
        "Correctness by question; -: rules cannot tell.",
    )


def _mark(score: float | None) -> Cell:
    return Cell("-") if score is None else Cell(f"{score:.2f}", value=score)
