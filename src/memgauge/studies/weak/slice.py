"""The study of a weak model, as others mount it."""

from memgauge.studies.slices import ShownResult, Slice

SLICE = Slice(
    name="weak",
    summary="What happens when memories ask a weak real model: losses, retries, runaway replies.",
    commands="memgauge.studies.weak.commands:app",
    results=(ShownResult("weak", "memgauge.studies.weak.study:WEAK", "memgauge.studies.weak.show:document"),),
)
