"""The core of the study: a function from a dataset to a result."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import mean

from memgauge.datasets.catalogue import open_dataset
from memgauge.results import ResultKind, result


@result
@dataclass(frozen=True)
class Lengths:
    """What was measured."""

    dataset: str
    questions: int
    words: float


LENGTHS: ResultKind[Lengths] = ResultKind(
    "lengths", 1, "toystudy.lengths:Lengths", "memgauge study lengths measure"
)


def measure(dataset: str) -> Lengths:
    """Count the words of every question."""
    words = [len(question.text.split()) for case in open_dataset(dataset).cases() for question in case.questions]
    return Lengths(dataset, len(words), mean(words))


def claims() -> dict[str, float]:
    """Compute what the study claims."""
    return {"questions": measure("synthetic:tiny").questions}
