"""The attribution study, as others mount it."""

from memgauge.studies.slices import ShownResult, Slice, StudyFiles

SLICE = Slice(
    name="attribution",
    summary="Which source an answer depends on: memory, document, state, or a guess.",
    commands="memgauge.studies.attribution.commands:app",
    results=(
        ShownResult(
            "attribution", "memgauge.studies.attribution.cards:CARDS", "memgauge.studies.attribution.show:document"
        ),
        ShownResult(
            "attribution designs",
            "memgauge.studies.attribution.wirings:DESIGN_POWER",
            "memgauge.studies.attribution.show:designs",
        ),
    ),
    files=(
        StudyFiles(
            "attribution history",
            "memgauge study attribution run --history FILE.jsonl",
            "memgauge.studies.attribution.trend:is_history",
            "memgauge.studies.attribution.show:history",
        ),
    ),
)
