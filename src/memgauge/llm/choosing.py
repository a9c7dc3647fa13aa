"""Options as a reader sees them: in which order, under which letters, and which letter a reply names."""

from __future__ import annotations

import random
import re
from string import ascii_lowercase
from typing import TYPE_CHECKING, Final

from memgauge.text.normalise import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

LETTERS: Final = ascii_lowercase
_REPLY: Final = re.compile(
    r"(?:(?:the |my |final )*answer(?: is)?\s*:?\s*)?"
    r"(?:[(\[]\s*)?(?P<letter>[a-z])(?:\s*[)\]])?"
    r"(?:[.:,\s]+(?P<rest>.*))?",
    re.IGNORECASE | re.DOTALL | re.ASCII,
)
"""A letter alone, perhaps in brackets, perhaps after "the answer is", and what follows it."""


def showing(question: str, options: int, seed: int, number: int) -> tuple[int, ...]:
    """Return the order in which the options of *question* are shown for the *number*-th time, counted from 0.

    Of as many showings as there are options, each option stands at each letter once: they are rotations of one
    order, which is drawn from the seed and the question and of nothing else.
    """
    turn, place = divmod(number, options)
    order = list(range(options))
    random.Random(f"{seed}/{question}/{turn}").shuffle(order)  # noqa: S311 - no secret
    return (*order[place:], *order[:place])


def lettered(text: str, shown: Sequence[str]) -> str:
    """Write a question with its options below it."""
    lines = (f"({letter}) {option}" for letter, option in zip(LETTERS, shown, strict=False))
    return "\n".join((text, "", *lines))


def chosen(reply: str, shown: Sequence[str]) -> int | None:
    """Return the place of the option that *reply* names; ``None`` where it names none, or more than one.

    A reply is a letter and nothing else, or a letter and the words of that very option.
    """
    match = _REPLY.fullmatch(reply.strip().strip("*_`\"'").strip())
    if match is None:
        return None
    place = LETTERS.index(match["letter"].lower())
    if place >= len(shown):
        return None
    rest = fold((match["rest"] or "").strip("*_`\"' "))
    return place if rest in {"", fold(shown[place])} else None
