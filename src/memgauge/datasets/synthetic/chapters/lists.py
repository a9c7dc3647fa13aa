"""What has many values: things done, members who come and go, sums of money."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.datasets.synthetic.asked import QuestionDraft, QuestionKind
from memgauge.datasets.synthetic.chapters.states import NUMBERS
from memgauge.datasets.synthetic.life import turns_of
from memgauge.datasets.synthetic.words import COLLECTIONS, MEMBERSHIPS, SPENDINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.datasets.synthetic.dice import Dice
    from memgauge.datasets.synthetic.life import UserLife
    from memgauge.datasets.synthetic.words import Theme
    from memgauge.records import Fact


def lists(life: UserLife) -> Iterator[QuestionDraft]:
    """Tell lists and sums in pieces, in different sessions, and ask for the whole."""
    size, dice = life.size, life.dice("lists")
    for theme in dice.sample(COLLECTIONS, size.collections):
        yield from _collection(life, theme, dice)
    for theme in dice.sample(MEMBERSHIPS, size.memberships):
        yield from _membership(life, theme, dice)
    for theme in dice.sample(SPENDINGS, size.spendings):
        yield from _spending(life, theme, dice)


def _collection(life: UserLife, theme: Theme, dice: Dice) -> Iterator[QuestionDraft]:
    facts = []
    for session in life.sessions(dice, dice.between(2, life.size.members)):
        value = life.names.draw(theme.pool)
        turn = life.say("assert", life.clause(theme, v=value), session)
        facts.append(life.hold(theme.name, value, (turn,), functional=False, start=life.desk.dates[session]))
    turns, n = turns_of(facts), len(facts)
    values = [fact.value for fact in facts]
    yield QuestionDraft(QuestionKind.LIST, dice.pick(theme.lines["asks"]), turns, (enumerate_(values),))
    yield QuestionDraft(QuestionKind.COUNT, dice.pick(theme.lines["counts"]), turns, (str(n), NUMBERS[n]), raw=n)


def _membership(life: UserLife, theme: Theme, dice: Dice) -> Iterator[QuestionDraft]:
    """Let several in and one of them out again."""
    sessions = life.sessions(dice, dice.between(3, life.size.members))
    stated = []
    for session in sessions:
        value = life.names.draw(theme.pool)
        stated.append((value, session, life.say("assert", life.clause(theme, v=value), session)))
    leaves = dice.below(len(stated) - 1)
    after = life.desk.roomy(range(sessions[leaves] + 1, life.size.sessions))
    stay: list[Fact] = []
    gone: list[Fact] = []
    for place, (value, session, turn) in enumerate(stated):
        end = None
        if place == leaves and after:
            out = dice.pick(after)
            life.say("assert", life.clause(theme, out=True, v=value), out)
            end = life.desk.dates[out]
        start = life.desk.dates[session]
        fact = life.hold(theme.name, value, (turn,), functional=False, start=start, end=end)
        (gone if end else stay).append(fact)
    answer = enumerate_([fact.value for fact in stay])
    trap = gone[0].value if gone else None
    text = dice.pick(theme.lines["asks"])
    yield QuestionDraft(QuestionKind.LIST, text, turns_of(stay), (answer,), turns_of(gone), trap=trap)


def _spending(life: UserLife, theme: Theme, dice: Dice) -> Iterator[QuestionDraft]:
    total, turns = 0, []
    for session in life.sessions(dice, dice.between(2, 3)):
        amount = dice.between(12, 480)
        turn = life.say("assert", life.clause(theme, n=amount), session)
        life.hold(
            f"spent on the {theme.name}", str(amount), (turn,), functional=False, start=life.desk.dates[session]
        )
        total += amount
        turns.append(turn)
    yield QuestionDraft(QuestionKind.SUM, dice.pick(theme.lines["asks"]), tuple(turns), (str(total),), raw=total)


def enumerate_(values: Sequence[str]) -> str:
    """Write ``A, B and C``."""
    return f"{', '.join(values[:-1])} and {values[-1]}" if len(values) > 1 else values[0]
