"""What happens in one persona's life, said at known places and asked with known truth."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

from memgauge.datasets.synthetic.ask import ABSTENTION, MULTI, SINGLE, TEMPORAL, UPDATE, Draft
from memgauge.datasets.synthetic.chatter import FRIENDS
from memgauge.datasets.synthetic.deeds import COLLECTIONS, HAPPENINGS, Collection
from memgauge.datasets.synthetic.slots import SLOTS, Slot
from memgauge.text.dates import spell_date

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from random import Random

    from memgauge.datasets.synthetic.desk import Desk
    from memgauge.datasets.synthetic.sizes import Size

_AGO = (
    ("yesterday", 1),
    ("the day before yesterday", 2),
    ("three days ago", 3),
    ("a week ago", 7),
    ("two weeks ago", 14),
)
_WORDS = ("no", "one", "two", "three", "four")


def live(desk: Desk, size: Size, rng: Random) -> tuple[Draft, ...]:
    """Lay a life out on *desk* and return every question about it, grouped by category."""
    changing = rng.sample([s for s in SLOTS if s.changes], size.updates)
    others = [s for s in SLOTS if s not in changing]
    rng.shuffle(others)
    lasting, unknown = others[: size.facts - size.updates], others[size.facts - size.updates :]
    drafts = [_lasting(slot, desk, rng) for slot in lasting]
    drafts += [draft for slot in changing for draft in _changing(slot, desk, rng)]
    drafts += _happenings(desk, size, rng)
    drafts += [
        d for c in rng.sample(COLLECTIONS, size.collections) for d in _collection(c, size.members, desk, rng)
    ]
    drafts += [_unknown(slot, desk, rng) for slot in unknown[: size.unknowns]]
    return tuple(drafts)


def _lasting(slot: Slot, desk: Desk, rng: Random) -> Draft:
    value, theirs = rng.sample(slot.values, 2)
    _, turn = desk.say(rng.choice(slot.states).format(v=value), desk.roomy())
    _gossip(slot, theirs, desk, rng)
    return Draft(SINGLE, rng.choice(slot.asks).format(n=desk.persona), (turn,), (value,))


def _changing(slot: Slot, desk: Desk, rng: Random) -> tuple[Draft, Draft]:
    before, after = rng.sample(slot.values, 2)
    half = desk.sessions // 2
    _, old = desk.say(rng.choice(slot.states).format(v=before), range(half))
    _, new = desk.say(rng.choice(slot.changes).format(v=after), range(half, desk.sessions))
    return (
        Draft(UPDATE, rng.choice(slot.asks).format(n=desk.persona), (new,), (after,), trap=before),
        Draft(UPDATE, rng.choice(slot.asks_before).format(n=desk.persona), (old,), (before,), trap=after),
    )


def _unknown(slot: Slot, desk: Desk, rng: Random) -> Draft:
    theirs = rng.choice(slot.values)
    _gossip(slot, theirs, desk, rng)
    return Draft(ABSTENTION, rng.choice(slot.asks).format(n=desk.persona), trap=theirs)


def _gossip(slot: Slot, value: str, desk: Desk, rng: Random) -> None:
    # Somebody else's fact shares the words of the question: the place where matching words goes wrong.
    desk.say(rng.choice(slot.elsewhere).format(f=rng.choice(FRIENDS), v=value), desk.roomy())


def _happenings(desk: Desk, size: Size, rng: Random) -> Iterator[Draft]:
    dated = []
    for happening in rng.sample(HAPPENINGS, size.happenings):
        when, days = rng.choice(_AGO)
        session, turn = desk.say(rng.choice(happening.states).format(when=when), desk.roomy())
        day = desk.dates[session].date() - timedelta(days=days)
        dated.append((day, happening.name, turn))
        answers = (spell_date(day), day.isoformat())
        yield Draft(TEMPORAL, rng.choice(happening.asks).format(n=desk.persona), (turn,), answers)
    distinct = [(a, b) for a, b in pairwise(sorted(dated)) if a[0] != b[0]]
    for first, second in distinct[: size.orders]:
        names = rng.sample([first[1], second[1]], 2)
        text = f"Which came first for {desk.persona}: {names[0]} or {names[1]}?"
        yield Draft(TEMPORAL, text, (first[2], second[2]), (first[1],))


def _collection(collection: Collection, most: int, desk: Desk, rng: Random) -> tuple[Draft, Draft]:
    members = rng.sample(collection.values, rng.randint(2, most))
    sessions = sorted(rng.sample(desk.roomy(), len(members)))
    turns = tuple(
        desk.say_in(rng.choice(collection.states).format(v=member), session)
        for member, session in zip(members, sessions, strict=True)
    )
    name, n = desk.persona, len(members)
    return (
        Draft(MULTI, rng.choice(collection.asks).format(n=name), turns, (_enumerate(members),)),
        Draft(MULTI, rng.choice(collection.counts).format(n=name), turns, (str(n), _WORDS[n]), raw=n),
    )


def _enumerate(members: Sequence[str]) -> str:
    return f"{', '.join(members[:-1])} and {members[-1]}"
