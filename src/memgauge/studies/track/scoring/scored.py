"""Runs read back and scored: ours from their folder, an outside agent's from what was kept while it was served."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memgauge.errors import ConfigError, RunNotFoundError
from memgauge.studies.track.play.played import QuestionEnding, read_played
from memgauge.studies.track.play.resume import PLAN, read_run
from memgauge.studies.track.play.trajectory import TRAJECTORY
from memgauge.studies.track.scoring.card import card
from memgauge.studies.track.scoring.judge import PROMPT as ANSWERS
from memgauge.studies.track.scoring.judge import SCHEMA as ANSWER_SCHEMA
from memgauge.studies.track.scoring.method import method
from memgauge.studies.track.scoring.paper import PROMPT as CALLS
from memgauge.studies.track.scoring.paper import SCHEMA as CALL_SCHEMA
from memgauge.studies.track.scoring.paper import spelled
from memgauge.studies.track.scoring.verdicts import by_rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from memgauge.llm.messages import Request
    from memgauge.studies.track.play.played import PlayedInstance
    from memgauge.studies.track.scoring.card import InstanceCard
    from memgauge.studies.track.scoring.judge import TrackJudge
    from memgauge.studies.track.scoring.method import MethodScores
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

    @property
    def missing(self) -> int:
        """Count what the plan names and was not played to its end."""
        return len(self.identity["instances"]) * int(self.identity["repeats"]) - len(self.played)


def score_run(
    folder: Path,
    *,
    judge: TrackJudge | None = None,
    paper: TrackJudge | None = None,
    instance: Timeline | None = None,
) -> ScoredRun:
    """Score a run.

    Args:
        folder: Of ``memgauge track run``, or what ``memgauge track serve --out`` kept.
        judge: Judges what rules do not settle.
        paper: Counts redundant calls as the document does.
        instance: What was served, for a folder of the second kind.

    Raises:
        RunNotFoundError: There is no run.
        ConfigError: It is not known which instance was served.
    """
    identity, timelines, played = _read(folder, instance)
    cards = [card(one, timelines[one.instance], judge, paper=paper) for one in played]
    made = method(str(identity["label"]), cards)
    return ScoredRun(str(folder), identity, timelines, played, cards, made, judge.name if judge else "")


def requests(
    folder: Path, judge: TrackJudge, *, paper: bool = False, instance: Timeline | None = None
) -> Iterator[Request]:
    """Yield what *judge* would be asked about a run, if every reply can be read at once."""
    _, timelines, played = _read(folder, instance)
    for one in played:
        answers = {answer.question: answer for answer in one.answers if answer.ended is QuestionEnding.ANSWERED}
        for question in timelines[one.instance].questions:
            answer = answers.get(question.id)
            if answer is not None and not by_rules(answer.text, question.answer).settled:
                parts = {"question": question.text, "gold": question.answer, "answer": answer.text}
                yield judge.request(ANSWERS, parts, ANSWER_SCHEMA)
        if paper and one.calls:
            yield judge.request(CALLS, {"calls": "\n".join(map(spelled, one.calls))}, CALL_SCHEMA)


def _read(
    folder: Path, instance: Timeline | None
) -> tuple[Mapping[str, Any], Mapping[str, Timeline], Sequence[PlayedInstance]]:
    if (folder / PLAN).exists() or not (folder / TRAJECTORY).exists():
        found = read_run(folder)
        if not found[2]:
            raise RunNotFoundError(f"Nothing of {folder} was played to its end.", "Run it again; it goes on.")
        return found
    if instance is None:
        raise ConfigError(f"{folder} does not say which instance was served.", "Name it with --instance.")
    identity = {"label": f"outside agent, {folder.name}", "repeats": 1, "instances": {instance.name: ""}}
    return identity, {instance.name: instance}, [read_played(folder, instance.name, 0)]
