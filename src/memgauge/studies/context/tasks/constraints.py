"""Standing constraints: an answer has to keep all of them, and each rules something out that the others allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.studies.context.sample import AnswerForm, Sample, Type

if TYPE_CHECKING:
    from memgauge.datasets.synthetic.dice import Dice
    from memgauge.studies.context.tasks.draw import Draw

_FOODS = ("nuts", "shellfish", "sesame", "celery", "mustard", "eggs")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")


@dataclass(frozen=True)
class UserConstraints:
    """What somebody has said once and for all."""

    allergy: str
    budget: int
    day: str

    def allow(self, offer: Offer) -> bool:
        """Whether an offer keeps every constraint."""
        return offer.food != self.allergy and offer.price <= self.budget and offer.closed != self.day

    def spoken(self, who: str) -> list[str]:
        """Say them."""
        me = who == "me"
        return [
            f"User: {'I am' if me else f'{who} is'} allergic to {self.allergy}, always.",
            f"User: {'My' if me else f'The {who}'} limit for any dinner is {self.budget} euros, always.",
            f"User: {'I' if me else who} can only go out on a {self.day}, always.",
        ]


@dataclass(frozen=True)
class Offer:
    """Something to choose."""

    name: str
    food: str
    price: int
    closed: str

    def __str__(self) -> str:
        return f"{self.name} (serves {self.food}, {self.price} euros, closed on {self.closed})"


def constrained(draw: Draw) -> Sample:
    """Choose the one offer that keeps an allergy, a budget and a day, said at different times."""
    dice = draw.dice
    foods, days = dice.sample(_FOODS, 3), dice.sample(_DAYS, 3)
    mine = UserConstraints(foods[0], 5 * dice.between(5, 10), days[0])
    other = UserConstraints(foods[1], mine.budget + 5 * dice.between(2, 4), days[1])
    offers = dice.sample(_offers(mine, foods, days, draw.some(6), dice), 6)
    (right,) = [offer.name for offer in offers if mine.allow(offer)]
    guest = draw.word()
    shown = "; ".join(map(str, offers))
    return Sample(
        "constraint",
        Type.CONSTRAINT,
        draw.key,
        f"Which of these places can I book for my dinner, given all that I said? {shown}.",
        (right,),
        AnswerForm.NAME,
        (
            *draw.pieces(dice.sample(mine.spoken("me"), 3)),
            *draw.pieces(other.spoken(guest), evidence=False),
        ),
        "dialogue",
        tuple(offer.name for offer in offers if offer.name != right),
    )


def _offers(mine: UserConstraints, foods: list[str], days: list[str], names: list[str], dice: Dice) -> list[Offer]:
    """Make one that fits, one each that breaks a single rule, and two that break two."""
    low, high = mine.budget - 5, mine.budget + 5 * dice.between(1, 3)
    bad, good = foods[0], foods[2]
    shut, free = days[0], days[2]
    parts = (
        (good, low, free),
        (bad, low, free),
        (good, high, free),
        (good, low, shut),
        (bad, high, free),
        (good, high, shut),
    )
    return [Offer(name, *part) for name, part in zip(names, parts, strict=True)]
