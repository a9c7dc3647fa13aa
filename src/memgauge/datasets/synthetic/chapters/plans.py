"""A choice that must meet three wishes, which were said on three occasions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.datasets.synthetic.asked import QuestionDraft, QuestionKind
from memgauge.datasets.synthetic.words import RESTAURANT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.datasets.synthetic.life import UserLife


def plans(life: UserLife) -> Iterator[QuestionDraft]:
    """Say diet, budget and district, list four places of which one suits all three, and ask for it."""
    if not life.size.plans:
        return
    dice = life.dice("plans")
    diet, other = dice.sample(RESTAURANT.lines["diets"], 2)
    budget, here, away = 5 * dice.between(4, 9), life.names.draw("place"), life.names.draw("place")
    sessions = life.sessions(dice, 4)
    wishes = (("diet", diet), ("budget", str(budget)), ("district", here))
    turns = []
    for session, (name, value) in zip(sessions, wishes, strict=False):
        turns.append(life.say("assert", life.clause(RESTAURANT, inner=name, v=value, n=value), session))
        life.hold(f"{name} for meals", value, (turns[-1],), start=life.desk.dates[session])
    names = [life.names.draw("company") for _ in range(4)]
    offers = (
        (diet, budget - dice.between(1, 8), here),
        (other, budget - dice.between(1, 8), here),
        (diet, budget + dice.between(4, 20), here),
        (diet, budget - dice.between(1, 8), away),
    )
    spelled = [
        f"{name} ({kind}, {price} euros, in {place})"
        for name, (kind, price, place) in zip(names, offers, strict=True)
    ]
    listed = ", ".join(dice.sample(spelled, len(spelled)))
    turns.append(life.say("assert", RESTAURANT.lines["options"][0].format(v=listed), sessions[3]))
    text = dice.pick(RESTAURANT.lines["asks"])
    yield QuestionDraft(QuestionKind.CONSTRAINTS, text, tuple(turns), (names[0],), trap=names[2])
