"""The quality study, as others mount it."""

from memgauge.studies.slices import ShownResult, Slice

SLICE = Slice(
    name="quality",
    summary="Precision, time, contradiction over a ladder of systems; a gate for CI.",
    commands="memgauge.studies.quality.commands:app",
    results=(
        ShownResult("quality", "memgauge.studies.quality.study:QUALITY", "memgauge.studies.quality.show:document"),
        ShownResult(
            "quality gate", "memgauge.studies.quality.gate:GATE", "memgauge.studies.quality.gate_show:document"
        ),
        ShownResult(
            "quality audit-table",
            "memgauge.studies.quality.published:PUBLISHED",
            "memgauge.studies.quality.show:audit",
        ),
    ),
)
