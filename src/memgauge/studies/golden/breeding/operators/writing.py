"""Writes that are lost, late, doubled, cut or put in the wrong place."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memgauge.records import Receipt, Scope
from memgauge.studies.golden.breeding.operator import (
    ANY,
    COUNTS,
    LENGTHS,
    BredFault,
    Condition,
    after,
    always,
    crowded,
    nth,
    operator,
    pick,
    second_user,
    somebody,
    when,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from random import Random

    from memgauge.records import Turn
    from memgauge.studies.golden.breeding.calls import Passing
    from memgauge.systems.reference.shared import Lesson

WRITES = ("ingest", "ingest_expiring")


def long_turn(dice: Random) -> Condition:
    """Go wrong where a turn is long."""
    limit = dice.choice(LENGTHS)
    return Condition(
        f", where a turn has more than {limit} characters",
        lambda call: any(len(turn.text) > limit for turn in call.turns),
    )


@operator("drop-write", "volume", "given", "ingest", "ingest_expiring")
def _(dice: Random, method: str) -> BredFault:
    condition = when(dice, nth, after, crowded, somebody, second_user, long_turn)

    def advice(call: Passing) -> Any:
        return Receipt(()) if condition.met(call) else call.go()

    return BredFault(f"`{method}` drops what it is given{condition.says}", {method: advice})


@operator("only-some-turns", "volume", "given", "ingest")
def _(dice: Random, method: str) -> BredFault:
    which = dice.choice(("the first", "the last", "every second", "ten"))
    cut = {"the first": slice(1), "the last": slice(-1, None), "every second": slice(0, None, 2), "ten": slice(10)}

    def advice(call: Passing) -> Any:
        return call.go(turns=list(call.turns)[cut[which]])

    return BredFault(f"`{method}` takes {which} of the turns that it is given at once", {method: advice})


@operator("late-write", "currency", "given", "ingest")
def _(dice: Random, method: str) -> BredFault:
    until, count = dice.choice((("write", 1), ("write", 3), ("search", 1), ("sweep", 1), ("reopen", 1)))
    condition = when(dice, always, nth, somebody, crowded)

    def queue(call: Passing) -> list[tuple[list[Turn], Scope, int]]:
        waiting: list[tuple[list[Turn], Scope, int]] = call.past.notes.setdefault("waiting", [])
        return waiting

    def deliver(call: Passing) -> None:
        waiting, happened = queue(call), call.past.counts[until]
        due = [each for each in waiting if happened >= each[2] + count]
        waiting[:] = [each for each in waiting if each not in due]
        for turns, scope, _ in due:
            call.plain["ingest"](turns=turns, scope=scope)

    def advice(call: Passing) -> Any:
        if call.method == "ingest" and condition.met(call):
            deliver(call)
            queue(call).append((list(call.turns), call.scope, call.past.counts[until]))
            return Receipt(())
        result = call.go()
        deliver(call)
        return result

    says = f"`{method}` stores nothing before {count} more calls of {until}{condition.says}"
    return BredFault(says, dict.fromkeys((method, "search", "sweep", "reopen"), advice))


@operator("store-twice", "history", "kept", "ingest")
def _(dice: Random, method: str) -> BredFault:
    condition = when(dice, always, nth, after, long_turn)

    def advice(call: Passing) -> Any:
        result = call.go()
        if condition.met(call):
            for turn in call.turns:
                call.again(turn, call.scope, call.past.lessons[turn.id], f"{turn.id}+")
        return result

    return BredFault(f"`{method}` stores a turn twice{condition.says}", {method: advice})


@operator("store-replay", "history", "kept", "ingest", "ingest_expiring")
def _(dice: Random, method: str) -> BredFault:
    condition = when(dice, always, after, somebody)

    def advice(call: Passing) -> Any:
        heard = [turn.id for turn, scope in call.past.turns if scope == call.scope]
        result = call.go()
        for turn in call.turns:
            times = heard.count(turn.id)
            if times > 1 and condition.met(call):
                call.again(turn, call.scope, call.past.lessons[turn.id], f"{turn.id}+{times}")
        return result

    return BredFault(f"`{method}` takes a retried turn for a new one{condition.says}", {method: advice})


@operator("undo-retry", "history", "kept", "ingest")
def _(dice: Random, method: str) -> BredFault:
    condition = when(dice, always, after)

    def advice(call: Passing) -> Any:
        result = call.go()
        for turn in call.turns:
            heard = [t for t, scope in call.past.turns if scope == call.scope and t.id == turn.id]
            if len(heard) > 1 and condition.met(call):
                ids = [memory.id for memory in call.stored(call.scope) if turn.id in memory.sources]
                call.plain["delete"](memories=ids, scope=call.scope)
        return result

    return BredFault(f"`{method}` loses a turn that is delivered again{condition.says}", {method: advice})


_SAME: Mapping[str, Callable[[Turn], str]] = {
    "the same words": lambda turn: turn.text,
    "the same words in small letters": lambda turn: turn.text.casefold(),
    "the same first 12 characters": lambda turn: turn.text[:12],
    "the same first 30 characters": lambda turn: turn.text[:30],
    "the same id": lambda turn: turn.id,
    "the same number of characters": lambda turn: str(len(turn.text)),
    "the same time": lambda turn: str(turn.at),
}


@operator("drop-same", "identity", "given", "ingest")
def _(dice: Random, method: str) -> BredFault:
    what, key = pick(dice, _SAME)
    near = dice.choice(("of anybody", "of anybody else", "of the same user"))

    def among(other: Scope, own: Scope) -> bool:
        if near == "of anybody":
            return True
        return other != own if near == "of anybody else" else other.user == own.user

    def advice(call: Passing) -> Any:
        fresh = [turn for turn in call.turns if not known(call, turn)]
        return call.go(turns=fresh)

    def known(call: Passing, turn: Turn) -> bool:
        earlier = call.past.turns[: -len(call.turns)]
        return any(among(scope, call.scope) and key(old) == key(turn) for old, scope in earlier)

    return BredFault(f"`{method}` takes a turn with {what} as one {near} for known", {method: advice})


@operator("read-part", "volume", "kept", "_understand")
def _(dice: Random, method: str) -> BredFault:
    limit = dice.choice((*LENGTHS, 60_000))
    part = dice.choice(("first", "last"))

    def advice(call: Passing) -> Any:
        lesson: Lesson = call.go()
        text = call.given["turn"].text
        seen = text[:limit] if part == "first" else text[-limit:]
        statements = tuple(s for s in lesson.statements if not s.value or s.value in seen or s.value not in text)
        return replace(lesson, statements=statements)

    return BredFault(f"it reads the {part} {limit:,} characters of a turn alone", {method: advice})


@operator("evict", "volume", "kept", "ingest")
def _(dice: Random, method: str) -> BredFault:
    limit = dice.choice((5, 20, 50, 100, 250, 1_000, 2_000))
    which = dice.choice(("the oldest", "the newest", "the second"))
    whole = dice.choice((True, False))

    def advice(call: Passing) -> Any:
        result = call.go()
        scopes = list(call.past.scopes) if whole else [call.scope]
        stored = [(scope, memory.id) for scope in scopes for memory in call.stored(scope)]
        if len(stored) > limit:
            scope, name = stored[{"the oldest": 0, "the newest": -1, "the second": 1}[which]]
            call.plain["delete"](memories=[name], scope=scope)
        return result

    whose = "for all users together" if whole else "for a user"
    return BredFault(f"above {limit:,} memories {whose}, a write costs {which}", {method: advice})


@operator("wrong-place", "identity", "given", "ingest", "ingest_expiring")
def _(dice: Random, method: str) -> BredFault:
    part = dice.choice(("session", "agent", "tenant"))
    condition = when(dice, *ANY)

    def advice(call: Passing) -> Any:
        bare: dict[str, Any] = {part: "default" if part == "tenant" else None}
        return call.go(scope=replace(call.scope, **bare)) if condition.met(call) else call.go()

    return BredFault(f"`{method}` stores without the {part}{condition.says}", {method: advice})


@operator("false-receipt", "hiding", "returned", "ingest", "update")
def _(dice: Random, method: str) -> BredFault:
    how = dice.choice(
        ("names nothing", "names everything", "names what somebody else has", "names another memory")
    )

    def advice(call: Passing) -> Any:
        receipt: Receipt = call.go()
        changes = receipt.changes or ()
        pool = {
            "names nothing": [],
            "names everything": call.stored(call.scope),
            "names what somebody else has": [m for other in call.others(call.scope) for m in call.stored(other)],
            "names another memory": call.stored(call.scope)[:1],
        }[how]
        claimed = tuple(replace(changes[0], memory=memory.id) for memory in pool) if changes else ()
        return replace(receipt, changes=claimed)

    return BredFault(f"the receipt of `{method}` {how}", {method: advice})


@operator("forget-oldest-user", "volume", "kept", "ingest")
def _(dice: Random, method: str) -> BredFault:
    limit = dice.choice((2, 5, 10, 50, 100))
    count = dice.choice(COUNTS[:4])

    def advice(call: Passing) -> Any:
        result = call.go()
        if len(call.past.scopes) > limit and call.past.counts["write"] % count == 0:
            oldest = next(iter(call.past.scopes))
            call.plain["delete"](memories=[m.id for m in call.stored(oldest)], scope=oldest)
        return result

    return BredFault(f"above {limit} users the first one is forgotten, every {count} writes", {method: advice})
