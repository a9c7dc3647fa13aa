"""The study, as memgauge mounts it."""

from memgauge.studies.slices import Shown, Slice
from toystudy.lengths import LENGTHS

SLICE = Slice(
    name="lengths",
    summary="How long questions are (a toy).",
    commands="toystudy.commands:app",
    results=(Shown(LENGTHS, "toystudy.show:document"),),
)
