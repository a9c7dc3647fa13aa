"""Judges and panels of them: each sees one answer blind, and every vote is kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memgauge.errors import ModelError
from memgauge.llm.judges.grades import SCHEMA, Grade, decide, parse_verdict
from memgauge.llm.judges.injection import attempts
from memgauge.llm.messages import Finish, Request
from memgauge.llm.prompts import open_prompt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.llm.messages import ChatModel, Usage


STANDARD = "There is no special rule for this question."


@dataclass(frozen=True, slots=True)
class Item:
    """One answer to be judged; nothing in it says which system gave it."""

    question: str
    gold: str
    answer: str
    abstain: bool = False
    """Whether the right reply is to decline."""
    rule: str = ""
    """What else a benchmark tells its judges about questions of this kind."""


@dataclass(frozen=True, slots=True)
class Vote:
    """What one judge said of one item."""

    judge: str
    grade: Grade
    reason: str
    """Why it is invalid, where it is."""
    request: str
    raw: str
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Judgment:
    """What a panel decided of one item."""

    grade: Grade
    votes: tuple[Vote, ...]
    injections: tuple[str, ...]
    """Attempts of the answer to judge itself."""


@dataclass(frozen=True)
class Judge:
    """One model with one way of asking."""

    model: ChatModel
    sample: int = 0
    """Which of several equal judges: a repetition asks anew."""
    parameters: Mapping[str, Any] = field(default_factory=lambda: {"temperature": 0, "max_tokens": 400})

    @property
    def name(self) -> str:
        """Name the model, and the repetition where there is one."""
        return f"{self.model.name}#{self.sample}" if self.sample else self.model.name

    def request(self, item: Item) -> Request:
        """Ask about one item."""
        if item.abstain:
            messages = open_prompt("judge-abstain").render(question=item.question, answer=item.answer)
        else:
            prompt = open_prompt("judge-fact")
            parts = {"question": item.question, "gold": item.gold, "answer": item.answer}
            messages = prompt.render(**parts, rule=item.rule or STANDARD)
        return Request(self.model.name, messages, dict(self.parameters), SCHEMA, self.sample)

    def vote(self, item: Item) -> Vote:
        """Judge one item; silence is an invalid vote, not a wrong answer."""
        request = self.request(item)
        try:
            reply = self.model.complete(request)
        except ModelError as fault:
            return Vote(self.name, Grade.INVALID, str(fault), request.key, "")
        if reply.finish is not Finish.STOP:
            return Vote(self.name, Grade.INVALID, f"ended as {reply.finish}", request.key, reply.text, reply.usage)
        grade = parse_verdict(reply.text)
        reason = "no verdict could be read" if grade is Grade.INVALID else ""
        if reply.text.strip() in item.answer:  # whoever repeats what was to be judged has not judged it
            grade, reason = Grade.INVALID, "the reply only repeats the answer"
        return Vote(self.name, grade, reason, request.key, reply.text, reply.usage)


@dataclass(frozen=True)
class Panel:
    """Several judges and how many of them have to say something."""

    judges: Sequence[Judge]
    quorum: int = 1

    @property
    def name(self) -> str:
        """Name its judges."""
        return "+".join(judge.name for judge in self.judges)

    @property
    def details(self) -> Mapping[str, Any]:
        """Return everything that decides a judgment."""
        return {
            "judges": [judge.name for judge in self.judges],
            "parameters": [dict(judge.parameters) for judge in self.judges],
            "quorum": self.quorum,
            "prompts": {name: open_prompt(name).sha256 for name in ("judge-abstain", "judge-fact")},
        }

    def judge(self, item: Item) -> Judgment:
        """Let every judge vote, and decide."""
        votes = tuple(judge.vote(item) for judge in self.judges)
        return Judgment(decide([vote.grade for vote in votes], self.quorum), votes, attempts(item.answer))
