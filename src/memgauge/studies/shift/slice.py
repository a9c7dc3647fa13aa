"""The shift study, as others mount it."""

from memgauge.studies.shift.kinds import SENSITIVITY, SHIFT
from memgauge.studies.slices import ShownResult, Slice

SLICE = Slice(
    name="shift",
    summary="Recovery after a session boundary or a burst of off-topic turns (ShiftBench).",
    commands="memgauge.studies.shift.commands:app",
    results=(
        ShownResult(SHIFT, "memgauge.studies.shift.show:document"),
        ShownResult(SENSITIVITY, "memgauge.studies.shift.show:sensitivity"),
    ),
)
