"""Who "my manager" is changes, and what is true of a person is said under their name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.datasets.synthetic.asked import QuestionDraft, QuestionKind
from memgauge.datasets.synthetic.chapters.states import DECOYS, ask_state, day_in, decoy, look_back, timeline
from memgauge.datasets.synthetic.words import ROLE, Theme

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.datasets.synthetic.life import UserLife

MANAGER = Theme(ROLE.name, "person", ROLE.lines)


def roles(life: UserLife) -> Iterator[QuestionDraft]:
    """Tell of two managers, one after the other, and where each was born; ask for them and for that."""
    if not life.size.roles:
        return
    dice = life.dice("roles")
    versions = timeline(life, MANAGER, 2, dice)
    decoys = decoy(life, MANAGER, DECOYS[life.user % len(DECOYS)], dice)
    past = look_back(life, MANAGER, versions, dice) if dice.chance(50) else []
    yield from ask_state(MANAGER, versions, decoys, past, dice)
    born = {}
    for fact in versions:
        town, session = life.names.draw("place"), dice.pick(life.desk.roomy())
        turn = life.say("assert", life.clause(ROLE, inner="born", p=fact.value, v=town), session)
        born[fact.value] = life.hold("birthplace", town, (turn,), subject=fact.value)
    then, now = versions
    for who, other, text in (
        (now, then, dice.pick(ROLE.lines["hop"])),
        (then, now, dice.pick(ROLE.lines["hop_past"]).format(d=day_in(then, dice))),
    ):
        place, wrong = born[who.value], born[other.value]
        yield QuestionDraft(
            QuestionKind.HOP,
            text,
            (*who.turns, *place.turns),
            (place.value,),
            (*other.turns, *wrong.turns),
            trap=wrong.value,
        )
