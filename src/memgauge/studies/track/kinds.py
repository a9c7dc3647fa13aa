"""The results of this study, as files know them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.results import ResultKind

if TYPE_CHECKING:
    from memgauge.studies.track.scoring.compare import RunComparison
    from memgauge.studies.track.scoring.scored import TrackScores
    from memgauge.studies.track.timeline.accounting import ArchiveImport
    from memgauge.studies.track.timeline.lint import LintReport
    from memgauge.studies.track.timeline.statistics import TimelineStatistics

SCORES: ResultKind[TrackScores] = ResultKind(
    "track scores",
    1,
    "memgauge.studies.track.scoring.scored:TrackScores",
    "memgauge study track score RUN --out FILE.json",
)
COMPARISON: ResultKind[RunComparison] = ResultKind(
    "track comparison",
    1,
    "memgauge.studies.track.scoring.compare:RunComparison",
    "memgauge study track compare RUN RUN --out FILE.json",
)
STATISTICS: ResultKind[TimelineStatistics] = ResultKind(
    "track statistics",
    1,
    "memgauge.studies.track.timeline.statistics:TimelineStatistics",
    "memgauge study track stats --out FILE.json",
)
LINT: ResultKind[LintReport] = ResultKind(
    "track lint", 1, "memgauge.studies.track.timeline.lint:LintReport", "memgauge study track lint --out FILE.json"
)
IMPORT: ResultKind[ArchiveImport] = ResultKind(
    "track import",
    1,
    "memgauge.studies.track.timeline.accounting:ArchiveImport",
    "memgauge study track import ARCHIVE --check --json",
)
