"""Multi-hop: what follows from two or more pieces together, with other chains that lead elsewhere."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from memgauge.studies.context.sample import AnswerForm, Sample, Type

if TYPE_CHECKING:
    from memgauge.studies.context.tasks.draw import Draw

_CHAINS = 3
_HOPS = 4
_PEOPLE = 4


def variables(draw: Draw) -> Sample:
    """Name every variable that a value reaches through assignments, beside chains of other values."""
    chains = [[name.upper() for name in draw.some(_HOPS)] for _ in range(_CHAINS)]
    values = draw.numbers(_CHAINS, 10_000, 99_999)
    texts = [
        [f"VAR {chain[0]} = {value}", *(f"VAR {b} = VAR {a}" for a, b in pairwise(chain))]
        for chain, value in zip(chains, values, strict=True)
    ]
    distractors = [piece for text in texts[1:] for piece in draw.pieces(text, evidence=False)]
    return Sample(
        "variables",
        Type.MULTI_HOP,
        draw.key,
        f"Which variables hold the value {values[0]}? Name all of them.",
        tuple(chains[0]),
        AnswerForm.NAME,
        (*draw.pieces(texts[0]), *distractors),
        "noise",
        tuple(name for chain in chains[1:] for name in chain),
    )


def entities(draw: Draw) -> Sample:
    """Go from a person over an employer to a city, beside other people, employers and cities."""
    people, firms, towns = draw.some(_PEOPLE), draw.some(_PEOPLE), draw.some(_PEOPLE)
    works = [f"User: {person} has a new job at {firm}." for person, firm in zip(people, firms, strict=True)]
    seats = [f"User: The offices of {firm} are in {town}." for firm, town in zip(firms, towns, strict=True)]
    chain = [works[0], seats[0]]
    if draw.dice.chance(50):
        chain.reverse()
    return Sample(
        "chain",
        Type.MULTI_HOP,
        draw.key,
        f"In which town does {people[0]} work?",
        (towns[0],),
        AnswerForm.NAME,
        (*draw.pieces(chain), *draw.pieces(draw.dice.sample(works[1:] + seats[1:], 6), evidence=False)),
        "dialogue",
        tuple(towns[1:]),
    )
