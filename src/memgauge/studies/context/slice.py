"""The context study, as others mount it."""

from memgauge.studies.slices import ShownResult, Slice, StudyFiles

SLICE = Slice(
    name="context",
    summary="Where in a prompt memory survives, and how much is effective.",
    commands="memgauge.studies.context.commands:app",
    results=(
        ShownResult("context", "memgauge.studies.context.study:PROFILE", "memgauge.studies.context.show:document"),
        ShownResult(
            "context prompts",
            "memgauge.studies.context.prompts:PROMPTS",
            "memgauge.studies.context.show_prompts:document",
        ),
        ShownResult(
            "context rules",
            "memgauge.studies.context.simulate:RULES",
            "memgauge.studies.context.show_lists:rules_document",
        ),
        ShownResult(
            "context tasks",
            "memgauge.studies.context.listing:TASK_LIST",
            "memgauge.studies.context.show_lists:tasks_document",
        ),
    ),
    files=(
        StudyFiles(
            "context history",
            "memgauge study context profile --history FILE.jsonl",
            "memgauge.studies.context.trend:is_history",
            "memgauge.studies.context.show_history:document",
        ),
    ),
)
