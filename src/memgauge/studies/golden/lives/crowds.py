"""Crowds: hundreds of other things that somebody has, as one list or each as a thing of its own."""

from __future__ import annotations

from itertools import islice, product
from typing import TYPE_CHECKING

from memgauge.studies.golden.writer import said, variable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.studies.golden.scenario import Step

AT_ONCE = 12
"""Things that are named in one turn."""
_COLOURS = """
red blue green grey black white brown pink violet orange yellow beige golden silver crimson olive navy teal scarlet
ivory
"""
_STUFFS = "wooden plastic paper woollen leather"
_NOUNS = "mug chair scarf basket candle mirror ladder bucket pillow ruler bell carpet"


def listed_crowd(count: int, sentence: str, slot: str, name: str) -> Step:
    """Let *count* values of one slot be handed over at once."""
    return said(f"{sentence} {{{name}}}.", adds={slot: name}, times=count, together=True)


def crowd_of_things(count: int, name: str) -> Iterator[Step]:
    """Tell *count* things (up to 1,200) of which each has a value of its own, some in every turn.

    A memory that merges what it knows of one thing keeps a list as a single text: only many things fill it.
    """
    kinds = product(_STUFFS.split(), _COLOURS.split(), _NOUNS.split())
    things = {
        f"{colour} {stuff} {noun}": f"{name}_{variable(number)}"
        for number, (stuff, colour, noun) in enumerate(islice(kinds, count))
    }
    for start in range(0, len(things), AT_ONCE):
        together = dict(islice(things.items(), start, start + AT_ONCE))
        words = ", ".join(f"my {thing} is {{{value}}}" for thing, value in together.items())
        yield said(f"For the list, {words}.", sets=together)
