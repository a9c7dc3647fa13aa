"""What must be found exactly: identifiers among their near misses, and who said something."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.datasets.synthetic.asked import QuestionDraft, QuestionKind
from memgauge.datasets.synthetic.names import near_miss
from memgauge.datasets.synthetic.words import RUMOURS, THINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.datasets.synthetic.life import UserLife


def things(life: UserLife) -> Iterator[QuestionDraft]:
    """Tell ticket numbers that differ in a digit, and rumours by whom; ask for one of each."""
    dice = life.dice("things")
    tickets = []
    first = life.names.draw("code")
    value = first
    for theme in dice.sample(THINGS, life.size.things):
        turn = life.say("assert", life.clause(theme, v=value), dice.pick(life.desk.roomy()))
        tickets.append((theme, value, turn))
        life.hold(f"ticket of the {theme.name}", value, (turn,))
        value = near_miss(value, dice)
        while any(value == other for _, other, _ in tickets):
            value = life.names.draw("code")
    for theme, value, turn in tickets[:2]:
        decoys = tuple(other for _, _, other in tickets if other != turn)
        yield QuestionDraft(
            QuestionKind.IDENTIFIER, dice.pick(theme.lines["asks"]), (turn,), (value,), decoys=decoys
        )
    heard = []
    for rumour in dice.sample(RUMOURS, life.size.rumours):
        person = life.names.draw("person")
        turn = life.say("gossip", life.clause(rumour), dice.pick(life.desk.roomy()), p=person)
        life.hold(f"who said that {rumour.name}", person, (turn,))
        heard.append((dice.pick(rumour.lines["asks"]), person, turn))
    question, person, turn = heard[0]
    decoys = tuple(other for _, _, other in heard[1:])
    yield QuestionDraft(QuestionKind.ATTRIBUTION, question, (turn,), (person,), decoys=decoys)
