"""What a reading returns: too little, too much, in no order, of another time, or from a cache."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memgauge.records import Hit, Memory, Ranking
from memgauge.studies.golden.breeding.operator import (
    BredFault,
    after,
    always,
    crowded,
    nth,
    operator,
    somebody,
    when,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from memgauge.studies.golden.breeding.calls import Passing

_CUTS = {
    "the first": slice(1, None),
    "the last": slice(None, -1),
    "every second": slice(None, None, 2),
    "all but the first": slice(1),
    "all but three": slice(3),
    "all but ten": slice(10),
    "all but fifty": slice(50),
    "all but a hundred": slice(100),
    "all but a thousand": slice(1_000),
}


@operator("drop-hits", "volume", "returned", "search", "dump", "_recall", "history")
def _(dice: Random, method: str) -> BredFault:
    which = dice.choice(list(_CUTS))
    condition = when(dice, always, nth, after, crowded, somebody)

    def advice(call: Passing) -> Any:
        result = call.go()
        if not condition.met(call):
            return result
        if isinstance(result, Ranking):
            return replace(result, hits=result.hits[_CUTS[which]])
        return list(result)[_CUTS[which]]

    where = "it finds" if method == "_recall" else f"`{method}` returns"
    return BredFault(f"of what {where}, {which} is lost{condition.says}", {method: advice})


@operator("other-k", "volume", "given", "search")
def _(dice: Random, method: str) -> BredFault:
    how = dice.choice(
        ("k + 1", "k - 1", "2 k", "at most 3", "at most 10", "at most 19", "everything", "half of k")
    )

    def advice(call: Passing) -> Any:
        k: int = call.given["k"]
        new = {
            "k + 1": k + 1,
            "k - 1": k - 1 if k > 1 else k,
            "2 k": 2 * k,
            "at most 3": min(k, 3),
            "at most 10": min(k, 10),
            "at most 19": min(k, 19),
            "everything": 10**6,
            "half of k": (k + 1) // 2,
        }[how]
        return call.go(k=new)

    return BredFault(f"`{method}` returns {how} hits instead of k", {method: advice})


_LEFT_OUT = {
    "search": ("query", "k", "as_of"),
    "context": ("query", "budget"),
    "ask": ("question", "as_of"),
    "history": ("memory",),
    "_recall": ("at",),
    "dump": (),
}


@operator("cache", "currency", "returned", "search", "context", "ask", "dump", "history", "_recall")
def _(dice: Random, method: str) -> BredFault:
    left_out = dice.choice(("user", "tenant", "agent", "session", "scope", *_LEFT_OUT[method], "nothing"))
    emptied = dice.choice(("write", "write", "sweep", "reopen", "delete", "erase", "update", "never"))

    def key(call: Passing) -> tuple[Any, ...]:
        given = {name: value for name, value in call.given.items() if name != left_out}
        parts = ("user", "tenant", "agent", "session")
        given.pop("scope", None)
        scope = [getattr(call.scope, part) for part in parts if left_out not in {part, "scope"}]
        return (call.past.counts[emptied], *scope, *(repr(value) for value in given.values()))

    def advice(call: Passing) -> Any:
        cached: dict[tuple[Any, ...], Any] = call.past.notes.setdefault("cache", {})
        name = key(call)
        if name not in cached:
            result = call.go()
            cached[name] = list(result) if isinstance(result, list) else result
        return cached[name]

    keyed = "" if left_out == "nothing" else f" without its {left_out}"
    when_emptied = "never emptied" if emptied == "never" else f"emptied by {emptied} alone"
    return BredFault(f"`{method}` has a cache{keyed}, {when_emptied}", {method: advice})


@operator("misorder", "volume", "returned", "search", "history")
def _(dice: Random, method: str) -> BredFault:
    how = dice.choice(("reversed", "rotating"))

    def advice(call: Passing) -> Any:
        wide = call.go(k=max(call.given["k"], 50)) if method == "search" else call.go()
        rows: Sequence[Any] = wide.hits if isinstance(wide, Ranking) else list(wide)
        turn = call.past.notes["turn"] = call.past.notes.get("turn", 0) + 1
        shift = turn % len(rows) if rows else 0
        new = {
            "reversed": lambda: list(reversed(rows)),
            "rotating": lambda: [*rows[shift:], *rows[:shift]],
        }[how]()
        return replace(wide, hits=tuple(new[: max(call.given["k"], 0)])) if isinstance(wide, Ranking) else new

    return BredFault(f"what `{method}` returns is in another order: {how}", {method: advice})


@operator("shrink-context", "volume", "returned", "context")
def _(dice: Random, method: str) -> BredFault:
    share = dice.choice((2, 4, 10))
    condition = when(dice, always, crowded, after)

    def advice(call: Passing) -> Any:
        text: str = call.go()
        return text[: len(text) // share] if condition.met(call) else text

    return BredFault(f"`{method}` cuts its text to 1/{share}{condition.says}", {method: advice})


@operator("overrun-budget", "volume", "given", "context")
def _(dice: Random, method: str) -> BredFault:
    how = dice.choice(
        ("ignores its budget", "counts words", "overruns its budget by a line", "doubles its budget")
    )

    def advice(call: Passing) -> Any:
        budget: int = call.given["budget"]
        if how == "overruns its budget by a line":
            return f"{call.go()}{'-' * (budget // 20 + 1)}\n" if len(call.go()) > budget // 2 else call.go()
        return call.go(
            budget={"ignores its budget": 10**9, "counts words": 6 * budget, "doubles its budget": 2 * budget}[how]
        )

    return BredFault(f"`{method}` {how}", {method: advice})


@operator("show-more", "currency", "returned", "search", "context", "ask")
def _(dice: Random, method: str) -> BredFault:
    what = dice.choice(("what ended", "what is quarantined", "what will hold", "everything"))
    condition = when(dice, always, nth, crowded, somebody)

    def extra(call: Passing) -> list[Memory]:
        stored, now = call.stored(call.scope), vars(call.memory)["_now"]
        return [
            memory
            for memory in stored
            if what == "everything"
            or (what == "what ended" and memory.valid_to is not None)
            or (what == "what is quarantined" and memory.channel == "quarantine")
            or (what == "what will hold" and memory.valid_from is not None and memory.valid_from > now)
        ]

    def advice(call: Passing) -> Any:
        result = call.go()
        if not condition.met(call):
            return result
        memories = [replace(memory, valid_to=None, channel="") for memory in extra(call)]
        if isinstance(result, Ranking):
            seen = {hit.memory.id for hit in result.hits}
            hits = (*result.hits, *(Hit(memory) for memory in memories if memory.id not in seen))
            return replace(result, hits=hits[: max(call.given["k"], 0)])
        return " ".join([result, *(memory.text for memory in memories)])

    return BredFault(f"`{method}` returns {what} as if it held{condition.says}", {method: advice})


@operator("write-on-read", "history", "kept", "search", "context", "ask", "dump")
def _(dice: Random, method: str) -> BredFault:
    count = dice.choice((1, 3, 10, 30))

    def advice(call: Passing) -> Any:
        result = call.go()
        seen = call.past.notes["reads"] = call.past.notes.get("reads", 0) + 1
        stored = call.stored(call.scope)
        if seen % count == 0 and len(stored) > 1:
            call.plain["delete"](memories=[stored[0].id], scope=call.scope)
        return result

    return BredFault(f"every {count} calls, `{method}` deletes the oldest memory", {method: advice})
