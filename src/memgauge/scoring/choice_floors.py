"""What options give away to somebody who knows nothing of the conversation: the floors of choices."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.records import Choices


@dataclass(frozen=True)
class ChoiceFloor:
    """What one way of choosing without a memory is worth."""

    name: str
    accuracy: float
    questions: int


def choice_floors(choices: Sequence[Choices], orders: Mapping[str, Sequence[Sequence[int]]]) -> list[ChoiceFloor]:
    """Return every floor that needs no reader; options equally long share what they are worth.

    Args:
        choices: The options of every question that was shown.
        orders: Every order in which the options of each question were shown.
    """
    written = [(each.right,) for each in choices]
    shown = [tuple(order.index(each.right) for order in orders[each.question]) for each in choices]
    return [
        ChoiceFloor(name, accuracy, len(choices))
        for name, accuracy in (
            ("chance", fmean(1 / len(each.options) for each in choices)),
            ("longest option", fmean(each.longest_right for each in choices)),
            ("first option as written", _at(written, 0)),
            ("most frequent letter as written", _at(written, _most_frequent(written))),
            ("first option as shown", _at(shown, 0)),
            ("most frequent letter as shown", _at(shown, _most_frequent(shown))),
        )
    ]


def _at(places: Sequence[Sequence[int]], letter: int) -> float:
    return fmean(fmean(place == letter for place in own) for own in places)


def _most_frequent(places: Sequence[Sequence[int]]) -> int:
    """Return the letter that is right most often, the first of several."""
    counts = Counter(place for own in places for place in own)
    return min(counts, key=lambda place: (-counts[place], place))
