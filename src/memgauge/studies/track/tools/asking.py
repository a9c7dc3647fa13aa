"""The hidden questions as two tools, for agents that are not ours: one after another, unknown in advance.

These calls are none of the environment's: they leave no row in the trajectory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.studies.track.play.played import Answer, QuestionEnding
from memgauge.studies.track.timeline.models import Platform
from memgauge.studies.track.tools.router import ToolFailed, ToolResult, Toolset, offered
from memgauge.studies.track.tools.schema import text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memgauge.studies.track.timeline.models import HiddenQuestion
    from memgauge.studies.track.tools.recording import InstanceProgress

NAME = "questions"
"""What the server is called."""


class Asking(Toolset):
    """Hands out questions, and takes one answer to each."""

    platform = Platform.FILES

    def __init__(
        self,
        questions: Sequence[HiddenQuestion],
        progress: InstanceProgress,
        between: Callable[[], str],
        keep: Callable[[Answer], object],
    ) -> None:
        """Begin before the first question.

        Of *questions* only texts leave this object. *between* lets the time between two of them pass, and returns
        a notice; *keep* gets every answer.
        """
        self._left = list(questions)
        self._asked: HiddenQuestion | None = None
        self._any = False
        self._progress = progress
        self._between = between
        self._keep = keep

    @offered("read")
    def next_question(self, _: Mapping[str, Any]) -> ToolResult:
        """Get the question that waits for you."""
        if self._asked is not None:
            return ToolResult(self._asked.text)
        if not self._left:
            return ToolResult("There are no further questions. You are done.")
        with self._progress.lock:
            notice = self._between() if self._any else ""
            self._any = True
            self._asked = self._left.pop(0)
            self._progress.question, self._progress.turn = self._asked.id, 0
        return ToolResult(self._asked.text, notice=notice)

    @offered("write", {"answer": text("the answer alone, as short as possible")})
    def submit_answer(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Give your final answer to the question that you got last."""
        if self._asked is None:
            raise ToolFailed("nothing_asked", "get a question with next_question first")
        answer = str(arguments["answer"]).strip()
        if not answer:
            raise ToolFailed("invalid_arguments", "submit_answer: the answer is empty")
        with self._progress.lock:
            self._keep(Answer(self._asked.id, answer, QuestionEnding.ANSWERED, after=self._progress.seq))
            self._asked = None
            self._progress.question = ""
        return ToolResult("Taken. Go on with next_question.")
