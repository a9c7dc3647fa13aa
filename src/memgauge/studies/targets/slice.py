"""The targets study, as others mount it."""

from memgauge.studies.slices import ShownResult, Slice

SLICE = Slice(
    name="targets",
    summary="Who wins under which scoring target, from frozen runs (TIAP).",
    commands="memgauge.studies.targets.commands:app",
    results=(
        ShownResult("memgauge.studies.targets.kinds:AUDIT", "memgauge.studies.targets.show:document"),
        ShownResult("memgauge.studies.targets.kinds:SUPPORT", "memgauge.studies.targets.semantic.show:document"),
    ),
)
