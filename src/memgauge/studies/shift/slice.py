"""The shift study, as others mount it."""

from memgauge.studies.slices import ShownResult, Slice

SLICE = Slice(
    name="shift",
    summary="Recovery after a session boundary or a burst of off-topic turns (ShiftBench).",
    commands="memgauge.studies.shift.commands:app",
    results=(
        ShownResult("shift", "memgauge.studies.shift.report:SHIFT", "memgauge.studies.shift.show:document"),
        ShownResult(
            "shift sensitivity",
            "memgauge.studies.shift.report:SENSITIVITY",
            "memgauge.studies.shift.show:sensitivity",
        ),
    ),
)
