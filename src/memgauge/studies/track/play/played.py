"""What was played: the calls and the answers of one instance, and the files that hold them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from pydantic import ConfigDict

from memgauge.results import result
from memgauge.studies.track.play.trajectory import Call, json_line, read_rows, read_trajectory

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

ANSWERS = "answers.jsonl"


class QuestionEnding(StrEnum):
    """How the work on a question ended; every way but the first leaves it without an answer."""

    ANSWERED = "answered"
    SILENT = "silent"
    """The last reply asked for no tool and said nothing."""
    CUT_OFF = "cut off"
    """The model's last reply met its limit of length, so that it is no answer."""
    REFUSED = "refused"
    """The model or its provider declined to reply."""
    TURNS = "turns"
    CALLS = "calls"
    TOKENS = "tokens"
    TIME = "time"
    FAULT = "fault"
    """The agent gave no reply that can be used."""
    SKIPPED = "skipped"
    """A limit of the whole instance was met before it was asked."""
    UNANSWERED = "never answered"
    """Calls were made for it, and no answer was kept: an outside agent stopped, or its server did."""
    UNASKED = "never asked"
    """Neither calls nor an answer were kept: an outside agent stopped before it, or its server did."""


NO_REPLY = (QuestionEnding.CUT_OFF, QuestionEnding.REFUSED)
"""Endings that say something of the model and nothing of what it knew: they are scored by nobody."""


@result
@dataclass(frozen=True, slots=True)
class Answer:
    """How one question ended."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    question: str
    text: str
    ended: QuestionEnding
    reason: str = ""
    """In words, where there is no answer."""
    turns: int = 0
    """Replies of the agent."""
    after: int = 0
    """How many calls the instance had made by then: those with a smaller ``seq`` came before the answer."""
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = 0.0
    """``None`` where no price is known."""
    recalled: tuple[str, ...] = ()
    """Ids of the memories that were shown with the question, in the passive arm."""
    events: tuple[str, ...] = ()
    """Ids of the events that those memories descend from."""
    faults: tuple[str, ...] = ()
    """What failed meanwhile without ending the work: what the harness could not write to the memory, or read."""

    def row(self) -> dict[str, Any]:
        """Return its line."""
        return asdict(self)


@result
@dataclass(frozen=True, slots=True)
class PlayedInstance:
    """One instance played once."""

    instance: str
    repeat: int
    calls: tuple[Call, ...]
    answers: tuple[Answer, ...]

    def of(self, question: str) -> tuple[Call, ...]:
        """Return the calls that were made for one question."""
        return tuple(call for call in self.calls if call.question == question)

    def ending(self, question: str) -> QuestionEnding:
        """Say how the work on a question ended, as far as was kept."""
        for answer in self.answers:
            if answer.question == question:
                return answer.ended
        return QuestionEnding.UNANSWERED if self.of(question) else QuestionEnding.UNASKED


def answer_lines(answers: Iterable[Answer]) -> str:
    """Write answers, one line each."""
    return "".join(json_line(answer.row()) for answer in answers)


def read_played(folder: Path, instance: str, repeat: int) -> PlayedInstance:
    """Read one instance as it was played.

    Raises:
        MalformedDataError: A line is neither call nor answer.
    """
    answers = tuple(read_rows(folder / ANSWERS, Answer, "an answer"))
    return PlayedInstance(instance, repeat, read_trajectory(folder), answers)
