"""What a memory is asked where a question has options: the question alone, unless the run says otherwise."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from memgauge.datasets.kind import Option

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memgauge.records import Choices

WITH_OPTIONS: Final = "options"
SEARCH: Final = Option.among(
    "search for a question with options",
    "What a memory is asked",
    {
        "question": "the question alone, and a reader is given the options after retrieval",
        WITH_OPTIONS: "the question and its options, which hold the answer and its rivals",
    },
)
"""The option ``search`` of every dataset with choices, and so a part of the identity of a run."""


def searched(text: str, options: Sequence[str], search: str) -> str:
    """Return what a memory is asked; options stand in the order of the alphabet, which says nothing of them."""
    return "\n".join((text, *sorted(options))) if search == WITH_OPTIONS else text


def choice_counts(choices: Iterable[Choices]) -> Mapping[str, object]:
    """Count, as JSON-ready data, what the options give away to whoever knows nothing else."""
    total = chance = longest = 0.0
    places: Counter[int] = Counter()
    for each in choices:
        total += 1
        chance += 1 / len(each.options)
        longest += each.longest_right
        places[each.right] += 1
    return {
        "with_options": int(total),
        "right_by_place": {str(place + 1): n for place, n in sorted(places.items())},
        "chance": chance / total if total else None,
        "longest_option_right": longest / total if total else None,
    }
