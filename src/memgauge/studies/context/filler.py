"""What surrounds the pieces: lines without end, written for this project, the same for the same sample."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count

from memgauge.datasets.synthetic.dice import Dice
from memgauge.datasets.synthetic.names import word
from memgauge.datasets.synthetic.words import TALK

Line = Callable[[Dice, int], str]
"""Makes the n-th line of a sample's own kind."""
Filler = Callable[[str, Line | None], Iterator[str]]
"""From the key of a sample and its own kind of line to lines."""

_NOISE = (
    "The kettle is on the shelf.",
    "Rain falls on the roof and runs off again.",
    "A door opens, and a door closes.",
    "The road goes up the hill and comes down behind it.",
    "One lamp is lit, the other one is not.",
    "Nothing is written on the wall.",
)
_RARE = 3
"""How often a word of the filler of words is said at most."""


def noise(key: str, _: Line | None) -> Iterator[str]:
    """Repeat a few sentences that say nothing, beginning anywhere."""
    start = Dice(key, "noise").below(len(_NOISE))
    return (_NOISE[(start + number) % len(_NOISE)] for number in count())


def dialogue(key: str, _: Line | None) -> Iterator[str]:
    """Let a user chat and an assistant reply, in the wording of the synthetic world."""
    dice = Dice(key, "dialogue")
    while True:
        opener, tail = dice.pick(TALK["openers"]), dice.pick(TALK["tails"])
        topic = dice.pick(TALK["overlapping"] if dice.chance(30) else TALK["topics"])
        yield f"User: {opener.capitalize()} {topic}, {tail}"
        yield f"Assistant: {dice.pick(TALK['replies'])}"


def words(key: str, _: Line | None) -> Iterator[str]:
    """Say made-up words, each up to three times."""
    dice = Dice(key, "words")
    base = dice.below(300_000)
    waiting: list[str] = []
    for place in count():
        waiting += [word(base, place).lower()] * dice.between(1, _RARE)
        if len(waiting) > 60:
            for _step in range(30):
                swap = dice.below(len(waiting))
                waiting[swap], waiting[-1] = waiting[-1], waiting[swap]
                yield waiting.pop()


def own(key: str, line: Line | None) -> Iterator[str]:
    """Go on with lines of the sample's own kind."""
    if line is None:
        raise ValueError(f"Sample {key} has no line of its own kind.")
    dice = Dice(key, "own")
    return (line(dice, number) for number in count())


FILLERS: Mapping[str, Filler] = {"noise": noise, "dialogue": dialogue, "words": words, "own": own}
