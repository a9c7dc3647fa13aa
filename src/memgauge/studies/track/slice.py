"""The track study, as others mount it."""

from memgauge.studies.slices import ShownResult, Slice, StudyFiles

SLICE = Slice(
    name="track",
    summary="An agent's memory across Slack, Linear and Git (MEMTRACK).",
    commands="memgauge.studies.track.commands:app",
    results=(
        ShownResult("track scores", "memgauge.studies.track.kinds:SCORES", "memgauge.studies.track.show:document"),
        ShownResult(
            "track comparison",
            "memgauge.studies.track.kinds:COMPARISON",
            "memgauge.studies.track.show_compared:comparison_document",
        ),
        ShownResult(
            "track statistics",
            "memgauge.studies.track.kinds:STATISTICS",
            "memgauge.studies.track.show_timelines:statistics_document",
        ),
        ShownResult(
            "track lint",
            "memgauge.studies.track.kinds:LINT",
            "memgauge.studies.track.show_timelines:lint_document",
        ),
        ShownResult(
            "track import",
            "memgauge.studies.track.kinds:IMPORT",
            "memgauge.studies.track.show_timelines:import_document",
        ),
    ),
    files=(
        StudyFiles(
            "track",
            "memgauge study track run --out FOLDER",
            "memgauge.studies.track.play.resume:is_run",
            "memgauge.studies.track.show_played:folder_document",
        ),
    ),
)
