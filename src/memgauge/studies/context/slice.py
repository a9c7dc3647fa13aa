"""The context study, as others mount it."""

from memgauge.studies.slices import ShownResult, Slice, StudyFiles

SLICE = Slice(
    name="context",
    summary="Where in a prompt memory survives, and how much is effective.",
    commands="memgauge.studies.context.commands:app",
    results=(
        ShownResult("memgauge.studies.context.kinds:PROFILE", "memgauge.studies.context.show:document"),
        ShownResult("memgauge.studies.context.kinds:PROMPTS", "memgauge.studies.context.show_prompts:document"),
        ShownResult("memgauge.studies.context.kinds:RULES", "memgauge.studies.context.show_lists:rules_document"),
        ShownResult(
            "memgauge.studies.context.kinds:TASK_LIST", "memgauge.studies.context.show_lists:tasks_document"
        ),
    ),
    kept=(
        StudyFiles(
            "context history",
            "memgauge study context profile --history FILE.jsonl",
            "memgauge.studies.context.trend:is_history",
            "memgauge.studies.context.show_history:document",
        ),
    ),
)
