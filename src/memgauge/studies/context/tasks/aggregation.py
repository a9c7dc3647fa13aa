"""Aggregation: what only all pieces together tell, at other places in every sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.studies.context.sample import AnswerForm, Sample, Type

if TYPE_CHECKING:
    from memgauge.studies.context.tasks.draw import Draw

_FREQUENT, _TIMES = 4, 12


def counted(draw: Draw) -> Sample:
    """Count how often something happened."""
    dice = draw.dice
    place, *other_places = draw.some(4)
    n = dice.between(3, 9)
    return Sample(
        "count",
        Type.AGGREGATION,
        draw.key,
        f"How many times did I swim at the {place} pool?",
        (str(n),),
        AnswerForm.NUMBER,
        (
            *draw.pieces([f"User: I swam at the {place} pool this morning."] * n),
            *draw.pieces(
                [f"User: I swam at the {dice.pick(other_places)} pool this morning." for _ in range(5)],
                evidence=False,
            ),
        ),
        "dialogue",
    )


def summed(draw: Draw) -> Sample:
    """Add up what was paid at one place."""
    dice = draw.dice
    shop, *other_shops = draw.some(4)
    amounts = [dice.between(2, 60) for _ in range(dice.between(3, 6))]
    return Sample(
        "sum",
        Type.AGGREGATION,
        draw.key,
        f"How many euros did I pay at {shop} in all?",
        (str(sum(amounts)),),
        AnswerForm.NUMBER,
        (
            *draw.pieces([f"User: I paid {euros} euros at {shop}." for euros in amounts]),
            *draw.pieces(
                [f"User: I paid {dice.between(2, 60)} euros at {dice.pick(other_shops)}." for _ in range(5)],
                evidence=False,
            ),
        ),
        "dialogue",
    )


def listed(draw: Draw) -> Sample:
    """Name everybody who belongs to one group, and nobody of another."""
    dice = draw.dice
    club, *other_clubs = draw.some(3)
    members, strangers = draw.some(dice.between(4, 6)), draw.some(8)
    return Sample(
        "set",
        Type.AGGREGATION,
        draw.key,
        f"Who joined the {club} choir? Name all of them.",
        tuple(members),
        AnswerForm.NAME,
        (
            *draw.pieces([f"User: {name} joined the {club} choir." for name in members]),
            *draw.pieces(
                [f"User: {name} joined the {dice.pick(other_clubs)} choir." for name in strangers], evidence=False
            ),
        ),
        "dialogue",
        tuple(strangers),
    )


def frequent(draw: Draw) -> Sample:
    """Name the words that are said most often; nothing but words is there, shuffled anew for every sample."""
    common = [name.lower() for name in draw.some(_FREQUENT)]
    words = draw.dice.sample(common * _TIMES, _FREQUENT * _TIMES)
    return Sample(
        "frequent",
        Type.AGGREGATION,
        draw.key,
        f"Which {_FREQUENT} words occur most often?",
        tuple(common),
        AnswerForm.WORD,
        draw.pieces(words),
        "words",
        join=" ",
    )
