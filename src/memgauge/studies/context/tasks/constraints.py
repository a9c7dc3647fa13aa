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
    own_constraints = UserConstraints(foods[0], 5 * dice.between(5, 10), days[0])
    guest_constraints = UserConstraints(foods[1], own_constraints.budget + 5 * dice.between(2, 4), days[1])
    offers = dice.sample(_offers(own_constraints, foods, days, draw.some(6), dice), 6)
    (fitting_name,) = [offer.name for offer in offers if own_constraints.allow(offer)]
    guest = draw.word()
    offer_list = "; ".join(map(str, offers))
    return Sample(
        "constraint",
        Type.CONSTRAINT,
        draw.key,
        f"Which of these places can I book for my dinner, given all that I said? {offer_list}.",
        (fitting_name,),
        AnswerForm.NAME,
        (
            *draw.pieces(dice.sample(own_constraints.spoken("me"), 3)),
            *draw.pieces(guest_constraints.spoken(guest), evidence=False),
        ),
        "dialogue",
        tuple(offer.name for offer in offers if offer.name != fitting_name),
    )


def _offers(
    constraints: UserConstraints, foods: list[str], days: list[str], names: list[str], dice: Dice
) -> list[Offer]:
    """Make one that fits, one each that breaks a single rule, and two that break two."""
    affordable, dear = constraints.budget - 5, constraints.budget + 5 * dice.between(1, 3)
    wrong_food, right_food = foods[0], foods[2]
    closed_day, open_day = days[0], days[2]
    parts = (
        (right_food, affordable, open_day),
        (wrong_food, affordable, open_day),
        (right_food, dear, open_day),
        (right_food, affordable, closed_day),
        (wrong_food, dear, open_day),
        (right_food, dear, closed_day),
    )
    return [Offer(name, *part) for name, part in zip(names, parts, strict=True)]
