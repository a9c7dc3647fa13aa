"""The loop: one question after another, one reply a turn, one row a call; whatever fails is a row."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from memgauge.errors import ModelError, ReplayMiss, TemporaryError
from memgauge.llm.messages import Finish, Message, ToolSpec
from memgauge.studies.track.play.context import ContextWindow
from memgauge.studies.track.play.limits import PlayLimits, SpentEffort
from memgauge.studies.track.play.played import Answer, QuestionEnding
from memgauge.studies.track.tools.recording import Recorder
from memgauge.studies.track.tools.schema import check
from memgauge.text.jsons import object_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from memgauge.llm.messages import Reply, ToolCall
    from memgauge.studies.track.play.agents import Agent
    from memgauge.studies.track.play.arms import Arm
    from memgauge.studies.track.play.trajectory import Call
    from memgauge.studies.track.tools.router import ToolRouter

ANSWER = ToolSpec(
    "answer",
    "Give your answer to the question; this ends the work on it.",
    {
        "type": "object",
        "properties": {"text": {"type": "string", "description": "the answer alone, as short as possible"}},
        "required": ["text"],
        "additionalProperties": False,
    },
)
"""The loop's own tool: it is no call to the environment, and a reply without any call answers as well."""


@dataclass(frozen=True, slots=True)
class AgentQuestion:
    """A question as an agent meets it: nothing of what would be right, and nothing of what comes next."""

    id: str
    text: str


class PlayStage(Protocol):
    """The world that is played in."""

    @property
    def router(self) -> ToolRouter:
        """Return every tool that may be called, those of the memory arm among them."""
        ...

    def now(self) -> str:
        """Return the simulated time as ISO text."""
        ...

    def next_question(self) -> str:
        """Let the time between two questions pass; return a notice of what happened, mostly empty."""
        ...


@dataclass
class AgentLoop:
    """Plays one instance."""

    agent: Agent
    stage: PlayStage
    arm: Arm
    system_prompt: str
    limits: PlayLimits = field(default_factory=PlayLimits)
    context: ContextWindow = field(default_factory=ContextWindow)
    on_call: Callable[[Call], None] = lambda _: None
    """Told of every call as it ends."""
    clock: Callable[[], float] = time.monotonic
    _recorder: Recorder = field(init=False)
    _messages: list[Message] = field(default_factory=list, init=False)
    _all: SpentEffort = field(default=SpentEffort(), init=False)
    _asked: SpentEffort = field(default=SpentEffort(), init=False)

    def __post_init__(self) -> None:
        self._recorder = Recorder(
            self.stage.router, lambda: datetime.fromisoformat(self.stage.now()), self.on_call
        )

    def play(self, questions: Iterable[AgentQuestion]) -> Iterator[Answer]:
        """Ask every question, the next one only when the last is done with.

        Raises:
            ModelError: A reply did not come: of an outage, for want of a record, or because the model refuses the
                very first request. Behind the first, what it refuses ends a question (it has become too long).
        """
        self._messages = [Message("system", self.system_prompt)]
        self._all = SpentEffort(started=self.clock())
        for number, question in enumerate(questions):
            limit = self._all.beyond(self.limits.instance, self.clock())
            if limit is not None:
                reason = f"of the instance: {limit[1]}"
                yield Answer(question.id, "", QuestionEnding.SKIPPED, reason, after=self._recorder.progress.seq)
                continue
            yield self._ask(question, "" if number == 0 else self.stage.next_question())

    def _ask(self, question: AgentQuestion, notice: str) -> Answer:
        recall = self.arm.recall(question.text)
        self._messages = self.context.next_question(self._messages)
        parts = [part for part in (recall.text, notice, question.text) if part]
        self._messages.append(Message("user", "\n\n".join(parts)))
        self._asked = SpentEffort(started=self.clock())
        self._recorder.progress.question = question.id
        text, ending, reason = self._work()
        return Answer(
            question.id,
            text,
            ending,
            reason,
            turns=self._asked.turns,
            after=self._recorder.progress.seq,
            input_tokens=self._asked.input_tokens,
            output_tokens=self._asked.output_tokens,
            usd=self._asked.usd,
            recalled=recall.memories,
            events=recall.events,
            faults=self.arm.faults(),
        )

    def _work(self) -> tuple[str, QuestionEnding, str]:
        """Take turns until there is an answer, or none can come any more."""
        tools = [ToolSpec(t.name, t.description, t.schema) for t in self.stage.router.tools.values()]
        while True:
            limit = self._met()
            if limit is not None:
                return "", *limit
            self._messages = self.context.fitted(self._messages)
            try:
                reply = self.agent.step(self._messages, (*tools, ANSWER))
            except ModelError as fault:
                if isinstance(fault, TemporaryError | ReplayMiss) or not self._all.turns:
                    raise  # no fault of the agent's: an outage, or a model that refuses whatever it is asked
                return "", QuestionEnding.FAULT, str(fault)
            self._recorder.progress.turn = self._asked.turns
            self._asked, self._all = self._asked.replied(reply.usage), self._all.replied(reply.usage)
            self._messages.append(Message("assistant", reply.text, calls=reply.calls, carried=reply.carried))
            if not reply.calls:
                return _final(reply)
            answer = self._call_all(reply.calls)
            if answer is not None:
                return answer.strip(), QuestionEnding.ANSWERED if answer.strip() else QuestionEnding.SILENT, ""

    def _met(self) -> tuple[QuestionEnding, str] | None:
        """Say which limit is met before another turn, the narrowest first."""
        if self._asked.turns >= self.limits.turns:
            return QuestionEnding.TURNS, f"{self.limits.turns} replies gave no answer"
        return self._spent()

    def _spent(self) -> tuple[QuestionEnding, str] | None:
        """Say which allowance is used up."""
        limit = self._asked.beyond(self.limits.question, self.clock())
        return self._all.beyond(self.limits.instance, self.clock()) if limit is None else limit

    def _call_all(self, calls: Sequence[ToolCall]) -> str | None:
        """Make the calls of one reply in its order; return the answer if one of them gives it."""
        answer = None
        for tool_call in calls:
            if answer is not None:
                self._respond(tool_call, "not called: the question is answered")
            elif tool_call.name == ANSWER.name:
                answer, notice = _given(tool_call)
                self._respond(tool_call, notice)
            elif self._spent() is not None:
                self._respond(tool_call, "not called: no more calls are allowed")
            else:
                self._asked, self._all = self._asked.called(), self._all.called()
                call, _ = self._recorder.attempt(tool_call.name, _parsed(tool_call.arguments))
                self._respond(tool_call, call.text)
                self.arm.observe(call)
        return answer

    def _respond(self, tool_call: ToolCall, text: str) -> None:
        self._messages.append(Message("tool", text, answers=tool_call))


_UNUSABLE = {
    Finish.LENGTH: (QuestionEnding.CUT_OFF, "the reply met its limit of length"),
    Finish.REFUSAL: (QuestionEnding.REFUSED, "the model or its provider declined"),
    Finish.CALLS: (QuestionEnding.SILENT, "the reply asked for tools and named none"),
}


def _final(reply: Reply) -> tuple[str, QuestionEnding, str]:
    """Read a reply without calls."""
    if reply.finish is not Finish.STOP:
        return "", *_UNUSABLE[reply.finish]
    text = reply.text.strip()
    return (text, QuestionEnding.ANSWERED, "") if text else ("", QuestionEnding.SILENT, "the reply was empty")


def _parsed(text: str) -> Any:
    """Read arguments; what is no JSON object stays the text that it is."""
    arguments = object_of(text or "{}")
    return text if arguments is None else arguments


def _given(tool_call: ToolCall) -> tuple[str | None, str]:
    """Return the answer that a call gives, if it is written as one, and what the agent is told."""
    arguments = _parsed(tool_call.arguments)
    text = arguments.get("text") if isinstance(arguments, dict) else None
    if isinstance(text, str | int | float):
        return str(text), "The answer is noted."
    return None, f"invalid_arguments: {ANSWER.name}: {check(ANSWER.schema, arguments)}"
