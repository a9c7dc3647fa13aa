"""Runs read back and scored: ours from their folder, an outside agent's from what was kept while it was served."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from memgauge.errors import ConfigError, RunNotFoundError
from memgauge.results import result
from memgauge.studies.track.play.played import QuestionEnding
from memgauge.studies.track.play.resume import PLAN, read_run
from memgauge.studies.track.play.served import read_served
from memgauge.studies.track.play.trajectory import TRAJECTORY
from memgauge.studies.track.scoring.card import InstanceCard, card
from memgauge.studies.track.scoring.method import MethodScores, method
from memgauge.studies.track.scoring.paper import inquiry as about_calls
from memgauge.studies.track.scoring.verdicts import by_rules
from memgauge.studies.track.timeline.people import everybody
from memgauge.studies.track.timeline.statistics import InstanceStatistic

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from memgauge.llm.messages import Request
    from memgauge.studies.track.play.played import PlayedInstance
    from memgauge.studies.track.scoring.judge import TrackJudge
    from memgauge.studies.track.timeline.models import Timeline


@dataclass(frozen=True)
class ScoredRun:
    """One run with everything that is measured of it."""

    folder: str
    identity: Mapping[str, Any]
    timelines: Mapping[str, Timeline]
    played: Sequence[PlayedInstance]
    cards: Sequence[InstanceCard]
    method: MethodScores
    judge: str = ""
    """Who judged what rules did not settle; empty: nobody."""
    torn: tuple[str, ...] = ()
    """Files of an outside agent's run whose last line was cut off, and is left out."""

    @property
    def whole(self) -> bool:
        """Whether all that was to be scored is there: played, replied to, and judged where a judge was asked."""
        method = self.method
        stopped = method.count(QuestionEnding.UNASKED, QuestionEnding.UNANSWERED)
        return not (self.missing or method.unjudged or method.lost or stopped or self.torn)

    @property
    def missing(self) -> int:
        """Count what the plan names and was not played to its end."""
        return len(self.identity["instances"]) * int(self.identity["repeats"]) - len(self.played)


@result
@dataclass(frozen=True)
class ScoredInstance:
    """One instance played once, and what is averaged of it, by name."""

    card: InstanceCard
    values: Mapping[str, float | None]


@result
@dataclass(frozen=True)
class RunScores:
    """What is known of one run once it is scored, without what was played."""

    folder: str
    identity: Mapping[str, Any]
    judge: str
    missing: int
    """Instances of the plan that were not played to their end."""
    faults: int
    """How often the memory failed when the harness wrote or searched it."""
    method: MethodScores
    instances: tuple[ScoredInstance, ...]
    torn: tuple[str, ...] = ()
    """Files whose last line was cut off while it was written, and is left out."""


@result
@dataclass(frozen=True)
class TrackScores:
    """Scored runs side by side, and what their timelines are."""

    runs: tuple[RunScores, ...]
    statistics: tuple[InstanceStatistic, ...]


def scores_of(runs: Sequence[ScoredRun]) -> TrackScores:
    """Leave out what was played, and count the timelines as Table 1 does."""
    from memgauge.studies.track.timeline.references import ReferenceWords
    from memgauge.studies.track.timeline.statistics import statistics, table
    from memgauge.text.counting import DEFAULT

    scorer = ReferenceWords()
    timelines = {name: timeline for run in runs for name, timeline in run.timelines.items()}
    columns = table([statistics(timeline, DEFAULT, scorer) for timeline in timelines.values()])
    return TrackScores(tuple(map(_scores, runs)), columns)


def _scores(run: ScoredRun) -> RunScores:
    return RunScores(
        run.folder,
        run.identity,
        run.judge,
        run.missing,
        sum(len(answer.faults) for instance in run.played for answer in instance.answers),
        run.method,
        tuple(ScoredInstance(card, card.values()) for card in run.cards),
        run.torn,
    )


def score_run(
    folder: Path,
    *,
    judge: TrackJudge | None = None,
    paper: TrackJudge | None = None,
    instance: Timeline | None = None,
) -> ScoredRun:
    """Score a run.

    *folder* is of ``memgauge study track run``, or what ``memgauge study track serve --out`` kept; of the latter,
    *instance* is what was served. *judge* judges what rules do not settle, *paper* counts redundant calls as the
    document does.

    Raises:
        RunNotFoundError: There is no run.
        ConfigError: It is not known which instance was served.
    """
    identity, timelines, instances_played, torn = _read(folder, instance)
    cards = [
        card(instance_played, timelines[instance_played.instance], judge, paper=paper)
        for instance_played in instances_played
    ]
    method_scores = method(str(identity["label"]), cards)
    return ScoredRun(
        str(folder), identity, timelines, instances_played, cards, method_scores, judge.name if judge else "", torn
    )


def requests(
    folder: Path, judge: TrackJudge, *, paper: bool = False, instance: Timeline | None = None
) -> Iterator[Request]:
    """Yield what *judge* would be asked about a run, if every reply can be read at once."""
    _, timelines, instances_played, _ = _read(folder, instance)
    for instance_played in instances_played:
        given_answers = instance_played.answers
        answers = {answer.question: answer for answer in given_answers if answer.ended is QuestionEnding.ANSWERED}
        people = everybody(timelines[instance_played.instance])
        for question in timelines[instance_played.instance].questions:
            answer = answers.get(question.id)
            if answer is None:
                continue
            if not by_rules(answer.text, question.answer, people, question.text).settled:
                yield judge.inquiry(question.text, question.answer, answer.text).request(judge.name)
        if paper and instance_played.calls:
            yield about_calls(judge, instance_played.calls).request(judge.name)


class _RunParts(NamedTuple):
    """What a folder holds."""

    identity: Mapping[str, Any]
    timelines: Mapping[str, Timeline]
    played: Sequence[PlayedInstance]
    torn: tuple[str, ...] = ()


def _read(folder: Path, instance: Timeline | None) -> _RunParts:
    if (folder / PLAN).exists() or not (folder / TRAJECTORY).exists():
        parts = _RunParts(*read_run(folder))
        if not parts.played:
            raise RunNotFoundError(f"Nothing of {folder} was played to its end.", "Run it again; it goes on.")
        return parts
    if instance is None:
        raise ConfigError(f"{folder} does not say which instance was served.", "Name it with --instance.")
    identity = {"label": f"outside agent, {folder.name}", "repeats": 1, "instances": {instance.name: ""}}
    served = read_served(folder, instance.name)
    return _RunParts(identity, {instance.name: instance}, [served.played], served.torn)
