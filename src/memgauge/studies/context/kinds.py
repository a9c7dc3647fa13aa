"""The results of this study, as files know them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.results import ResultKind

if TYPE_CHECKING:
    from memgauge.studies.context.listing import TaskList
    from memgauge.studies.context.prompts import PromptStudy
    from memgauge.studies.context.simulate import RuleComparison
    from memgauge.studies.context.study import ModelStudy

PROFILE: ResultKind[ModelStudy] = ResultKind(
    "context", 1, "memgauge.studies.context.study:ModelStudy", "memgauge study context profile --out FILE.json"
)
PROMPTS: ResultKind[PromptStudy] = ResultKind(
    "context prompts",
    1,
    "memgauge.studies.context.prompts:PromptStudy",
    "memgauge study context assembled --out FILE.json",
)
RULES: ResultKind[RuleComparison] = ResultKind(
    "context rules",
    1,
    "memgauge.studies.context.simulate:RuleComparison",
    "memgauge study context simulate --out FILE.json",
)
TASK_LIST: ResultKind[TaskList] = ResultKind(
    "context tasks", 1, "memgauge.studies.context.listing:TaskList", "memgauge study context tasks --out FILE.json"
)
