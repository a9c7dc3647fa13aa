"""The study of production, as others mount it."""

from memgauge.studies.slices import ShownResult, Slice

SLICE = Slice(
    name="production",
    summary="What production traffic says without gold: health, drift, alarms; and rates from a few labels.",
    commands="memgauge.studies.production.commands:app",
    results=(
        ShownResult(
            "health",
            "memgauge.studies.production.health:HEALTH",
            "memgauge.studies.production.show:health_document",
        ),
        ShownResult(
            "production drift",
            "memgauge.studies.production.drift:DRIFT",
            "memgauge.studies.production.show:drift_document",
        ),
    ),
)
