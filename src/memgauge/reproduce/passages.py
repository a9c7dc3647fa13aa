"""What each study must say of a benchmark that was played, or why it has nothing to say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memgauge.errors import RunError
from memgauge.llm.answerers import open_answerer
from memgauge.records import BOARD
from memgauge.report.board import documents
from memgauge.runs.play.executors.inline import Inline
from memgauge.runs.record.manifest import Limits
from memgauge.scoring.failures import failures
from memgauge.scoring.leaderboard import leaderboards
from memgauge.scoring.score import Settings
from memgauge.show.html import page
from memgauge.studies.context.policies import POLICIES
from memgauge.studies.context.prompts import PromptOrder, assemble
from memgauge.studies.shift.study import Cast, conduct
from memgauge.systems.policies.embedding import open_embedder
from memgauge.text.counting import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from memgauge.datasets.base import Dataset
    from memgauge.scoring.leaderboard import Built
    from memgauge.studies.shift.protocol.spec import ShiftSpec

POLICIES_OF_SHIFT: Final = ("flat", "hsr", "fusion", "dense")
BURST: Final = 20
"""Turns that interrupt."""
DRAWS: Final = 200
"""Resamples: whether numbers come out is asked here, and not how sure they are."""
BUDGET: Final = 500
NO_EVIDENCE: Final = "no question names a turn as evidence"
"""Why nothing is scored."""
NO_SESSIONS: Final = "its conversations have one session each"


@dataclass(frozen=True)
class PlayedDataset:
    """A benchmark, and the runs that were made on it."""

    dataset: Dataset
    folders: tuple[Path, ...]
    vectors: str
    protocol: ShiftSpec
    """Of the shift study."""
    scratch: Path
    """Where the runs of the shift study go."""

    @property
    def evidenced(self) -> int:
        """Count the questions that name turns as evidence."""
        return sum(bool(gold.anchors()) for gold in self.dataset.gold())

    @property
    def in_sessions(self) -> bool:
        """Whether any conversation has a boundary."""
        return any(len(case.conversation.sessions) > 1 for case in self.dataset.cases())

    def board(self, folders: Sequence[Path]) -> Built:
        """Score runs beside each other."""
        (built,) = leaderboards(folders, Settings(BOARD), allow_unpinned=True)
        return built


def why_not_scored(played: PlayedDataset) -> str:
    """Score every run alone: each question with evidence has a score."""
    for folder in played.folders:
        (entry,) = played.board([folder]).board.entries
        counts = {score.denominator.scored for score in entry.scores.values() if score.value is not None}
        if not counts and not played.evidenced:
            return NO_EVIDENCE
        _require(counts == {played.evidenced}, f"{folder.name}: {counts} questions scored of {played.evidenced}")
    return ""


def why_not_failed(played: PlayedDataset) -> str:
    """List what was missed: each miss has a cause."""
    built = played.board(played.folders)
    measure = built.settings.parsed[0]
    failure_list = failures(built.judged, built.gold, measure, limit=None)
    if not any(failure_list.scored.values()):
        return NO_EVIDENCE
    for judged_run in built.judged:
        rows, causes = judged_run.rows(measure), failure_list.causes.get(judged_run.run.label, {})
        misses = int((rows.defined & (rows.values == 0)).sum())
        _require(sum(causes.values()) == misses, f"{judged_run.run.label}: causes of {causes} for {misses} misses")
    return ""


def why_not_shifted(played: PlayedDataset) -> str:
    """Play the protocol: policies and a memory of the same vectors, with and without an interruption."""
    if not played.evidenced:
        return NO_EVIDENCE
    if not played.in_sessions:
        return NO_SESSIONS
    embedder = open_embedder(played.vectors)
    cast = Cast(POLICIES_OF_SHIFT, (f"dense:embedder={played.vectors}",), embedder)
    report = conduct(
        played.dataset,
        played.protocol,
        cast,
        played.scratch,
        preset="clean",
        answerer=open_answerer("extractive"),
        limits=Limits(),
        executor=Inline(),
        draws=DRAWS,
    )
    counts = {(row.overall.n, row.failed) for row in report.result.rows}
    _require(counts == {(played.evidenced, 0)}, f"{counts} questions of {played.evidenced} in the shift study")
    return ""


def why_not_assembled(played: PlayedDataset) -> str:
    """Assemble prompts: every question with evidence has one in every order."""
    if not played.evidenced:
        return NO_EVIDENCE
    order = PromptOrder(
        budget=(BUDGET,),
        policy=(),
        cut="whole",
        k=10,
        counter=DEFAULT.name,
        instructions=None,
        profile=None,
        task=None,
        answers=False,
        right=0.5,
    )
    lanes = assemble(played.folders, order).lanes
    _require(len(lanes) == len(POLICIES.names()) * len(played.folders), f"{len(lanes)} ways of assembly")
    counts = {len(lane.fates) for lane in lanes}
    _require(counts == {played.evidenced}, f"{counts} prompts of {played.evidenced}")
    return ""


def why_not_on_a_board(played: PlayedDataset) -> str:
    """Put all runs on one board and draw it: each has a place, or a sentence that says why not."""
    board = played.board(played.folders).board
    html = page(documents([board]))
    for entry in board.entries:
        _require(entry.label in html, f"{entry.label} is not on the page")
        place_or_reason = entry.rank is not None or entry.marks or entry.scores[board.measures[0]].reason
        _require(bool(place_or_reason), f"{entry.label} has neither a place nor a reason")
    return "" if played.evidenced else NO_EVIDENCE


def _require(holds: bool, claim: str) -> None:
    if not holds:
        raise RunError(f"A study does not say all of a benchmark: {claim}.")


STUDIES: Final[Mapping[str, Callable[[PlayedDataset], str]]] = {
    "score": why_not_scored,
    "failures": why_not_failed,
    "shift": why_not_shifted,
    "context": why_not_assembled,
    "board": why_not_on_a_board,
}
"""Every study, by what says why it has nothing to say of a benchmark; empty where it does."""
