"""The study, as memgauge mounts it."""

from memgauge.studies.slices import ShownResult, Slice

SLICE = Slice(
    name="lengths",
    summary="How long questions are (a toy).",
    commands="toystudy.commands:app",
    results=(ShownResult("lengths", "toystudy.lengths:LENGTHS", "toystudy.show:document"),),
)
