"""What people say of answers: whether they are right, as a file of JSON lines."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, ValidationError

from memgauge.errors import MalformedDataError
from memgauge.llm.judges.rubrics import OPEN
from memgauge.misfits import first_misfit
from memgauge.scoring.correction import LABELS_LEAST
from memgauge.show.numbers import plural
from memgauge.text.untrusted import text_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from memgauge.scoring.judged_board import JudgedAnswers


class AnswerLabel(BaseModel):
    """What somebody says of one answer."""

    model_config = ConfigDict(extra="forbid", strict=True)

    system: str
    """As tables call it."""
    question: str
    right: bool


def read_answer_labels(path: Path) -> Mapping[str, Mapping[str, bool]]:
    """Read labels from JSON lines with ``system, question, right``: whether each answer is right, by system.

    Raises:
        DataNotFoundError: There is no file.
        MalformedDataError: A line is no label, or contradicts another one; file and line are named.
    """
    lines = text_file(path, "Name a file of JSON lines.").splitlines()
    labels: defaultdict[str, dict[str, bool]] = defaultdict(dict)
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            label = AnswerLabel.model_validate_json(text)
        except ValidationError as error:
            misfit, remedy = first_misfit(error, "the line itself"), "Write system, question and right."
            raise MalformedDataError(f"{path}:{number}: {misfit}.", remedy) from error
        if labels[label.system].setdefault(label.question, label.right) is not label.right:
            raise MalformedDataError(
                f"{path}:{number}: {label.question} of {label.system} is right and wrong.", "Decide for one."
            )
    return dict(labels)


def idle_labels(labels: Mapping[str, Mapping[str, bool]], parts: Iterable[JudgedAnswers]) -> Iterator[str]:
    """Say which labels correct nothing: of whom nobody judged, of what nobody asked, or too few of a system."""
    by_system = {part.run.label: part for part in parts}
    asked = {name: part.gold.number.keys() for name, part in by_system.items()}
    decided = {
        name: {row["question"] for row in part.verdicts.rows() if row["grade"] not in OPEN}
        for name, part in by_system.items()
    }
    for system, by_question in labels.items():
        unknown = by_question.keys() - asked.get(system, set())
        known = len(by_question.keys() & decided.get(system, set()))
        if system not in asked:
            yield f"{_correcting(len(by_question), system)} nothing: no answers of it are here."
        elif unknown:
            yield f"{_correcting(len(unknown), system)} nothing: {min(unknown)} is not here."
        if system in asked and known < LABELS_LEAST:
            yield (
                f"Labels do not correct the share of {system}: the judge decided "
                f"{plural(known, 'labelled answer')}, and {LABELS_LEAST} are needed."
            )


def _correcting(n: int, system: str) -> str:
    return f"{plural(n, 'label')} of {system} {'corrects' if n == 1 else 'correct'}"
