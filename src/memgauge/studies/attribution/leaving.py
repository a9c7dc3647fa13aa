"""Many memories: leave one out, leave a group out, and above twelve, leave out at random.

Where a fact is stored twice, leaving out one copy changes nothing, which is why single items are not enough. With
many items, random halves show each one's effect beside all mixtures of the others (the idea is ContextCite's; the
effect is a difference of means, because the design is balanced).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.datasets.synthetic.dice import Dice
from memgauge.errors import ConfigError
from memgauge.results import result
from memgauge.stats import Interval, cluster_interval
from memgauge.studies.attribution.labels import stated
from memgauge.studies.attribution.question import Shown, SlotMemory, nonces, statement
from memgauge.studies.attribution.share import CountedShare, rate
from memgauge.systems.reference.wired import GUESSES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memgauge.studies.attribution.question import SlotQuestion
    from memgauge.studies.attribution.readers import Reader, ReaderReply

COPIES = 2
"""How often the truth is stored, each time in other words."""
FEW = 12
"""Items up to which no random masks are needed."""
MASKS = 64
MOST = COPIES * len(GUESSES)


@result
@dataclass(frozen=True)
class Leaving:
    """Which of many memories move an answer."""

    items: int
    asks: int
    alone: Mapping[str, CountedShare]
    """By item: questions whose answer changes without it."""
    grouped: Mapping[str, CountedShare]
    """By group of items that say the same: questions whose answer changes without all of them."""
    masked: Mapping[str, Interval]
    """By item: how much oftener the full answer is given with it than without; empty up to twelve items."""
    logged_but_inert: int
    """Items, over questions, that the log shows and that move nothing, alone or as a group."""
    unlogged_influence: int
    """Groups, over questions, that move the answer and of which the log shows no item."""
    failures: tuple[str, ...] = ()
    """Why asks failed, each reason once."""


def stored(question: SlotQuestion, count: int) -> tuple[SlotMemory, ...]:
    """Return *count* memories: a made-up truth twice, and other things, the first eleven once each, then again.

    Raises:
        ConfigError: Too few to leave any out, or more than there is to say.
    """
    if not COPIES < count <= MOST:
        raise ConfigError(f"{count} memories cannot be made.", f"Take {COPIES + 1} to {MOST}.")
    dice = Dice("leaving", 1, question.id)
    truth = [statement(question, question.own[0], again=n) for n in range(COPIES)]
    slots = dice.sample([slot for slot in GUESSES if slot != question.slot], len(GUESSES) - 1)
    values = [nonces(GUESSES[slot], 1, dice, question.values)[0] for slot in slots]
    others = [
        SlotMemory(f"other {n}", f"{question.id}-y{n}", wording.format(slot=slot, value=value), slot, value, slot)
        for n, (wording, slot, value) in enumerate(
            (
                (wording, slot, value)
                for wording in ("My {slot} is {value}.", "The {slot} that I have is {value}.")
                for slot, value in zip(slots, values, strict=True)
            ),
            1,
        )
    ]
    made = [*truth, *others[: count - COPIES]]
    return tuple(dice.sample(made, len(made)))


def left_out(items: Sequence[SlotMemory], question: str) -> dict[str, frozenset[str]]:
    """Name everything that is taken away, ask by ask: nothing, each item, each group of several, random halves."""
    groups = _groups(items)
    asks = {"full": frozenset[str]()}
    asks |= {f"item {item.key}": frozenset({item.key}) for item in items}
    asks |= {f"group {name}": keys for name, keys in groups.items() if len(keys) > 1}
    if len(items) > FEW:
        dice = Dice("masks", 1, question)
        for n in range(MASKS):
            asks[f"mask {n}"] = frozenset(item.key for item in items if dice.chance(50))
    return asks


def leave_out(reader: Reader, questions: Sequence[SlotQuestion], count: int, seed: int = 0) -> Leaving:
    """Ask every question with everything, without each part, and see what changes."""
    planned = plan_leaving(questions, count)
    asks = [ask for _, _, ask in planned]
    order = Dice("leaving order", seed).sample(range(len(asks)), len(asks))
    replies: dict[int, ReaderReply] = dict(zip(order, reader.read([asks[place] for place in order]), strict=True))
    by_question: dict[str, dict[str, ReaderReply]] = {}
    for place, (question, name, _) in enumerate(planned):
        by_question.setdefault(question.id, {})[name] = replies[place]
    return _counted(questions, count, by_question, len(asks))


def plan_leaving(questions: Sequence[SlotQuestion], count: int) -> list[tuple[SlotQuestion, str, Shown]]:
    """Return every ask with its question and name."""
    planned = []
    for question in questions:
        items = stored(question, count)
        for name, gone in left_out(items, question.id).items():
            left = tuple(item for item in items if item.key not in gone)
            planned.append((question, name, Shown(question, left)))
    return planned


def _counted(
    questions: Sequence[SlotQuestion], count: int, replies: Mapping[str, Mapping[str, ReaderReply]], asks: int
) -> Leaving:
    alone: dict[str, list[tuple[bool | None, str]]] = {}
    grouped: dict[str, list[tuple[bool | None, str]]] = {}
    masked: dict[str, list[tuple[float, str]]] = {}
    inert = unlogged = 0
    for question in questions:
        items, by_ask = stored(question, count), replies[question.id]
        moved = {name: _moves(question, by_ask["full"], reply) for name, reply in by_ask.items()}
        groups = _groups(items)
        for item in items:
            alone.setdefault(item.key, []).append((moved[f"item {item.key}"], question.slot))
        for name, keys in groups.items():
            effect = moved[f"group {name}"] if len(keys) > 1 else moved[f"item {next(iter(keys))}"]
            grouped.setdefault("truth" if name == "truth" else "others", []).append((effect, question.slot))
            logged = by_ask["full"].logged
            if logged is not None and effect is not None:
                inert += len(keys & logged) if not effect else 0
                unlogged += effect and not keys & logged
        for key, value in _masked(question, items, by_ask):
            masked.setdefault(key, []).append((value, question.slot))
    names = sorted(alone, key=lambda key: (not key.startswith("memory"), len(key), key))
    return Leaving(
        count,
        asks,
        {name: rate(alone[name]) for name in names},
        {name: rate(row) for name, row in grouped.items()},
        {name: _over_slots(masked[name]) for name in names if name in masked},
        inert,
        unlogged,
        tuple(
            dict.fromkeys(reply.failed for by_ask in replies.values() for reply in by_ask.values() if reply.failed)
        ),
    )


def _over_slots(rows: Sequence[tuple[float, str]]) -> Interval:
    """Return the mean of an effect with its interval over the slots of questions."""
    return cluster_interval([effect for effect, _ in rows], [slot for _, slot in rows])


def _groups(items: Sequence[SlotMemory]) -> dict[str, frozenset[str]]:
    names = dict.fromkeys(item.group for item in items)
    return {name: frozenset(item.key for item in items if item.group == name) for name in names}


def _moves(question: SlotQuestion, full: ReaderReply, other: ReaderReply) -> bool | None:
    """Whether an answer states something else; ``None`` where either failed."""
    if full.failed or other.failed:
        return None
    return stated(question, full.text) != stated(question, other.text)


def _masked(
    question: SlotQuestion, items: Sequence[SlotMemory], replies: Mapping[str, ReaderReply]
) -> Iterable[tuple[str, float]]:
    """Yield of each item how much oftener the full answer is given with it than without."""
    masks = {name: gone for name, gone in left_out(items, question.id).items() if name.startswith("mask")}
    same = {name: _moves(question, replies["full"], replies[name]) for name in masks}
    for item in items if masks else ():
        with_it = [same[name] is False for name, gone in masks.items() if item.key not in gone]
        without = [same[name] is False for name, gone in masks.items() if item.key in gone]
        if with_it and without:
            yield item.key, float(np.mean(with_it) - np.mean(without))
