"""Judges and panels of them: each sees one answer blind, and every vote is kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memgauge.llm.asking import Inquiry, ReplyEnding, ask_again, marked
from memgauge.llm.judges.injection import attempts
from memgauge.llm.judges.rubrics import Grade, decide
from memgauge.llm.messages import VERDICT_TOKENS, steady
from memgauge.llm.prompts import open_prompt

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memgauge.llm.judges.items import JudgeItem
    from memgauge.llm.judges.rubrics import Rubric
    from memgauge.llm.messages import ChatModel, Request, Usage


@dataclass(frozen=True, slots=True)
class JudgeVote:
    """What one judge said of one item."""

    judge: str
    grade: str
    """A grade of the rubric, ``invalid`` or ``cut off``."""
    reason: str
    """Why it is invalid, where it is."""
    request: str
    raw: str
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Judgment:
    """What a panel decided of one item."""

    grade: str
    """A grade of the rubric, ``invalid``, ``undecided`` or ``cut off``."""
    votes: tuple[JudgeVote, ...]
    injections: tuple[str, ...]
    """Attempts of what was judged to judge itself."""


@dataclass(frozen=True)
class Judge:
    """One model with one way of asking."""

    model: ChatModel
    sample: int = 0
    """Which of several equal judges: a repetition asks anew."""
    parameters: Mapping[str, Any] = field(default_factory=lambda: steady(VERDICT_TOKENS))

    @property
    def name(self) -> str:
        """Name the model, and the repetition where there is one."""
        return f"{self.model.name}#{self.sample}" if self.sample else self.model.name

    def inquiry(self, item: JudgeItem) -> Inquiry[str]:
        """Put one item into words."""
        messages = open_prompt(item.rubric.prompt).render(**item.parts)
        return Inquiry(messages, item.rubric.form, self.parameters, self.sample, item.judged)

    def request(self, item: JudgeItem) -> Request:
        """Return what the model is sent about one item."""
        return self.inquiry(item).request(self.model.name)

    def vote(self, item: JudgeItem) -> JudgeVote:
        """Judge one item; silence is an invalid vote and no wrong answer, and so is a reply that was cut off.

        Where the item came between, the judge is asked once more.
        """
        answer = ask_again(self.model, self.inquiry(item), marked, tries=2)
        silent = Grade.CUT if answer.ending is ReplyEnding.CUT else Grade.INVALID
        grade = silent if answer.value is None else answer.value.lower()
        return JudgeVote(self.name, grade, answer.reason, answer.key, answer.text, answer.usage)


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
        """Return everything that decides a judgment, besides the prompts."""
        return {
            "judges": [judge.name for judge in self.judges],
            "parameters": [dict(judge.parameters) for judge in self.judges],
            "quorum": self.quorum,
        }

    def judge(self, item: JudgeItem) -> Judgment:
        """Let every judge vote, and decide."""
        votes = tuple(judge.vote(item) for judge in self.judges)
        return Judgment(decide([vote.grade for vote in votes], self.quorum), votes, attempts(item.judged))


def prompts_of(rubrics: Iterable[Rubric]) -> dict[str, str]:
    """Return the hash of every prompt that *rubrics* use, by name."""
    return {name: open_prompt(name).sha256 for name in sorted({rubric.prompt for rubric in rubrics})}
