"""Whether causes are right: memories with one known defect each, and the cause that their records show."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from memgauge.datasets.catalogue import open_dataset
from memgauge.records import BOARD, Scope
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors.inline import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record.manifest import Limits
from memgauge.scoring.causes import FailureCause
from memgauge.scoring.failures import explained
from memgauge.scoring.leaderboard import leaderboards
from memgauge.scoring.score import Settings
from memgauge.systems.catalogue import open_system
from memgauge.systems.reference.defective.defective import Defective

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.datasets.base import Dataset
    from memgauge.scoring.align import JudgedRun
    from memgauge.scoring.leaderboard import Built

SOUND = "bm25"
"""The same memory without a defect."""
WORLD = "synthetic:small"
SMALL_WORLD = "synthetic:tiny"
"""For what takes its time on purpose."""
TRUTH: Mapping[str, frozenset[FailureCause]] = {
    "drops": frozenset({FailureCause.NOT_STORED}),
    "refuses": frozenset({FailureCause.NOT_STORED}),
    "truncates": frozenset({FailureCause.ALTERED}),
    "renames": frozenset({FailureCause.ALTERED}),
    "blurs": frozenset({FailureCause.ALTERED}),
    "misfiles": frozenset({FailureCause.OTHER_SCOPE}),
    "forgets": frozenset({FailureCause.LOST}),
    "overwrites": frozenset({FailureCause.LOST}),
    "stale": frozenset({FailureCause.NOT_RETURNED}),
    "lagging": frozenset({FailureCause.NOT_RETURNED}),
    "tiny": frozenset({FailureCause.NOT_RETURNED}),
    "backwards": frozenset({FailureCause.TOO_DEEP, FailureCause.CUT}),
    "wordy": frozenset({FailureCause.CUT}),
    "leaks": frozenset({FailureCause.OTHER_SCOPE}),
    "outdated": frozenset({FailureCause.OLD_VERSION}),
    "breaks": frozenset({FailureCause.SEARCH_FAILED}),
    "slow": frozenset({FailureCause.SEARCH_FAILED}),
}
"""What each defect does to the evidence that it touches; a bad ranking shows as either of two."""


@dataclass(frozen=True)
class DefectVerdict:
    """How often the cause that the record shows is that of the defect."""

    system: str
    spoilt: int
    """Questions of which the defect touched the evidence, and that the sound memory answers better."""
    right: int
    named: Mapping[FailureCause, int]
    """How often each cause was named."""

    @property
    def share(self) -> float:
        """Return which share is right; nothing spoilt shows nothing."""
        return self.right / self.spoilt if self.spoilt else 0.0


def failures() -> Mapping[str, float]:
    """Play every defective memory beside the sound one, and count how often the true cause is named."""
    quick = [f"defective:{defect}" for defect in TRUTH if defect != "slow"]
    verdicts = [*verdicts_on(WORLD, quick), *verdicts_on(SMALL_WORLD, ["defective:slow"])]
    shares = [verdict.share for verdict in verdicts]
    return {
        "defects": float(len(verdicts)),
        "causes_right_min": min(shares),
        "causes_right_mean": fmean(shares),
    }


def verdicts_on(ref: str, systems: Sequence[str]) -> list[DefectVerdict]:
    """Play *systems*, each with one defect, beside the sound one on one dataset."""
    limits = Limits(timeout_s=1.0 if any("slow" in system for system in systems) else 60.0, retries=0)
    with tempfile.TemporaryDirectory() as scratch:
        run_plan = plan([ref], [SOUND, *systems], limits=limits, probes=0)
        folders = execute(run_plan, Path(scratch), executor=Inline())
        (built,) = leaderboards(folders, Settings(BOARD))
        judged_runs = {judged_run.run.manifest.system.ref: judged_run for judged_run in built.judged}
        return [_verdict(system, judged_runs[system], judged_runs[SOUND], built) for system in systems]


def _verdict(system: str, judged: JudgedRun, sound: JudgedRun, built: Built) -> DefectVerdict:
    gold, measure = built.gold, built.settings.parsed[0]
    rows, sound_rows = judged.rows(measure), sound.rows(measure)
    touched = dict(_touched(system, open_dataset(gold.identity.ref)))
    spoilt = [
        place
        for place, question in enumerate(gold.questions)
        if rows.defined[place]
        and rows.values[place] < sound_rows.values[place]
        and touched[question.id].intersection(gold.golds[place].anchors(judged.contract.evidence))
    ]
    causes = [reason.cause for reason in explained(judged, gold, measure, spoilt).values()]
    defect = system.removeprefix("defective:").partition(",")[0]
    counts = {cause: causes.count(cause) for cause in FailureCause if cause in causes}
    return DefectVerdict(system, len(causes), sum(counts.get(cause, 0) for cause in TRUTH[defect]), counts)


def _touched(system: str, dataset: Dataset) -> Iterator[tuple[str, set[str]]]:
    """Let a defective memory live through every conversation again, and say what it touched for each question."""
    for case in dataset.cases():
        memory, scope = open_system(system), Scope(user=case.conversation.id)
        assert isinstance(memory, Defective)  # noqa: S101 - it was asked for by its name
        for turn in case.conversation.turns():
            with suppress(RuntimeError):  # what refuses on purpose
                memory.ingest([turn], scope)
        for question in case.questions:
            yield question.id, set(memory.spoils(question.text, scope))
