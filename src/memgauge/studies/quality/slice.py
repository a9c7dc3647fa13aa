"""The quality study, as others mount it."""

from memgauge.studies.slices import ShownResult, Slice

SLICE = Slice(
    name="quality",
    summary="Precision, time, contradiction over a ladder of systems; a gate for CI.",
    commands="memgauge.studies.quality.commands:app",
    results=(
        ShownResult("memgauge.studies.quality.kinds:QUALITY", "memgauge.studies.quality.show:document"),
        ShownResult("memgauge.studies.quality.kinds:GATE", "memgauge.studies.quality.gate_show:document"),
        ShownResult("memgauge.studies.quality.kinds:PUBLISHED", "memgauge.studies.quality.show:audit"),
    ),
)
