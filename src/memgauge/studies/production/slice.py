"""The study of production, as others mount it."""

from memgauge.studies.slices import ShownResult, Slice

SLICE = Slice(
    name="production",
    summary="What production traffic says without gold: health, drift, alarms; and rates from a few labels.",
    commands="memgauge.studies.production.commands_label:app",
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
        ShownResult(
            "paraphrase sensitivity",
            "memgauge.studies.production.replaying:PARAPHRASE",
            "memgauge.studies.production.show:paraphrase_document",
        ),
        ShownResult(
            "labelled rates",
            "memgauge.studies.production.labelling:LABELLED",
            "memgauge.studies.production.show_labels:labelled_document",
        ),
    ),
)
