"""What is scored without a memory: by silence, by chance, by the longest option, by counting common words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from memgauge.datasets.base import HasChoices
from memgauge.records import EvidencePolicy
from memgauge.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.datasets.base import Dataset
    from memgauge.records import Case, Choices, Turn

K: Final = 10
"""Ranks that recall looks at."""


@dataclass(frozen=True)
class DataFloors:
    """Floors of a dataset; ``None`` where nothing can be scored in that way."""

    questions: int
    empty: float | None
    """Share of questions where returning nothing is right."""
    random: float | None
    """Recall@10 of an order drawn at random, as expected."""
    longest: float | None
    """Share of choices where the longest option is right; of equally long ones each counts in part."""
    grep: float | None
    """Recall@10 of turns ordered by how many words they share with the question, earlier ones first."""


@dataclass
class _Mean:
    values: list[float] = field(default_factory=list)

    @property
    def value(self) -> float | None:
        return sum(self.values) / len(self.values) if self.values else None


def floors_of(dataset: Dataset) -> DataFloors:
    """Compute the floors of *dataset*, one conversation at a time."""
    golds = iter(dataset.gold())
    silent, chance, common, long = _Mean(), _Mean(), _Mean(), _Mean()
    for case in dataset.cases():
        mine = [gold for _, gold in zip(case.questions, golds, strict=False)]
        silent.values += [float(gold.abstain) for gold in mine]
        anchors = [frozenset(gold.anchors(EvidencePolicy.REPAIR)) for gold in mine]
        for wanted, recalled in zip(anchors, _recalls(case, anchors), strict=True):
            if wanted:
                chance.values.append(min(K / sum(1 for _ in case.conversation.turns()), 1.0))
                common.values.append(recalled)
    if isinstance(dataset, HasChoices):
        long.values += map(longest_is_right, dataset.choices())
    return DataFloors(len(silent.values), silent.value, chance.value, long.value, common.value)


def longest_is_right(choices: Choices) -> float:
    """Return the chance that the longest option is right."""
    lengths = [len(option) for option in choices.options]
    longest = [place for place, length in enumerate(lengths) if length == max(lengths)]
    return float(choices.right in longest) / len(longest)


def _recalls(case: Case, anchors: Sequence[frozenset[str]]) -> Iterator[float]:
    """Yield the recall of common words for each question; nothing is compared where nothing is wanted."""
    turns = [(turn, _words(turn.text)) for turn in case.conversation.turns()] if any(anchors) else []
    for question, wanted in zip(case.questions, anchors, strict=True):
        hits = _grep(_words(question.text), turns) if wanted else ()
        yield len(wanted.intersection(hits)) / len(wanted) if wanted else 0.0


def _grep(asked: frozenset[str], turns: Sequence[tuple[Turn, frozenset[str]]]) -> list[str]:
    shared = [(len(asked & words), place) for place, (_, words) in enumerate(turns)]
    best = sorted((pair for pair in shared if pair[0]), key=lambda pair: (-pair[0], pair[1]))[:K]
    return [turns[place][0].id for _, place in best]


def _words(text: str) -> frozenset[str]:
    return frozenset(tokenize(text.casefold()))
