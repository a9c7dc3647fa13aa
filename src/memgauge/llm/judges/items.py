"""What is put before a judge: one thing to be judged, blind to the system that it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.llm.judges.rubrics import (
    BEARS,
    CLAIM,
    DECLINING,
    FACT,
    OUTCOME,
    POINT,
    SUPPORT,
    TRUE,
    UPDATE,
    WHOLE,
    Rubric,
    place_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NOTHING = ("(no memories)",)
NOTHING_SAID = ("(nothing)",)
STANDARD = "There is no special rule for this question."


@dataclass(frozen=True, slots=True)
class JudgeItem:
    """One thing to be judged; nothing in it says which system gave it."""

    rubric: Rubric
    parts: Mapping[str, str | tuple[str, ...]]
    """The parts of the prompt."""
    judged: str
    """The foreign text among them: a reply that only repeats it is no verdict, and it may try to judge itself."""


def fact(question: str, gold: str, answer: str, rule: str = "") -> JudgeItem:
    """Ask whether *answer* states the accepted fact; *rule* is what a benchmark tells its judges besides."""
    return JudgeItem(
        FACT, {"question": question, "gold": gold, "answer": answer, "rule": rule or STANDARD}, answer
    )


def declining(question: str, answer: str) -> JudgeItem:
    """Ask whether *answer* declines, as it should."""
    return JudgeItem(DECLINING, {"question": question, "answer": answer}, answer)


def outcome(question: str, gold: str, answer: str) -> JudgeItem:
    """Ask for the outcome of *answer* in HaluMem's sense."""
    return JudgeItem(OUTCOME, {"question": question, "gold": gold, "answer": answer}, answer)


def point(question: str, wanted: str, answer: str) -> JudgeItem:
    """Ask how far *answer* meets one point of a rubric."""
    return JudgeItem(POINT, {"question": question, "point": wanted, "answer": answer}, answer)


def place(events: Sequence[str], line: str) -> JudgeItem:
    """Ask which of *events* one line of an answer speaks of."""
    return JudgeItem(place_of(len(events)), {"events": tuple(events), "line": line}, line)


def claim(stated: str, memories: Sequence[str]) -> JudgeItem:
    """Ask whether *memories* bear out what an answer states."""
    foreign = "\n".join((stated, *memories))
    return JudgeItem(CLAIM, {"memories": tuple(memories) or NOTHING, "claim": stated}, foreign)


def support(question: str, gold: str, evidence: Sequence[str], memory: str) -> JudgeItem:
    """Ask whether *memory* holds what the accepted answer needs; *evidence* is what was really said."""
    return JudgeItem(
        SUPPORT, {"question": question, "gold": gold, "evidence": tuple(evidence), "memory": memory}, memory
    )


def whole(point_: str, memories: Sequence[str]) -> JudgeItem:
    """Ask how far *memories* hold one point."""
    return JudgeItem(WHOLE, {"point": point_, "memories": tuple(memories) or NOTHING}, "\n".join(memories))


def true(memory: str, dialogue: Sequence[str]) -> JudgeItem:
    """Ask whether *memory* is what a dialogue said."""
    return JudgeItem(TRUE, {"memory": memory, "dialogue": tuple(dialogue)}, memory)


def bears(turn: str, before: Sequence[str], memory: str) -> JudgeItem:
    """Ask whether *memory* bears what *turn* said; *before* is what was said until then."""
    return JudgeItem(BEARS, {"before": tuple(before) or NOTHING_SAID, "turn": turn, "memory": memory}, memory)


def update(now: str, before: Sequence[str], memories: Sequence[str]) -> JudgeItem:
    """Ask what became of an update."""
    parts: dict[str, str | tuple[str, ...]] = {
        "now": now,
        "before": tuple(before),
        "memories": tuple(memories) or NOTHING,
    }
    return JudgeItem(UPDATE, parts, "\n".join(memories))
