"""The targets study, as others mount it."""

from memgauge.studies.slices import ShownResult, Slice
from memgauge.studies.targets.kinds import AUDIT, SUPPORT

SLICE = Slice(
    name="targets",
    summary="Who wins under which scoring target, from frozen runs (TIAP).",
    commands="memgauge.studies.targets.commands:app",
    results=(
        ShownResult(AUDIT, "memgauge.studies.targets.show:document"),
        ShownResult(SUPPORT, "memgauge.studies.targets.semantic.show:document"),
    ),
)
