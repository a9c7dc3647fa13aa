"""A model that judges an answer where rules do not settle it; what it cannot say stays unscored."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from memgauge.llm.asking import Inquiry, ReplyEnding, ask_again, marked, resampled
from memgauge.llm.forms import OneObject
from memgauge.llm.judges.injection import attempts
from memgauge.llm.prompts import open_prompt
from memgauge.studies.track.scoring.verdicts import JUDGED, AnswerVerdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.llm.asking import ReadReply
    from memgauge.llm.messages import ChatModel

T = TypeVar("T")

PROMPT = "track-correctness"
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "reason": {"type": "string"},
        "score": {"type": "number", "minimum": 0, "maximum": 1},
        "is_correct": {"type": "boolean"},
    },
    "required": ["reason", "score", "is_correct"],
    "additionalProperties": False,
}
REASON = frozenset({"reason"})


@dataclass(frozen=True)
class TrackJudge:
    """One model that judges answers and trajectories; a reply that cannot be read is asked for again."""

    model: ChatModel
    tries: int = 3
    parameters: Mapping[str, Any] = field(default_factory=lambda: {"temperature": 0, "max_tokens": 400})

    @property
    def name(self) -> str:
        """Name the model."""
        return self.model.name

    def inquiry(self, question: str, gold: str, answer: str) -> Inquiry[AnswerVerdict]:
        """Put one answer into words."""
        messages = open_prompt(PROMPT).render(question=question, gold=gold, answer=answer)
        return Inquiry(messages, OneObject(SCHEMA, _verdict, REASON), self.parameters, judged=answer)

    def verdict(self, question: str, gold: str, answer: str) -> AnswerVerdict:
        """Judge one answer; without a usable reply it is unscored. What tries to judge itself is named."""
        reply = self.ask(self.inquiry(question, gold, answer))
        if reply.value is None:
            return AnswerVerdict(None, None, JUDGED, unscored(reply), raw=_raw(reply))
        tricks = ", ".join(attempts(answer))
        reason = reply.value.reason + (f" (the answer tries to judge itself: {tricks})" if tricks else "")
        return replace(reply.value, reason=reason.strip(), raw=reply.text)

    def ask(self, inquiry: Inquiry[T]) -> ReadReply[T]:
        """Ask until a reply can be read; with a mark from where what is judged came between."""
        return ask_again(self.model, inquiry, lambda *attempt: marked(*attempt) or resampled(*attempt), self.tries)


def unscored(reply: ReadReply[Any]) -> str:
    """Say why nothing was read."""
    if reply.ending is ReplyEnding.FAILED:
        return f"the judge failed: {reply.reason}"
    return f"the judge's reply cannot be read: {reply.text[:200]!r}"


def _raw(reply: ReadReply[Any]) -> str:
    """Return what came, or how it ended where nothing was said; empty where there was no reply."""
    return "" if reply.ending is ReplyEnding.FAILED else reply.text or str(reply.ending)


def _verdict(data: dict[str, Any]) -> AnswerVerdict:
    score, correct = float(data["score"]), bool(data["is_correct"])
    if (score, correct) in {(0.0, True), (1.0, False)}:
        raise ValueError("its score and its verdict contradict each other")
    return AnswerVerdict(score, correct, JUDGED, data.get("reason", ""))
