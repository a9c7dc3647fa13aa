"""The study of erasure, as others mount it."""

from memgauge.studies.slices import ShownResult, Slice

SLICE = Slice(
    name="erasure",
    summary="What a memory still holds of somebody whom it was asked to forget: a report for an auditor.",
    commands="memgauge.studies.erasure.commands:app",
    results=(
        ShownResult(
            "erasure", "memgauge.studies.erasure.kinds:ERASURE", "memgauge.studies.erasure.show:erasure_document"
        ),
    ),
)
