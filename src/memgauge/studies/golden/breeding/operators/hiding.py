"""What must not be shown, shown where nobody looks: notes, channels, ids, sources, receipts, errors, histories."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memgauge.records import Hit, Memory, Operation, Ranking
from memgauge.studies.golden.breeding.operator import BredFault, always, nth, operator, since, when
from memgauge.systems.protocol import AuditEntry

if TYPE_CHECKING:
    from random import Random

    from memgauge.studies.golden.breeding.calls import Passing

LONG_AGO = datetime(2000, 1, 1)  # noqa: DTZ001 - naive like every time of a scenario
SECRETS = ("what was forgotten", "what somebody else has", "what is quarantined")


def secret(call: Passing, what: str) -> str:
    """Return words that must not be shown to whoever calls; empty where there are none."""
    texts = {
        SECRETS[0]: [m.text for m in call.past.lost.get(call.scope, ())],
        SECRETS[1]: [m.text for other in call.others(call.scope) for m in call.stored(other)],
        SECRETS[2]: [m.text for m in call.stored(call.scope) if m.channel == "quarantine"],
    }[what]
    return texts[-1] if texts else ""


def _put(memory: Memory, field: str, words: str) -> Memory:
    if field == "sources":
        return replace(memory, sources=(*memory.sources, words))
    if field == "id":
        return replace(memory, id=f"{memory.id} {words}")
    return replace(memory, channel=words)


@operator("hide-in-field", "hiding", "returned", "search", "dump")
def _(dice: Random, method: str) -> BredFault:
    what = dice.choice(SECRETS)
    fields = (
        ("notes", "channel", "sources", "id", "a past memory") if method == "search" else ("channel", "sources")
    )
    field = dice.choice(fields)
    condition = when(dice, always, nth)

    def advice(call: Passing) -> Any:
        result, words = call.go(), secret(call, what)
        if not words or not condition.met(call):
            return result
        if not isinstance(result, Ranking):
            return [_put(memory, field, words) for memory in result]
        if field == "notes":
            return replace(result, notes=(*result.notes, f"left out: {words}"))
        if field == "a past memory":
            past = Hit(Memory("past", words, valid_from=LONG_AGO, valid_to=LONG_AGO))
            return replace(result, hits=(*result.hits, past)[: max(call.given["k"], 0)])
        return replace(result, hits=tuple(replace(h, memory=_put(h.memory, field, words)) for h in result.hits))

    return BredFault(f"`{method}` shows {what} in {field} of what it returns{condition.says}", {method: advice})


@operator("hide-in-text", "hiding", "returned", "context", "ask")
def _(dice: Random, method: str) -> BredFault:
    what = dice.choice(SECRETS)
    wrap = dice.choice(("<!-- {} -->", "[removed: {}]", "Ignored: {}", "{}", "I do not know; it is not {}."))
    condition = when(dice, always, nth)

    def advice(call: Passing) -> Any:
        text, words = call.go(), secret(call, what)
        return f"{text}\n{wrap.format(words)}" if words and condition.met(call) else text

    return BredFault(f"`{method}` shows {what} as {wrap.format('…')!r}{condition.says}", {method: advice})


@operator("hide-in-receipt", "hiding", "returned", "ingest", "update")
def _(dice: Random, method: str) -> BredFault:
    what = dice.choice(SECRETS[:2])
    where = dice.choice(("the ticket", "an id"))

    def advice(call: Passing) -> Any:
        receipt, words = call.go(), secret(call, what)
        if not words:
            return receipt
        if where == "the ticket":
            return replace(receipt, ticket=words)
        changes = receipt.changes or ()
        return replace(receipt, changes=tuple(replace(change, memory=words) for change in changes))

    return BredFault(f"the receipt of `{method}` shows {what} in {where}", {method: advice})


@operator("hide-in-error", "hiding", "returned", "search", "update", "delete", "history", "context")
def _(dice: Random, method: str) -> BredFault:
    what = dice.choice(SECRETS[:2])

    def advice(call: Passing) -> Any:
        words = secret(call, what)
        if words and call.scope not in call.past.scopes:
            raise ValueError(f"nothing is known of {call.scope.user!r}; there is {words}")
        return call.go()

    return BredFault(f"`{method}` raises for a stranger, and the error shows {what}", {method: advice})


@operator("hide-in-history", "hiding", "returned", "history")
def _(dice: Random, method: str) -> BredFault:
    what = dice.choice(SECRETS[:2])
    condition = when(dice, always, nth, since)

    def advice(call: Passing) -> Any:
        lines, words = list(call.go()), secret(call, what)
        if words and condition.met(call):
            lines.append(AuditEntry(Operation.INVALIDATE, LONG_AGO, words))
        return lines

    return BredFault(f"`{method}` shows {what}{condition.says}", {method: advice})


@operator("keep-in-history", "hiding", "kept", "delete", "erase")
def _(dice: Random, method: str) -> BredFault:
    condition = when(dice, always, nth)

    def advice(call: Passing) -> Any:
        audit: dict[Any, list[AuditEntry]] = vars(call.memory)["_audit"]
        before = {key: list(lines) for key, lines in audit.items()}
        result = call.go()
        if condition.met(call):
            for key, lines in before.items():
                audit[key][: len(lines)] = lines
        return result

    return BredFault(f"`{method}` leaves the words in the history{condition.says}", {method: advice})


_FALSE_SOURCES = ("invented", "somebody else's", "the turn before", "every turn")


@operator("false-sources", "provenance", "returned", "search", "dump")
def _(dice: Random, method: str) -> BredFault:
    how = dice.choice(_FALSE_SOURCES)
    condition = when(dice, always, nth)

    def sources(call: Passing, memory: Memory) -> tuple[str, ...]:
        own = [turn.id for turn, scope in call.past.turns if scope == call.scope]
        theirs = [turn.id for turn, scope in call.past.turns if scope != call.scope and turn.id not in own]
        earlier = [name for name in own if name not in memory.sources]
        return {
            "invented": ("turn-9f3a1c",),
            "somebody else's": tuple(theirs[-1:]) or memory.sources,
            "the turn before": tuple(earlier[-1:]) or memory.sources,
            "every turn": tuple(dict.fromkeys(own)),
        }[how]

    def advice(call: Passing) -> Any:
        result = call.go()
        if not condition.met(call):
            return result
        if isinstance(result, Ranking):
            hits = (replace(h, memory=replace(h.memory, sources=sources(call, h.memory))) for h in result.hits)
            return replace(result, hits=tuple(hits))
        return [replace(memory, sources=sources(call, memory)) for memory in result]

    return BredFault(f"the sources that `{method}` declares are {how}{condition.says}", {method: advice})


@operator("false-receipt-text", "hiding", "returned", "delete")
def _(dice: Random, method: str) -> BredFault:
    what = dice.choice(SECRETS)

    def advice(call: Passing) -> Any:
        stored = {memory.id for memory in call.stored(call.scope)}
        words = secret(call, what)
        unknown = set(call.given["memories"]) - stored
        if unknown and words:
            raise KeyError(f"{', '.join(sorted(unknown))}; did you mean {words}?")
        return call.go()

    return BredFault(
        f"`{method}` raises for an id that is not there, and the error shows {what}", {method: advice}
    )
