"""What can happen in a life: what can in a program, and what takes a longer story to be seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.studies.golden.moves import MOVES, NEEDS, look
from memgauge.studies.golden.scenario import Advance, Erase, Maintenance, Meddle, Probe, Restart, Update, User
from memgauge.studies.golden.writer import said

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memgauge.studies.golden.writer import ProgramWriter


def nearly(name: str) -> tuple[str, ...]:
    """Return ids that are nearly *name*, and are somebody else's."""
    ways = (
        *(name[:-1], name[:2], f"{name}%", f"{name[0]}*", f"{name} ", f"{name}.", f"./{name}", f"{name}\u200b"),
        *(f"%{ord(name[0]):x}{name[1:]}", name.swapcase(), name.partition("@")[0], name.replace(".", ""), ""),
    )
    return tuple(dict.fromkeys(way for way in ways if way != name))


def _announced_twice(writer: ProgramWriter) -> None:
    """Announce two changes of one thing, and let the first of them come."""
    slot, first, second = writer.slot(), "2d", "6d"
    writer.ending.add(writer.who)
    writer.add(writer.saying(slot, starts=second), writer.saying(slot, starts=first), writer.asking(slot))
    del writer.told[writer.who, slot][-2:]
    writer.add(Advance(advance="3d"), writer.asking(slot))


def _counted(writer: ProgramWriter) -> None:
    slot = writer.slot()
    writer.add(writer.saying(slot), Erase(erase=slot, counted=True), writer.asking(slot))


def _set_aside(writer: ProgramWriter) -> None:
    """Plant something, let the memory grow older, and look whether it is still set aside."""
    MOVES["plant"](writer)
    older = writer.choose((Maintenance(maintenance=3), Restart(restart="process"), Erase(erase=writer.slot())))
    writer.add(older, look(quarantined=True), writer.asking(writer.slot()))


def _changed(writer: ProgramWriter) -> None:
    slot = writer.slot()
    writer.add(writer.saying(slot), writer.saying(slot))
    if not writer.slots[slot][1]:
        writer.add(
            look(audit="history", about=slot),
            Update(update=slot, to=writer.new(slot)),
            look(audit="update", about=slot),
            writer.asking(slot),
        )
    writer.add(look(audit="history", about=slot), look(listed=slot))


def _minutes_ago(writer: ProgramWriter) -> None:
    """Correct something within the hour, and ask for what it was between."""
    slot = writer.slot()
    writer.add(writer.saying(slot), Advance(advance="20m"), writer.saying(slot), Advance(advance="20m"))
    writer.add(writer.asking(slot, as_of="-30m"), writer.asking(slot, as_of="-1h"), writer.asking(slot))


def _once(writer: ProgramWriter) -> None:
    """Tell what was, and ask for it."""
    slot = writer.choose([name for name, (_, many) in writer.slots.items() if not many])
    name = writer.new(slot)
    was = said(f"Until {{@-2d}} my {slot} was {{{name}}}.", was={slot: name}, until="-2d")
    writer.add(was, writer.asking(slot, as_of="-3d"), writer.asking(slot))


def _both(writer: ProgramWriter) -> None:
    """Ask for two things in one question."""
    slots = [writer.slot(), writer.slot()]
    writer.add(*map(writer.saying, slots))
    question = f"What is my {slots[0]}, and what is my {slots[1]}?"
    writer.add(*(writer.asking(slot, k=100).model_copy(update={"ask": question}) for slot in slots))


def _nearly_erased(writer: ProgramWriter) -> None:
    """Erase somebody whose id is nearly another's."""
    slot, who = writer.slot(), writer.who
    writer.add(
        writer.saying(slot),
        User(user=writer.choose(nearly(who.user.user)), tenant=who.user.tenant, agent=who.user.agent),
    )
    writer.add(Erase(erase="user"), who.user, writer.asking(slot))


def _nearly_meddled(writer: ProgramWriter) -> None:
    """Let those whose ids are nearly the speaker's try to change and remove what is stored."""
    slot, ids = writer.slot(), nearly(writer.who.user.user)
    meddlers = tuple(dict.fromkeys(writer.choose(ids) for _ in range(3)))
    writer.add(writer.saying(slot), Meddle(meddle=meddlers), writer.asking(slot))


def _batch(writer: ProgramWriter) -> None:
    slot = writer.choose([name for name, (_, many) in writer.slots.items() if many])
    writer.add(writer.saying(slot, times=writer.choose((2, 12, 30)), together=True), writer.asking(slot))


def _reopened(writer: ProgramWriter) -> None:
    """Correct something, open the memory again, and look first where nobody says what time it is."""
    slot = writer.slot()
    writer.add(writer.saying(slot), Advance(advance="1d"), writer.saying(slot), Restart(restart="process"))
    writer.add(*(writer.asking(slot, layers=(layer,)) for layer in ("context", "recall")))


def _small_room(writer: ProgramWriter) -> None:
    slot = writer.slot()
    writer.add(writer.saying(slot), writer.asking(slot, budgets=(40, 300, 2_000), same_minute=True))


def _long_turn(writer: ProgramWriter) -> None:
    slot = writer.slot()
    writer.add(writer.saying(slot, pad=(writer.choose((300, 1_100, 5_000, 22_000)), 200)), writer.asking(slot))


def _peep(writer: ProgramWriter) -> None:
    people = tuple(
        sorted({person.user.user for person in writer.people} | {"mallory", *nearly(writer.who.user.user)[:4]})
    )
    question = f"What is my {writer.slot()}?"
    writer.add(Probe(probe=(question,), as_users=people, surfaces=("search", "list", "context", "answer")))


LIFE_MOVES: Mapping[str, Callable[[ProgramWriter], None]] = {
    **MOVES,
    "announced-twice": _announced_twice,
    "counted": _counted,
    "set-aside": _set_aside,
    "changed": _changed,
    "minutes-ago": _minutes_ago,
    "once": _once,
    "both": _both,
    "nearly-erased": _nearly_erased,
    "nearly-meddled": _nearly_meddled,
    "batch": _batch,
    "reopened": _reopened,
    "small-room": _small_room,
    "long-turn": _long_turn,
    "peep": _peep,
}
"""The moves by name."""
LIFE_NEEDS: Mapping[str, frozenset[str]] = {
    **NEEDS,
    "counted": frozenset({"mutable"}),
    "set-aside": frozenset({"mutable", "durable"}),
    "reopened": frozenset({"durable"}),
    "changed": frozenset({"mutable", "auditable"}),
    "nearly-erased": frozenset({"erasable"}),
    "nearly-meddled": frozenset({"mutable"}),
}
"""The optional protocols that a move takes for granted."""
SELDOM: Mapping[str, int] = {"erase-user": 3, "probe": 3, "meddle": 3, "tail": 3, "bulk": 3, "advance": 2}
"""Moves that would empty a memory or take all the time; each is drawn so many times less often."""
OFTEN: Mapping[str, int] = {"moment": 2, "transient": 2, "change": 2, "changed": 2}
"""Moves by methods that nothing else calls; each is drawn so many times more often."""
