"""A model that judges an answer where rules do not settle it; what it cannot say stays unscored."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from memgauge.errors import ModelError
from memgauge.llm.messages import Finish, Request
from memgauge.llm.prompts import open_prompt
from memgauge.studies.track.scoring.verdicts import AnswerVerdict
from memgauge.text.jsons import object_within

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


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

    def request(
        self, prompt: str, parts: Mapping[str, str], schema: Mapping[str, Any], sample: int = 0
    ) -> Request:
        """Return what is asked; *sample* counts the times that it is asked again."""
        messages = open_prompt(prompt).render(**parts)
        return Request(self.model.name, messages, dict(self.parameters), schema, sample)

    def verdict(self, question: str, gold: str, answer: str) -> AnswerVerdict:
        """Judge one answer; without a usable reply it is unscored."""
        parts = {"question": question, "gold": gold, "answer": answer}
        found, raw = self.ask(PROMPT, parts, SCHEMA, _read)
        if found is None:
            return AnswerVerdict(None, None, "judge", raw or "the judge gave no reply")
        return AnswerVerdict(found.score, found.correct, "judge", found.reason, raw)

    def ask(
        self, prompt: str, parts: Mapping[str, str], schema: Mapping[str, Any], read: Callable[[Any], T | None]
    ) -> tuple[T | None, str]:
        """Ask until a reply can be read; return what was read and the raw reply, or why there is none."""
        problem = ""
        for sample in range(self.tries):
            try:
                reply = self.model.complete(self.request(prompt, parts, schema, sample))
            except ModelError as fault:
                return None, f"the judge failed: {fault}"
            found = read(_json(reply.text)) if reply.finish is Finish.STOP else None
            if found is not None:
                return found, reply.text
            problem = f"the judge's reply cannot be read: {reply.text[:200]!r}"
        return None, problem


def _json(text: str) -> Any:
    """Read the one JSON object of a reply, perhaps inside a fence; anything else is ``None``."""
    try:
        return object_within(text)
    except ValueError:
        return None


def _read(data: Any) -> AnswerVerdict | None:
    if not isinstance(data, dict):
        return None
    score, correct = data.get("score"), data.get("is_correct")
    if isinstance(score, bool) or not isinstance(score, int | float) or not isinstance(correct, bool):
        return None
    if not 0 <= score <= 1:
        return None
    return AnswerVerdict(float(score), correct, "judge", str(data.get("reason", "")))
