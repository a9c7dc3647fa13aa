"""One rater and the questions that were drawn: what is answered, what is left, and each answer kept at once."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Final

from memgauge.errors import DataMismatchError, RunError
from memgauge.refusals import remedy
from memgauge.runs.record.files import small
from memgauge.studies.production.drawing import DRAW
from memgauge.studies.production.judgments import JUDGMENTS, LabelJudgment, latest
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from memgauge.studies.production.drawing import DrawnQuestion, LabelDraw
    from memgauge.studies.production.judgments import LabelVerdict

DRAW_FILE: Final = "draw.json"


def read_draw(labels: Path) -> LabelDraw | None:
    """Read the sample in a folder of labels; ``None`` where there is none.

    Raises:
        MalformedDataError: It is none.
    """
    path = labels / DRAW_FILE
    return DRAW.read(json_of(small(path)), str(path)) if path.is_file() else None


@dataclass(frozen=True)
class LabelSitting:
    """A rater at work, beside whom others may work on the same file."""

    drawn: LabelDraw
    path: Path
    """The file of judgments."""
    rater: str
    now: Callable[[], str]
    _turn: Lock = field(default_factory=Lock, init=False, repr=False, compare=False)

    @property
    def verdicts(self) -> Mapping[str, LabelVerdict]:
        """Return what this rater says by now, by question."""
        return latest(JUDGMENTS.read(self.path)).get(self.rater, {})

    @property
    def left(self) -> list[DrawnQuestion]:
        """List what this rater has not answered, in the order of the sample."""
        verdicts = self.verdicts
        return [question for question in self.drawn.questions if question.name not in verdicts]

    def judge(self, question: str, verdict: LabelVerdict) -> LabelJudgment:
        """Make a judgment of what this rater says now.

        Raises:
            DataMismatchError: The question was not drawn.
        """
        if question not in {drawn_question.name for drawn_question in self.drawn.questions}:
            raise DataMismatchError(f"{question} was not drawn.", "Answer those that were.")
        return LabelJudgment(self.now(), question, self.rater, verdict)

    def keep(self, judgments: Iterable[LabelJudgment]) -> None:
        """Append judgments; when this returns they are on the disk.

        Raises:
            RunError: They cannot be written.
        """
        with self._turn:
            JUDGMENTS.append(self.path, judgments)
            try:
                with self.path.open("rb") as file:
                    os.fsync(file.fileno())
            except OSError as error:
                raise RunError(f"Cannot write {self.path}: {error.strerror}.", remedy(error)) from error
