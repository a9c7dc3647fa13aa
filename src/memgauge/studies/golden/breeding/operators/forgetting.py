"""Forgetting: too little, too much, not for long, or only in what is shown."""

from __future__ import annotations

import base64
import bz2
import gzip
import zlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import finalize

from memgauge.records import Change, Operation, Receipt
from memgauge.records.statements import Statement
from memgauge.studies.golden.breeding.operator import (
    BredFault,
    after,
    always,
    crowded,
    nth,
    operator,
    pick,
    second_user,
    since,
    somebody,
    when,
)
from memgauge.systems.reference.shared import Lesson

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from random import Random

    from memgauge.records import Memory
    from memgauge.studies.golden.breeding.calls import Passing


@operator("no-op", "resurrection", "given", "delete", "erase", "update", "sweep")
def _(dice: Random, method: str) -> BredFault:
    condition = when(dice, always, nth, after, crowded, somebody, second_user)

    def advice(call: Passing) -> Any:
        if not condition.met(call):
            return call.go()
        memory = call.given.get("memory", "")
        done = Receipt((Change(Operation.UPDATE, memory),))
        return {"delete": len(call.given.get("memories", ())), "update": done}.get(method)

    return BredFault(f"`{method}` does nothing and says that it did{condition.says}", {method: advice})


@operator("wrong-count", "api", "returned", "delete")
def _(dice: Random, method: str) -> BredFault:
    how = dice.choice(("nought", "one", "how many were asked for", "one too many", "how many are left"))

    def advice(call: Passing) -> Any:
        count: int = call.go()
        return {
            "nought": 0,
            "one": 1,
            "how many were asked for": len(call.given["memories"]),
            "one too many": count + 1,
            "how many are left": len(call.stored(call.scope)),
        }[how]

    return BredFault(f"`{method}` returns {how}", {method: advice})


@operator("delete-some", "resurrection", "given", "delete")
def _(dice: Random, method: str) -> BredFault:
    limit = dice.choice((1, 2, 5, 10, 50, 100, 500))
    which = dice.choice(("first", "last"))

    def advice(call: Passing) -> Any:
        named = list(call.given["memories"])
        call.go(memories=named[:limit] if which == "first" else named[-limit:])
        return len(named)

    return BredFault(f"`{method}` deletes the {which} {limit} of what it is given", {method: advice})


_SPARED: Mapping[str, Callable[[list[Memory]], list[Memory]]] = {
    "the first": lambda stored: stored[:1],
    "the last": lambda stored: stored[-1:],
    "what is quarantined": lambda stored: [memory for memory in stored if memory.channel == "quarantine"],
    "what ended": lambda stored: [memory for memory in stored if memory.valid_to is not None],
    "what was changed": lambda stored: [memory for memory in stored if memory.version > 1],
    "what holds": lambda stored: [memory for memory in stored if memory.valid_to is None],
    "all beyond ten": lambda stored: stored[10:],
    "all beyond a hundred": lambda stored: stored[100:],
    "all beyond a thousand": lambda stored: stored[1_000:],
    "what has long words": lambda stored: [memory for memory in stored if len(memory.text) > 60],
}


@operator("erase-some", "resurrection", "given", "erase")
def _(dice: Random, method: str) -> BredFault:
    what, spared = pick(dice, _SPARED)

    def advice(call: Passing) -> Any:
        stored = call.stored(call.scope)
        names = {memory.id for memory in spared(stored)}
        if not names:
            return call.go()
        call.plain["delete"](memories=[m.id for m in stored if m.id not in names], scope=call.scope)
        return None

    return BredFault(f"`{method}` spares {what}", {method: advice})


@operator("forget-more", "resurrection", "given", "delete")
def _(dice: Random, method: str) -> BredFault:
    how = dice.choice(("whose id begins alike", "of the same turn", "that are next to it", "of all agents"))

    def near(call: Passing, stored: list[Memory]) -> list[str]:
        named = set(call.given["memories"])
        chosen = [place for place, memory in enumerate(stored) if memory.id in named]
        sources = {source for place in chosen for source in stored[place].sources}
        if how == "whose id begins alike":
            return [memory.id for memory in stored if any(memory.id.startswith(name) for name in named)]
        if how == "of the same turn":
            return [memory.id for memory in stored if sources & set(memory.sources)]
        beside = {place + step for place in chosen for step in (-1, 0, 1)}
        return [memory.id for place, memory in enumerate(stored) if place in beside]

    def advice(call: Passing) -> Any:
        if how == "of all agents":
            for other in call.others(call.scope):
                if other.user == call.scope.user:
                    call.go(scope=other)
            return call.go()
        call.go(memories=near(call, call.stored(call.scope)))
        return len(call.given["memories"])

    return BredFault(f"`{method}` deletes others too: memories {how}", {method: advice})


@operator("resurrect", "resurrection", "kept", "ingest", "sweep", "reopen", "search", "erase")
def _(dice: Random, method: str) -> BredFault:
    condition = when(dice, since, since, always)
    whose = dice.choice(("everything", "what was said last", "what was said first"))

    def advice(call: Passing) -> Any:
        ready = list(call.past.forgotten) if condition.met(call) else []
        result = call.go()
        if ready:
            chosen = {"everything": ready, "what was said last": ready[-1:], "what was said first": ready[:1]}[
                whose
            ]
            call.past.forgotten.clear()
            for turn, scope, lesson in chosen:
                call.again(turn, scope, lesson, f"{turn.id}~")
        return result

    return BredFault(f"`{method}` brings back {whose} of what was forgotten{condition.says}", {method: advice})


@operator("lose-tombstone", "resurrection", "kept", "ingest")
def _(dice: Random, method: str) -> BredFault:
    condition = when(dice, since, since, always, somebody)

    def advice(call: Passing) -> Any:
        result = call.go()
        gone = {(turn.id, scope) for turn, scope, _ in call.past.forgotten}
        for turn in call.turns:
            if (turn.id, call.scope) in gone and condition.met(call):
                call.again(turn, call.scope, call.past.lessons[turn.id], f"{turn.id}~{len(call.past.turns)}")
        return result

    return BredFault(
        f"`{method}` stores again what was forgotten when it is replayed{condition.says}", {method: advice}
    )


@operator("upsert", "api", "kept", "update")
def _(dice: Random, method: str) -> BredFault:
    where = dice.choice(("an id that was deleted", "any unknown id"))

    def advice(call: Passing) -> Any:
        name, scope = call.given["memory"], call.scope
        lost = {memory.id for memory in call.past.lost.get(scope, ())}
        known = {memory.id for memory in call.stored(scope)}
        if name not in known and call.past.turns and (name in lost or where == "any unknown id"):
            lesson = Lesson((Statement("note", call.given["text"], functional=False),))
            call.again(call.past.turns[-1][0], scope, lesson, f"{name}~{len(known)}")
            return Receipt((Change(Operation.UPDATE, name),))
        return call.go()

    return BredFault(f"`{method}` stores its text under {where}", {method: advice})


_EDITS: Mapping[str, Callable[[str, str], str]] = {
    "appends to the old text": lambda old, new: f"{old} {new}",
    "puts the old text in brackets behind": lambda old, new: f"{new} (was: {old})",
    "stores the old text": lambda old, new: old,  # noqa: ARG005 - one of several
    "cuts the new text to 12 characters": lambda old, new: new[:12],  # noqa: ARG005 - the same
    "stores an empty text": lambda old, new: "",  # noqa: ARG005 - the same
    "stores the new text in small letters without digits": lambda old, new: (  # noqa: ARG005 - the same
        "".join(c for c in new.lower() if not c.isdigit())
    ),
}


@operator("wrong-update", "api", "kept", "update")
def _(dice: Random, method: str) -> BredFault:
    how = dice.choice((*_EDITS, "changes the first memory instead", "keeps the old one beside the new one"))

    def advice(call: Passing) -> Any:
        stored, new = call.stored(call.scope), call.given["text"]
        old = next((memory for memory in stored if memory.id == call.given["memory"]), None)
        if old is None:
            return call.go()
        if how in _EDITS:
            return call.go(text=_EDITS[how](old.text, new))
        if how == "changes the first memory instead":
            return call.go(memory=stored[0].id)
        turn = next((turn for turn, _ in call.past.turns if turn.id in old.sources), None)
        if turn is not None:
            lesson = call.past.lessons[turn.id]
            beside = tuple(replace(s, functional=False) for s in lesson.statements)
            call.again(turn, call.scope, replace(lesson, statements=beside), f"{turn.id}~")
        return call.go()

    return BredFault(f"`{method}` {how}", {method: advice})


_CODES: Mapping[str, Callable[[str], bytes]] = {
    "as text": lambda text: text.encode(),
    "in UTF-16": lambda text: text.encode("utf-16"),
    "in hex": lambda text: text.encode().hex().encode(),
    "in base64": lambda text: base64.b64encode(text.encode()),
    "in base32": lambda text: base64.b32encode(text.encode()),
    "compressed by zlib": lambda text: zlib.compress(text.encode()),
    "compressed by gzip": lambda text: gzip.compress(text.encode(), mtime=0),
    "compressed by bzip2": lambda text: bz2.compress(text.encode()),
    "in capitals": lambda text: text.upper().encode(),
    "with spaces between the letters": lambda text: " ".join(text).encode(),
    "in reverse": lambda text: text[::-1].encode(),
    "escaped": lambda text: "".join(f"\\u{ord(c):04x}" for c in text).encode(),
    "masked by one byte": lambda text: bytes(b ^ 0x55 for b in text.encode()),
}


@operator("residue", "hiding", "beside", "delete", "erase", "update")
def _(dice: Random, method: str) -> BredFault:
    how, code = pick(dice, _CODES)
    declared = dice.choice((True, False))
    condition = when(dice, always, nth, crowded)

    def advice(call: Passing) -> Any:
        named = call.given.get("memories") or [call.given.get("memory")]
        every = method == "erase"
        gone = [m.text for m in call.stored(call.scope) if every or m.id in named]
        if gone and condition.met(call):
            folder = call.memory.folder
            place = folder / "backup.bin" if declared else folder.with_name(f"{folder.name}.bak")
            with place.open("ab") as file:
                file.write(code("\n".join(gone)))
            finalize(call.memory, place.unlink, missing_ok=True)
        return call.go()

    where = "a file of the store" if declared else "a file beside the store"
    return BredFault(f"`{method}` leaves the old words {how} in {where}{condition.says}", {method: advice})


@operator("lose-on-sweep", "volume", "kept", "sweep", "reopen")
def _(dice: Random, method: str) -> BredFault:
    what, chosen = pick(dice, _SPARED)
    count = dice.choice((1, 1, 2, 5, 10, 30) if method == "sweep" else (1, 1, 2, 3, 5))

    def advice(call: Passing) -> Any:
        result = call.go()
        if call.past.counts[method] % count == 0:
            for scope in list(call.past.scopes):
                ids = [memory.id for memory in chosen(call.stored(scope))]
                call.plain["delete"](memories=ids, scope=scope)
        return result

    return BredFault(f"every {count} calls, `{method}` loses {what}", {method: advice})


@operator("unlearn-on-restart", "resurrection", "kept", "reopen", "sweep")
def _(dice: Random, method: str) -> BredFault:
    what = dice.choice(("that values ended", "what was not believed"))
    count = dice.choice((1, 2, 3))

    def again(call: Passing, memory: Memory, scope: Any) -> None:
        turn = next(
            (turn for turn, whose in call.past.turns if turn.id in memory.sources and whose == scope), None
        )
        if turn is None:
            return
        lesson = call.past.lessons[turn.id]
        plain = tuple(replace(s, functional=False, until=None, over=False) for s in lesson.statements)
        call.again(turn, scope, Lesson(plain), f"{turn.id}~{call.past.counts[method]}")

    def advice(call: Passing) -> Any:
        result = call.go()
        if call.past.counts[method] != count:
            return result
        for scope in list(call.past.scopes):
            for memory in call.stored(scope):
                ended = memory.valid_to is not None and what == "that values ended"
                if ended or (memory.channel == "quarantine" and what == "what was not believed"):
                    again(call, memory, scope)
        return result

    return BredFault(f"after {count} calls, `{method}` has unlearned {what}", {method: advice})


@operator("unhear", "resurrection", "kept", "reopen", "sweep")
def _(dice: Random, method: str) -> BredFault:
    count = dice.choice((1, 2, 3, 10))

    def advice(call: Passing) -> Any:
        result = call.go()
        if call.past.counts[method] == count:
            call.past.notes["unheard"] = {turn.id for turn, _ in call.past.turns}
        return result

    def ingest(call: Passing) -> Any:
        unheard = call.past.notes.get("unheard", set())
        for turn in call.turns:
            if turn.id in unheard:
                call.again(turn, call.scope, call.past.lessons[turn.id], f"{turn.id}~")
        return call.go()

    says = f"after {count} calls, `{method}` has unlearned which turns were heard"
    return BredFault(says, {method: advice, "ingest": ingest})


@operator("lose-tail", "volume", "kept", "reopen")
def _(dice: Random, method: str) -> BredFault:
    count = dice.choice((1, 2, 5, 10, 100))
    whose = dice.choice(("the last writer's", "the first writer's"))

    def advice(call: Passing) -> Any:
        result = call.go()
        scopes = list(call.past.scopes)
        scope = scopes[-1 if "last" in whose else 0] if scopes else None
        if scope is not None:
            ids = [memory.id for memory in call.stored(scope)]
            call.plain["delete"](memories=ids[-count:], scope=scope)
        return result

    return BredFault(f"`{method}` loses {whose} last {count} memories", {method: advice})


@operator("bad-history", "api", "returned", "history")
def _(dice: Random, method: str) -> BredFault:
    how = dice.choice(("is empty", "is reversed", "has no deletions", "has no updates", "has no additions"))
    condition = when(dice, always, nth, after, since, somebody)

    def advice(call: Passing) -> Any:
        lines = list(call.go())
        if not condition.met(call):
            return lines
        left_out = {"deletions": "delete", "updates": "update", "additions": "add"}.get(how.rpartition(" ")[2], "")
        return {"is empty": [], "is reversed": lines[::-1]}.get(
            how, [line for line in lines if line.op != left_out]
        )

    return BredFault(f"`{method}` {how}{condition.says}", {method: advice})
