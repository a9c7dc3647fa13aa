"""How right the answers of one instance are, and how much follow-up questions cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING, Protocol

from memgauge.llm.judges.injection import attempts
from memgauge.results import result
from memgauge.studies.track.play.played import NO_REPLY, QuestionEnding
from memgauge.studies.track.scoring.verdicts import JUDGED, AnswerVerdict, by_rules
from memgauge.studies.track.timeline.people import everybody

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from memgauge.studies.track.play.played import Answer, PlayedInstance
    from memgauge.studies.track.timeline.models import HiddenQuestion, Timeline


class AnswerJudge(Protocol):
    """Anything that judges an answer where rules do not settle it."""

    def verdict(self, question: str, gold: str, answer: str) -> AnswerVerdict:
        """Judge one answer; what cannot be judged is unscored."""
        ...


@result
@dataclass(frozen=True, slots=True)
class Correctness:
    """The answers of one instance, scored."""

    verdicts: tuple[tuple[str, AnswerVerdict], ...]
    """By question, in the order asked."""
    score: float | None
    """Mean over the scored questions; ``None`` where none is."""
    strict: float | None
    """Share of the scored questions that are right in full."""
    follow_up: float | None
    """Mean over the scored questions from the second on; ``None`` without any."""
    unscored: int
    unjudged: int = 0
    """Of those, answers on which a judge was asked and gave no verdict: they are no random part of all."""

    @property
    def drop(self) -> float | None:
        """Return how much lower follow-up questions score than all."""
        return None if self.score is None or self.follow_up is None else self.score - self.follow_up


def correctness(played: PlayedInstance, timeline: Timeline, judge: AnswerJudge | None = None) -> Correctness:
    """Score every question of *timeline*; one that was never answered is wrong, but for want of a whole reply."""
    answers = {answer.question: answer for answer in played.answers}
    people = everybody(timeline)
    verdicts = [
        (question.id, _verdict(question, answers.get(question.id), people, judge, played.ending(question.id)))
        for question in timeline.questions
    ]
    verdicts_scored = [verdict for _, verdict in verdicts if verdict.score is not None]
    return Correctness(
        tuple(verdicts),
        _mean([verdict.score for verdict in verdicts_scored if verdict.score is not None]),
        _mean([float(bool(verdict.correct)) for verdict in verdicts_scored]),
        _mean([verdict.score for _, verdict in verdicts[1:] if verdict.score is not None]),
        len(verdicts) - len(verdicts_scored),
        sum(verdict.score is None and verdict.how == JUDGED for _, verdict in verdicts),
    )


def _verdict(
    question: HiddenQuestion,
    answer: Answer | None,
    people: Collection[str],
    judge: AnswerJudge | None,
    ended: QuestionEnding,
) -> AnswerVerdict:
    if answer is None or ended is not QuestionEnding.ANSWERED:
        why = str(ended) if answer is None else f"{ended}: {answer.reason}"
        if ended in NO_REPLY:
            return AnswerVerdict(None, None, "lost", why)
        return AnswerVerdict(0.0, False, "silence", why)  # noqa: FBT003 - a frozen value's field
    verdict = by_rules(answer.text, question.answer, people, question.text)
    if judge is None or verdict.settled:
        return verdict
    ruling = judge.verdict(question.text, question.answer, answer.text)
    tricks = attempts(answer.text)
    if ruling.score is not None or not tricks or not ruling.raw:
        return ruling  # scored, innocent, or the judge itself is down
    why = f"{ruling.reason}, and the answer tries to judge itself ({', '.join(tricks)}), which earns nothing"
    return replace(ruling, score=0.0, correct=False, reason=why)


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None
