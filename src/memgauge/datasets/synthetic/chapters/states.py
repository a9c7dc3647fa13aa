"""What has one value at a time: said, changed, looked back at, taken back, imagined, or said of somebody else."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from memgauge.datasets.synthetic.asked import QuestionDraft, QuestionKind
from memgauge.datasets.synthetic.life import persona, turns_of
from memgauge.datasets.synthetic.words import STATES
from memgauge.text.dates import spell_date

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.datasets.synthetic.dice import Dice
    from memgauge.datasets.synthetic.life import UserLife
    from memgauge.datasets.synthetic.words import Theme
    from memgauge.records import Fact

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
DECOYS = ("hypothetical", "negate", "quote", "plant")


def states(life: UserLife) -> Iterator[QuestionDraft]:
    """Tell the states of a life, and ask for those that were told, ended, or never said."""
    size, dice = life.size, life.dice("states")
    themes = dice.sample(STATES, size.states + size.ended + size.absent)
    present, themes = themes[: size.states], themes[size.states :]
    for number, theme in enumerate(present):
        versions = timeline(life, theme, dice.between(2, 3) if number < size.changing else 1, dice)
        decoys = decoy(life, theme, DECOYS[(number + life.user) % len(DECOYS)], dice)
        past = look_back(life, theme, versions, dice) if len(versions) < 3 and dice.chance(40) else []
        yield from ask_state(theme, versions, decoys, past, dice)
    for number, theme in enumerate(themes):
        if number < size.ended:
            kind = (QuestionKind.RETRACTED, QuestionKind.ERASED)[(number + life.user) % 2]
            yield from _ended(life, theme, kind, dice)
        else:
            yield from _absent(life, theme, number - size.ended, dice)


def timeline(life: UserLife, theme: Theme, versions: int, dice: Dice) -> list[Fact]:
    """Say one value after the other, each ending the one before; the third may bring back the first."""
    sessions = life.sessions(dice, versions)
    values = [life.names.draw(theme.pool) for _ in sessions]
    acts = ["assert", *["correct"] * (versions - 1)]
    if versions == 3 and dice.chance(25):
        values[2], acts[2] = values[0], "reassert"
    facts = []
    for place, (session, value, act) in enumerate(zip(sessions, values, acts, strict=True)):
        turns = [life.say(act, life.clause(theme, v=value), session)]
        later = life.desk.roomy(range(session + 1, life.size.sessions))
        if place == versions - 1 and later and dice.chance(25):
            turns.append(life.say("mention", life.clause(theme, v=value), dice.pick(later)))
        end = life.desk.dates[sessions[place + 1]] if place + 1 < versions else None
        start = life.desk.dates[session]
        facts.append(life.hold(theme.name, value, tuple(turns), start=start, end=end))
    return facts


def ask_state(
    theme: Theme, versions: Sequence[Fact], decoys: tuple[str, ...], past: list[Fact], dice: Dice
) -> Iterator[QuestionDraft]:
    """Ask for the value now, for one that was right on a day, and how often it changed."""
    last, earlier = versions[-1], versions[:-1]
    gone = tuple(t for t in turns_of([*past, *earlier]) if t not in turns_of(_same(last, earlier)))
    kind = QuestionKind.REFERENCE if theme.name == "manager" else QuestionKind.CURRENT
    trap = earlier[-1].value if earlier else None
    text = dice.pick(theme.lines["asks"])
    now = QuestionDraft(kind, text, last.turns, (last.value,), gone, decoys, trap=trap)
    yield now
    if "apply" in theme.lines:
        yield replace(now, kind=QuestionKind.PREFERENCE, text=dice.pick(theme.lines["apply"]), trap=None)
    if not earlier:
        return
    then = dice.pick(earlier)
    yield QuestionDraft(
        QuestionKind.AS_OF,
        dice.pick(theme.lines["past"]).format(d=day_in(then, dice)),
        then.turns,
        (then.value,),
        tuple(t for t in turns_of([*versions, *past]) if t not in turns_of([then, *_same(then, versions)])),
        decoys,
        trap=last.value,
    )
    if "often" in theme.lines and not past:
        n = len(versions) - 1
        stated = tuple(fact.turns[0] for fact in versions)
        often = dice.pick(theme.lines["often"])
        yield QuestionDraft(QuestionKind.CHANGES, often, stated, (str(n), NUMBERS[n]), raw=n, decoys=decoys)


def day_in(fact: Fact, dice: Dice) -> str:
    """Spell a day on which *fact* held, and no other version did, from morning to night."""
    if fact.valid_from is None or fact.valid_to is None:
        raise ValueError(f"{fact.id} has no ends")
    days = (fact.valid_to.date() - fact.valid_from.date()).days
    return spell_date(fact.valid_from.date() + timedelta(days=dice.between(1, days - 1)))


def _same(fact: Fact, others: Sequence[Fact]) -> list[Fact]:
    return [other for other in others if other.value == fact.value]


def decoy(life: UserLife, theme: Theme, act: str, dice: Dice) -> tuple[str, ...]:
    """Say something that looks like a statement of the user and is none."""
    value, session = life.names.draw(theme.pool), dice.pick(life.desk.roomy())
    person = life.names.draw("person") if act == "quote" else ""
    turn = life.say(act, life.clause(theme, v=value), session, p=person)
    if person:
        life.hold(theme.name, value, (turn,), subject=person)
    return (turn,)


def look_back(life: UserLife, theme: Theme, versions: Sequence[Fact], dice: Dice) -> list[Fact]:
    """Say late what was true before everything: the order of telling is not the order of time."""
    later = life.desk.roomy(range(_last_session(life, versions) + 1, life.size.sessions))
    if not later:
        return []
    day = life.desk.dates[0] - timedelta(days=dice.between(30, 300))
    value = life.names.draw(theme.pool)
    turn = life.say("backfill", life.clause(theme, v=value), dice.pick(later), d=spell_date(day.date()))
    return [life.hold(theme.name, value, (turn,), end=day)]


def _last_session(life: UserLife, versions: Sequence[Fact]) -> int:
    return max(life.desk.dates.index(life.date(turn)) for fact in versions for turn in fact.turns)


def _ended(life: UserLife, theme: Theme, kind: QuestionKind, dice: Dice) -> Iterator[QuestionDraft]:
    """Say something and take it back, or have it erased."""
    first, second = life.sessions(dice, 2)
    value = life.names.draw(theme.pool)
    turn = life.say("assert", life.clause(theme, v=value), first)
    act = "erase" if kind is QuestionKind.ERASED else "retract"
    life.say(act, "", second, t=life.topic(theme))
    start, end = life.desk.dates[first], life.desk.dates[second]
    life.hold(theme.name, value, (turn,), start=start, end=end)
    yield QuestionDraft(kind, dice.pick(theme.lines["asks"]), stale=(turn,), trap=value)


def _absent(life: UserLife, theme: Theme, number: int, dice: Dice) -> Iterator[QuestionDraft]:
    """Ask what was never said of the user: of nobody, of somebody else, in imagination, or of another user."""
    kind = (QuestionKind.NEVER, QuestionKind.OTHER, QuestionKind.HYPOTHETICAL, QuestionKind.OTHER_USER)[
        (number + life.user) % 4
    ]
    text = dice.pick(theme.lines["asks"])
    decoys: tuple[str, ...] = ()
    if kind is QuestionKind.OTHER:
        decoys = decoy(life, theme, "quote", dice)
    elif kind is QuestionKind.HYPOTHETICAL:
        decoys = decoy(life, theme, "hypothetical", dice)
    elif kind is QuestionKind.OTHER_USER:
        text = f"What do you know about the {theme.name} of {persona(life.user + 1)}?"
    yield QuestionDraft(kind, text, decoys=decoys)
