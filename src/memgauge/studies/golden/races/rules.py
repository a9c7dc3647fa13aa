"""What a history shows that no order of its calls explains: one rule a function, each sound by itself.

A rule may be too strict for a memory that is right: one that keeps every version breaks those of one value a slot.
So a rule counts only where the memory keeps it while the same operations come one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.studies.golden.anomalies import Anomaly
from memgauge.studies.golden.races.operations import RaceDelete, RaceErase, RaceLook, RaceReopen, RaceUpdate
from memgauge.studies.golden.races.registers import orderable, register_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memgauge.studies.golden.races.record import RaceCall, RaceHistory, RaceToken

    Rule = Callable[[RaceHistory], Iterator["Breach"]]


@dataclass(frozen=True)
class Breach:
    """One thing that a history shows."""

    rule: str
    """Name of the rule, and of the surface at which it was broken."""
    anomaly: Anomaly
    witness: str
    call: RaceCall
    """The call that shows it."""


def breaches(history: RaceHistory) -> list[Breach]:
    """Return everything that is wrong with a history, by every rule."""
    return [breach for rule in RULES for breach in rule(history)]


def judged(history: RaceHistory) -> tuple[int, int]:
    """Count what had to be there when all was done and was, and what must not be there."""
    positive = negative = 0
    for look in history.looks:
        mine = _mine(history, look)
        positive += sum(token.name in look.shown and token.surely_written(look) for token in mine if look.last)
        negative += len(history.tokens) - len(mine)
        negative += sum(any(token.surely_follows(end, look) for end in token.removals) for token in mine)
    return positive, negative


def _mine(history: RaceHistory, look: RaceCall) -> list[RaceToken]:
    """Return the tokens that a look is about."""
    operation = look.operation
    assert isinstance(operation, RaceLook)  # noqa: S101 - looks are nothing else
    return [
        token
        for token in history.tokens.values()
        if token.user == operation.user and operation.slot in {"", token.slot}
    ]


def _surface(look: RaceCall) -> str:
    return "search" if isinstance(look.operation, RaceLook) and look.operation.slot else "list"


def _leaked(history: RaceHistory) -> Iterator[Breach]:
    for look in history.looks:
        reader = look.operation.user if isinstance(look.operation, RaceLook) else ""
        for name in dict.fromkeys(look.shown):
            owner = history.tokens[name].user if name in history.tokens else reader
            if owner != reader:
                what = f"{name} belongs to {owner}, and was shown to {reader}"
                yield Breach(f"leak/{_surface(look)}", Anomaly.CROSS_USER_LEAK, what, look)


def _aborted(history: RaceHistory) -> Iterator[Breach]:
    for look in history.looks:
        for token in _mine(history, look):
            if token.name in look.shown and all(birth.raised for birth in token.births):
                what = f"the write of {token.name} raised, and {token.name} was shown"
                yield Breach(f"aborted/{_surface(look)}", Anomaly.DIRTY_READ, what, look)


def _lost(history: RaceHistory) -> Iterator[Breach]:
    """Nothing that was acknowledged is gone; where a slot has one value, nothing without a successor."""
    for look in history.looks:
        for token in _mine(history, look):
            if token.name in look.shown or not token.surely_written(look):
                continue
            if any(token.may_follow(update, look) for update in token.updates) or _may_be_gone(token, look):
                continue
            what = f"{token.name} was acknowledged, nothing ended it, and it was not shown"
            yield Breach(f"lost/{_surface(look)}", _absent(history, token, look), what, look)
            if not any(token.may_follow(rival, look) for rival in token.rivals):
                rule = f"lost of slot/{_surface(look)}"
                yield Breach(rule, _absent(history, token, look), what, look)


def _may_be_gone(token: RaceToken, look: RaceCall) -> bool:
    """Whether a removal may have come after it, or before it where it is an update, which then changed nothing."""
    if token.memory != token.name:
        return any(removal.begun < look.ended for removal in token.removals)
    return any(token.may_follow(removal, look) for removal in token.removals)


def _absent(history: RaceHistory, token: RaceToken, look: RaceCall) -> Anomaly:
    """Name what it is that a token is absent: lost, lost by a restart, or not there yet."""
    same = [each for each in history.looks if each.operation == look.operation]
    if any(token.name in each.shown for each in same if look.before(each)):
        return Anomaly.STALE_READ
    opened = [call for call in history.calls if isinstance(call.operation, RaceReopen) and call.before(look)]
    seen = [each for each in same if each.last and token.name in each.shown and each.before(look)]
    if opened and any(each.before(opened[-1]) for each in seen):
        return Anomaly.NOT_DURABLE
    return Anomaly.LOST_UPDATE


def _empty(history: RaceHistory) -> Iterator[Breach]:
    """Of versions that take each other's place, one is there."""
    for look in history.looks:
        mine = _mine(history, look)
        for kind, groups in (("memory", _grouped(mine, "memory")), ("slot", _grouped(mine, "slot"))):
            for name, tokens in groups.items():
                ended = any(end.begun < look.ended for token in tokens for end in token.removals)
                written = any(token.surely_written(look) for token in tokens)
                if (
                    len(tokens) > 1
                    and written
                    and not ended
                    and not {token.name for token in tokens} & set(look.shown)
                ):
                    what = f"of the versions of {name}, {_names(tokens)}, none was shown"
                    yield Breach(f"empty {kind}/{_surface(look)}", Anomaly.LOST_UPDATE, what, look)


def _grouped(tokens: list[RaceToken], key: str) -> dict[str, list[RaceToken]]:
    groups: dict[str, list[RaceToken]] = {}
    for token in tokens:
        groups.setdefault(getattr(token, key), []).append(token)
    return groups


def _names(tokens: list[RaceToken]) -> str:
    return ", ".join(token.name for token in tokens)


def _ended(history: RaceHistory) -> Iterator[Breach]:
    """What was ended, and acknowledged as ended, is not shown."""
    for look in history.looks:
        for token in _mine(history, look):
            if token.name not in look.shown:
                continue
            for ending in (*token.removals, *token.updates):
                if token.surely_follows(ending, look):
                    what = f"{token.name} was written before {ending.operation}, and was shown after it"
                    yield Breach(
                        f"{_deed(ending)}/{_surface(look)}", _still(history, token, look, ending), what, look
                    )
            first = history.tokens.get(token.memory, token)
            if first is not token and any(first.surely_follows(end, look) for end in token.removals):
                what = f"the memory of {first.name} was removed, and its version {token.name} was shown"
                yield Breach(f"removed version/{_surface(look)}", Anomaly.RESURRECTION, what, look)
            for rival in token.rivals:
                if token.surely_follows(rival, look):
                    what = f"{token.name} was written before {rival.operation}, and was shown after it"
                    anomaly = _instead(history, rival, look)
                    yield Breach(f"older of slot/{_surface(look)}", anomaly, what, look)


def _deed(ending: RaceCall) -> str:
    return {RaceErase: "erased", RaceDelete: "deleted", RaceUpdate: "updated"}.get(type(ending.operation), "ended")


def _still(history: RaceHistory, token: RaceToken, look: RaceCall, ending: RaceCall) -> Anomaly:
    """Name what it is that an ended token is shown: back, still there, or an older version."""
    if isinstance(ending.operation, RaceUpdate):
        return _instead(history, ending, look)
    gone = (each for each in history.looks if ending.begun < each.ended and each.before(look))
    absent = any(token in _mine(history, each) and token.name not in each.shown for each in gone)
    return Anomaly.RESURRECTION if absent else Anomaly.ERASED_READ


def _instead(history: RaceHistory, newer: RaceCall, look: RaceCall) -> Anomaly:
    """Name what it is that an older version is shown: the newer one was lost, or is not there yet."""
    tokens = [token.name for token in history.tokens.values() if newer in token.births]
    return Anomaly.STALE_READ if set(tokens) & set(look.shown) or not look.last else Anomaly.LOST_UPDATE


def _flickered(history: RaceHistory) -> Iterator[Breach]:
    """What was shown and not ended is shown again; what was ended is not."""
    for first in history.looks:
        for then in history.looks:
            if not first.before(then) or first.operation != then.operation:
                continue
            for token in _mine(history, then):
                if not history.settles:
                    yield from _vanished(token, first, then)
                yield from _returned(token, first, then)


def _vanished(token: RaceToken, first: RaceCall, then: RaceCall) -> Iterator[Breach]:
    """It is there, and gone, before its write was acknowledged: afterwards it is lost by another rule."""
    if token.name not in first.shown or token.name in then.shown or token.surely_written(then):
        return
    if any(token.may_follow(ending, then) for ending in (*token.removals, *token.updates, *token.rivals)):
        return
    what = f"{token.name} was shown, its write still ran, and it was not shown again"
    yield Breach(f"vanished/{_surface(then)}", Anomaly.DIRTY_READ, what, then)


def _returned(token: RaceToken, first: RaceCall, then: RaceCall) -> Iterator[Breach]:
    """It was written, gone, and is there again although nobody wrote it again."""
    if token.name in first.shown or token.name not in then.shown:
        return
    if not all(birth.before(first) for birth in token.births):
        return
    removed = any(token.may_follow(ending, first) for ending in token.removals)
    anomaly = Anomaly.RESURRECTION if removed else Anomaly.STALE_READ
    what = f"{token.name} was written and no longer shown, and was shown again"
    yield Breach(f"returned/{_surface(then)}", anomaly, what, then)


def _repeated(history: RaceHistory) -> Iterator[Breach]:
    for look in history.looks:
        for token in _mine(history, look) if look.last else ():
            times = look.shown.count(token.name)
            if times > 1:
                what = f"{token.name} is there {times} times"
                yield Breach(f"repeated/{_surface(look)}", Anomaly.DUPLICATE, what, look)


def _counted(history: RaceHistory) -> Iterator[Breach]:
    """Of several deletions of one memory, one removed it."""
    deletions: dict[str, list[RaceCall]] = {}
    for call in history.calls:
        if isinstance(call.operation, RaceDelete) and not call.raised:
            deletions.setdefault(call.operation.memory, []).append(call)
    for memory, calls in deletions.items():
        total = sum(call.count for call in calls)
        if total > 1:
            what = f"the memory of {memory} was deleted {len(calls)} times, which are said to have removed {total}"
            yield Breach("counted", Anomaly.MISCOUNT, what, calls[-1])


def _mixed(history: RaceHistory) -> Iterator[Breach]:
    """One memory has one text, and when all is done a slot has one value."""
    for look in history.looks:
        for kind in ("memory", "slot") if look.last else ("memory",):
            for name, tokens in _grouped(_mine(history, look), kind).items():
                shown = [token for token in tokens if token.name in look.shown]
                if len(shown) > 1:
                    what = f"{_names(shown)} are all shown of the {kind} {name}, which has one value"
                    yield Breach(f"mixed {kind}/{_surface(look)}", Anomaly.MIXED_VERSIONS, what, look)


def _broken(history: RaceHistory) -> Iterator[Breach]:
    """When all is done the memory can be opened and read."""
    for call in history.calls:
        if call.raised and isinstance(call.operation, RaceReopen):
            yield Breach("reopened", Anomaly.NOT_DURABLE, f"opening it again raised {call.raised}", call)
        elif call.raised and call.last:
            yield Breach("readable", Anomaly.LOST_UPDATE, f"a look when all was done raised {call.raised}", call)


def _cycled(history: RaceHistory) -> Iterator[Breach]:
    """What was read of one memory, or of one slot, is explained by some order of its writes."""
    for kind in ("memory", "slot"):
        for user in dict.fromkeys(token.user for token in history.tokens.values()):
            tokens = [token for token in history.tokens.values() if token.user == user]
            for name, versions in _grouped(tokens, kind).items():
                if len(versions) < 2 or any(token.removals for token in versions):
                    continue
                for surface in ("list", "search"):
                    looks = [look for look in history.looks if _surface(look) == surface]
                    looks = [look for look in looks if look.last] if history.settles else looks
                    register = register_of(
                        versions, [each for each in looks if versions[0] in _mine(history, each)]
                    )
                    if register and not orderable(register):
                        what = f"no order of the writes of {name} ({_names(versions)}) explains what was shown"
                        yield Breach(f"cycle of {kind}/{surface}", Anomaly.WRITE_CYCLE, what, looks[-1])


RULES: tuple[Rule, ...] = (
    *(_leaked, _aborted, _lost, _empty, _ended, _flickered),
    *(_repeated, _counted, _mixed, _broken, _cycled),
)
"""Every rule."""
