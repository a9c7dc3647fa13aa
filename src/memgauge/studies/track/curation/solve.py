"""Whether an instance can be solved, cannot be guessed, and is not too easy for a baseline."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.errors import ModelError
from memgauge.studies.track.curation.record import Solved
from memgauge.studies.track.play.instance import Setup
from memgauge.studies.track.play.limits import PlayLimits
from memgauge.studies.track.play.plan import Named, PlayPlan
from memgauge.studies.track.play.run import play
from memgauge.studies.track.scoring.scored import score_run
from memgauge.studies.track.timeline.lint import error

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.llm.messages import ChatModel
    from memgauge.studies.track.play.instance import Files
    from memgauge.studies.track.timeline.lint import LintFinding
    from memgauge.studies.track.timeline.models import Timeline

CEILING, FLOOR, BASELINE = "oracle", "random", "search"


@dataclass(frozen=True)
class Playing:
    """How the solve-check plays."""

    baseline: str = BASELINE
    """What the instance must not be too easy for: an agent without a model, or a model as ``provider:name``."""
    model: ChatModel | None = None
    """The model that *baseline* names."""
    sandbox: Files = "auto"
    turns: int = 100


def solve(timeline: Timeline, beside: Path, how: Playing) -> tuple[Solved, ...]:
    """Let the ceiling, the floor and the baseline play; answers are scored by rules alone.

    Raises:
        ConfigError: No sandbox works here.
    """
    return tuple(_played(timeline, beside, agent, how) for agent in dict.fromkeys((CEILING, FLOOR, how.baseline)))


def judged(name: str, outcomes: Sequence[Solved], baseline: str) -> Iterator[LintFinding]:
    """Yield what the results say against an instance."""
    for outcome in outcomes:
        right_ids = [question for question, score in outcome.questions.items() if score == 1]
        wrong_ids = [question for question in outcome.questions if question not in right_ids]
        if outcome.agent == CEILING and wrong_ids:
            message = f"even an agent that is told the answers fails {', '.join(wrong_ids)}"
            yield error("unsolvable", name, message)
        elif outcome.agent == FLOOR and right_ids:
            message = f"an agent that calls at random answers {', '.join(right_ids)}"
            yield error("guessable", name, message)
        elif outcome.agent == baseline and baseline not in {CEILING, FLOOR} and not wrong_ids:
            yield error("too-easy", name, f"{baseline} answers everything")


def _played(timeline: Timeline, beside: Path, agent: str, how: Playing) -> Solved:
    plan = PlayPlan(
        agent=agent,
        instances=(Named(timeline, beside),),
        setup=Setup(sandbox=how.sandbox),
        limits=PlayLimits(turns=how.turns),
        context="keep",
        parameters=() if how.model is None or agent != how.baseline else (("temperature", 1),),
    )
    with tempfile.TemporaryDirectory(prefix="memgauge-solve-") as folder:
        ended = play(plan, Path(folder), model=how.model if agent == how.baseline else None)
        if ended.broken:
            raise ModelError(ended.broken[0])
        (card,) = score_run(Path(folder)).cards
    scores = {question: verdict.score for question, verdict in card.correctness.verdicts}
    return Solved(agent=agent, score=card.correctness.score or 0.0, questions=scores)
