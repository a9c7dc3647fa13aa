"""The targets study, as others mount it."""

from memgauge.studies.slices import ShownResult, Slice

SLICE = Slice(
    name="targets",
    summary="Who wins under which scoring target, from frozen runs (TIAP).",
    commands="memgauge.studies.targets.commands:app",
    results=(
        ShownResult("targets", "memgauge.studies.targets.study:AUDIT", "memgauge.studies.targets.show:document"),
        ShownResult(
            "targets support",
            "memgauge.studies.targets.semantic.graded:SUPPORT",
            "memgauge.studies.targets.semantic.show:document",
        ),
    ),
)
