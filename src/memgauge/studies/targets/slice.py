"""The targets study, as others mount it."""

from memgauge.studies.slices import Shown, Slice
from memgauge.studies.targets.kinds import AUDIT, SUPPORT

SLICE = Slice(
    name="targets",
    summary="Who wins under which scoring target, from frozen runs (TIAP).",
    commands="memgauge.studies.targets.commands:app",
    results=(
        Shown(AUDIT, "memgauge.studies.targets.show:document"),
        Shown(SUPPORT, "memgauge.studies.targets.semantic.show:document"),
    ),
)
