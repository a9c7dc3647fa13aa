"""The golden study, as others mount it."""

from memgauge.studies.slices import ShownResult, Slice, StudyFiles

SLICE = Slice(
    name="golden",
    summary="Stateful and adversarial tests, proven able to fail; their history and drift.",
    commands="memgauge.studies.golden.commands:app",
    results=(
        ShownResult("golden", "memgauge.studies.golden.kinds:GOLDEN", "memgauge.studies.golden.show:document"),
    ),
    files=(
        StudyFiles(
            "golden history",
            "memgauge study golden run --history FILE.jsonl",
            "memgauge.studies.golden.history:is_history",
            "memgauge.studies.golden.show_history:document",
        ),
    ),
)
