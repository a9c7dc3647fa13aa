"""Time: limits that are off by minutes, hours or days, in the query, in what is stored, or in what is shown."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING, Any

from memgauge.records import Memory, Ranking
from memgauge.studies.golden.breeding.operator import BredFault, always, nth, operator, pick, somebody, when

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from random import Random

    from memgauge.studies.golden.breeding.calls import Passing
    from memgauge.systems.reference.shared import Lesson, Recollection

_SPANS = {
    "a minute": timedelta(minutes=1),
    "ten minutes": timedelta(minutes=10),
    "half an hour": timedelta(minutes=30),
    "an hour": timedelta(hours=1),
    "five and a half hours": timedelta(hours=5, minutes=30),
    "eight hours": timedelta(hours=8),
    "a day": timedelta(days=1),
    "a week": timedelta(days=7),
}

_MOVES: Mapping[str, Callable[[datetime], datetime]] = {
    "the beginning of its day": lambda at: datetime.combine(at, time()),
    "the end of its day": lambda at: datetime.combine(at, time()) + timedelta(days=1),
    "the full hour": lambda at: at.replace(minute=0, second=0, microsecond=0),
    "noon": lambda at: datetime.combine(at, time(12)),
    "the first of its month": lambda at: datetime.combine(at.replace(day=1), time()),
    **{f"{name} later": (lambda at, span=span: at + span) for name, span in _SPANS.items()},  # type: ignore[misc]
    **{f"{name} earlier": (lambda at, span=span: at - span) for name, span in _SPANS.items()},  # type: ignore[misc]
}


ARRIVAL = "the time at which it arrives"


def _same(at: datetime) -> datetime:
    return at


@operator("move-as-of", "time", "given", "search", "ask", "_recall")
def _(dice: Random, method: str) -> BredFault:
    what, move = pick(dice, _MOVES)
    name = "at" if method == "_recall" else "as_of"
    condition = when(dice, always, nth, somebody)

    def advice(call: Passing) -> Any:
        at = call.given.get(name)
        return call.go(**{name: move(at)}) if at and condition.met(call) else call.go()

    where = "every reading" if method == "_recall" else f"`{method}`"
    return BredFault(f"{where} looks at {what}{condition.says}", {method: advice})


@operator("ignore-as-of", "time", "given", "search", "ask", "_recall")
def _(dice: Random, method: str) -> BredFault:
    how = dice.choice(("now", "the time of the last turn", "no time at all"))
    name = "at" if method == "_recall" else "as_of"

    def advice(call: Passing) -> Any:
        now = vars(call.memory)["_now"]
        spoken = max((turn.at for turn, _ in call.past.turns if turn.at), default=None)
        return call.go(**{name: {"now": now, "the time of the last turn": spoken}.get(how)})

    where = "every reading" if method == "_recall" else f"`{method}`"
    return BredFault(f"{where} looks at {how}, whatever it is asked", {method: advice})


@operator("late-limit", "time", "kept", "_recall", "context", "ask", "search")
def _(dice: Random, method: str) -> BredFault:
    name, span = pick(dice, _SPANS)
    edge = dice.choice(("ends late", "ends early", "begins late"))

    def wrong(memory: Memory, at: datetime) -> bool:
        if edge == "ends early":
            return memory.valid_to is not None and at >= memory.valid_to - span
        return edge == "begins late" and memory.valid_from is not None and at < memory.valid_from + span

    def recall(call: Passing) -> Any:
        seen: list[Recollection] = call.go()
        at = call.given.get("at")
        busy = call.past.notes.get("method", method)
        if at is None or busy != method:
            return seen
        if edge == "ends late":
            known = {each.memory.id for each in seen}
            before = [
                each for each in call.go(at=at - span) if each.memory.valid_to and each.memory.id not in known
            ]
            return [*(each for each in before if each.memory.valid_to <= at), *seen]
        return [each for each in seen if not wrong(each.memory, at)]

    def mark(call: Passing) -> Any:
        call.past.notes.setdefault("method", call.method)
        try:
            return call.go()
        finally:
            call.past.notes.pop("method", None)

    where = "" if method == "_recall" else f" for `{method}`"
    marked = {} if method == "_recall" else dict.fromkeys(("search", "context", "ask"), mark)
    return BredFault(f"what has a limit {edge} by {name}{where}", {"_recall": recall, **marked})


@operator("move-turn", "time", "given", "ingest", "ingest_expiring")
def _(dice: Random, method: str) -> BredFault:
    what, move = pick(dice, {**_MOVES, ARRIVAL: _same})
    condition = when(dice, always, nth, somebody)

    def advice(call: Passing) -> Any:
        if not condition.met(call):
            return call.go()
        latest = max((turn.at for turn, _ in call.past.turns if turn.at), default=None)
        moved = [replace(t, at=latest if what == ARRIVAL else move(t.at)) if t.at else t for t in call.turns]
        return call.go(turns=moved) if method == "ingest" else call.go(turn=moved[0])

    return BredFault(f"`{method}` takes what is said to be said at {what}{condition.says}", {method: advice})


@operator("move-expiry", "time", "given", "ingest_expiring")
def _(dice: Random, method: str) -> BredFault:
    what, move = pick(dice, _MOVES)
    how = dice.choice(("moved", "moved", "moved", "ignored", "only where it is swept"))

    def understand(call: Passing) -> Any:
        lesson: Lesson = call.go()
        if not call.past.notes.get("expiring"):
            return lesson
        return replace(lesson, statements=tuple(replace(s, until=None) for s in lesson.statements))

    def advice(call: Passing) -> Any:
        call.past.notes["expiring"] = True
        try:
            if how == "moved":
                return call.go(expires_at=move(call.given["expires_at"]))
            return call.plain["ingest"](turns=[call.given["turn"]], scope=call.scope)
        finally:
            call.past.notes["expiring"] = False

    def sweep(call: Passing) -> Any:
        result = call.go()
        due: list[tuple[Any, str, datetime]] = call.past.notes.setdefault("due", [])
        for scope, turn, at in due:
            if at <= call.given["now"]:
                ids = [memory.id for memory in call.stored(scope) if turn in memory.sources]
                call.plain["delete"](memories=ids, scope=scope)
        return result

    def remembering(call: Passing) -> Any:
        due = call.past.notes.setdefault("due", [])
        due.append((call.scope, call.given["turn"].id, call.given["expires_at"]))
        return advice(call)

    says = f"an expiry is moved to {what}" if how == "moved" else f"an expiry is {how}" if how == "ignored" else ""
    swept = {"sweep": sweep, method: remembering} if how == "only where it is swept" else {method: advice}
    return BredFault(says or "what expires is gone only once it is swept", {**swept, "_understand": understand})


@operator("wrong-times", "time", "returned", "search", "dump")
def _(dice: Random, method: str) -> BredFault:
    field = dice.choice(("valid_from", "valid_to", "event_at"))
    what, move = pick(dice, _MOVES)

    def changed(memory: Memory) -> Memory:
        at: datetime | None = getattr(memory, field)
        moved: dict[str, Any] = {field: at and move(at)}
        return replace(memory, **moved)

    def advice(call: Passing) -> Any:
        result = call.go()
        if isinstance(result, Ranking):
            return replace(result, hits=tuple(replace(hit, memory=changed(hit.memory)) for hit in result.hits))
        return [changed(memory) for memory in result]

    return BredFault(f"`{method}` gives {what} as the {field} of a memory", {method: advice})


@operator("lost-clock", "time", "kept", "reopen", "sweep")
def _(dice: Random, method: str) -> BredFault:
    what = dice.choice(("forgets what time it is", "takes the first day for today"))

    def advice(call: Passing) -> Any:
        result = call.go()
        first = min((turn.at for turn, _ in call.past.turns if turn.at), default=None)
        vars(call.memory)["_now"] = None if "forgets" in what else first
        return result

    return BredFault(f"`{method}` {what}", {method: advice})
