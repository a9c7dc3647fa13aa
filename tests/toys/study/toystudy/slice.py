"""The study, as memgauge mounts it."""

from memgauge.studies.slices import ShownResult, Slice
from toystudy.lengths import LENGTHS

SLICE = Slice(
    name="lengths",
    summary="How long questions are (a toy).",
    commands="toystudy.commands:app",
    results=(ShownResult(LENGTHS, "toystudy.show:document"),),
)
