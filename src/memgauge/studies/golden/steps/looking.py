"""Steps that look up what no question shows: audits, residue, duplicates, quarantine."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from memgauge.errors import CallFailed
from memgauge.records import Operation, Scope
from memgauge.studies.golden.anomalies import Anomaly
from memgauge.studies.golden.checking import Read, misreading
from memgauge.studies.golden.driver import DISTRUSTED, ReturnedText
from memgauge.studies.golden.ledger import Mood
from memgauge.studies.golden.residue import residues
from memgauge.studies.golden.scenario import Assert
from memgauge.studies.golden.tokens import found_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memgauge.studies.golden.scene import Scene
    from memgauge.systems.protocol import AuditEntry


_MANY = 50
"""Hits among which what once held is looked for."""


def _assert(step: Assert, scene: Scene) -> None:
    check, before = step.assert_, (scene.positive, scene.negative)
    if check.audit == "erasure":
        _audit_of_erasure(scene)
    elif check.audit == "history":
        _audit_of_history(scene, check.about or "")
    elif check.audit == "update":
        _audit_of_update(scene, check.about or "")
    if check.residue:
        _residue(scene)
    if check.once:
        _once(scene, check.once)
    if check.listed:
        _listed(scene, check.listed)
    if check.dated:
        _dated(scene, check.dated)
    if check.quarantined:
        _quarantined(scene)
    scene.checks += (scene.positive, scene.negative) != before


def _check_order(scene: Scene, memory: str, history: Sequence[AuditEntry]) -> None:
    """Check that a history begins with how something came to be, and goes on as time does.

    After its end it may be asked to end again, and an id may come to be once more, also of what is told late.
    """
    arrival = {handed.turn.at: number for number, handed in enumerate(scene.turns)}
    begins = any(entry.op is Operation.ADD for entry in history[1:])
    after = (then.op for entry, then in pairwise(history) if entry.op is Operation.DELETE)
    gone = any(op not in {Operation.DELETE, Operation.ADD} for op in after)
    if (
        not all(_in_time(times, arrival) for times in _lives(history))
        or (begins and history[0].op is not Operation.ADD)
        or gone
    ):
        scene.wrong(Anomaly.UNAUDITED, f"The history of {memory} is not in the order in which things happened.")


def _lives(history: Sequence[AuditEntry]) -> Iterator[list[datetime]]:
    """Yield the times of every life of an id, which begins anew behind an end."""
    times: list[datetime] = []
    ended = False
    for entry in history:
        if ended and entry.op is Operation.ADD:
            yield times
            times = []
        ended = entry.op is Operation.DELETE
        times += [entry.at.replace(tzinfo=None)] if entry.at is not None else []
    yield times


def _in_time(times: Sequence[datetime], arrival: Mapping[datetime | None, int]) -> bool:
    """Whether times go on as time does, or in the order in which what was told late arrived."""
    told_late = all(at in arrival for at in times) and sorted(times, key=arrival.__getitem__) == times
    return told_late or times == sorted(times)


def _audit_of_erasure(scene: Scene) -> None:
    scene.need("auditable")
    erased = {write.token for write in scene.ledger if write.erased is not None}
    for (scope, memory), tokens in scene.removed.items():
        history = scene.driver.history(memory, scope)
        _check_order(scene, memory, history)
        leaked = {value for entry in history if entry.text for value in found_in(entry.text, erased)}
        scene.negative += len(tokens & erased | leaked)
        for value in sorted(leaked):
            scene.wrong(Anomaly.AUDIT_LEAK, f"The history of {memory} still says {value}, which was erased.")
        if tokens & erased and not any(entry.op is Operation.DELETE for entry in history):
            scene.wrong(Anomaly.UNAUDITED, f"The history of {memory} does not say that it was deleted.")
        else:
            scene.positive += 1


def _audit_of_history(scene: Scene, slot: str) -> None:
    """Require that something says how a value came to be stored, and that histories with words say the value."""
    scene.need("auditable")
    for write in scene.ledger.holding(scene.scope, slot, scene.now):
        histories = {
            memory.id: scene.driver.history(memory.id, scene.scope) for memory in scene.bearing({write.token})
        }
        for memory, history in histories.items():
            _check_order(scene, memory, history)
        entries = [entry for history in histories.values() for entry in history]
        worded = [entry for entry in entries if entry.text]
        if entries and (not worded or any(_bears(entry, write.token) for entry in worded)):
            scene.positive += 1
        else:
            scene.wrong(Anomaly.UNAUDITED, f"Nothing says how {write.token} came to be stored.")


def _audit_of_update(scene: Scene, slot: str) -> None:
    """Require that what was changed by id says so, and has not always said what it says now."""
    scene.need("auditable")
    for write in scene.ledger.holding(scene.scope, slot, scene.now):
        entries = [
            entry
            for memory in scene.bearing({write.token})
            for entry in scene.driver.history(memory.id, scene.scope)
        ]
        if write.restated and any(_bears(entry, write.token) for entry in entries if entry.op is Operation.ADD):
            scene.wrong(
                Anomaly.UNAUDITED, f"It is said of {write.token}, which came by a change, that it was added."
            )
        elif any(entry.op is not Operation.ADD for entry in entries):
            scene.positive += 1
        else:
            scene.wrong(Anomaly.UNAUDITED, f"Nothing says that {write.token} took the place of another value.")


def _bears(entry: AuditEntry, value: str) -> bool:
    return entry.text is not None and bool(found_in(entry.text, {value}))


def _residue(scene: Scene) -> None:
    told_again = {write.token for write in scene.ledger if write.erased is None}
    erased = {write.token for write in scene.ledger} - told_again
    scene.negative += len(erased)
    scopes = {write.scope for write in scene.ledger}
    listed = [ReturnedText(memory.text) for scope in scopes for memory in scene.driver.listed(scope)]
    left = {value: "the list of what is stored" for each in listed for value in found_in(each.text, erased)}
    left |= residues(scene.driver.files(), erased, scene.untold)
    for value, where in sorted(left.items()):
        scene.wrong(Anomaly.RESIDUE, f"{value} was erased and still stands in {where}.")
    slots = dict.fromkeys(write.slot for write in scene.ledger if write.token in erased)
    for surface in _TO_ANYBODY if slots else ():
        with suppress(CallFailed):  # a stranger may be refused, in words that show nothing
            scene.peek(surface, f"What is my {list(slots)[-1]}?", _STRANGER)


_STRANGER = Scope("mallory")
_TO_ANYBODY = ("search", "list", "context", "answer")
"""Where a stranger looks for what was erased; whatever is returned or raised is looked through."""


def _once(scene: Scene, slot: str) -> None:
    for write in scene.ledger.holding(scene.scope, slot, scene.now):
        texts = [memory.text for memory in scene.bearing({write.token})]
        scene.positive += bool(texts)
        scene.negative += 1
        if len(set(texts)) < len(texts):
            scene.wrong(Anomaly.DUPLICATE, f"{write.token} is stored {len(texts)} times in the same words.")


def _listed(scene: Scene, slot: str) -> None:
    """Require every value that holds in the list of what is stored, on whichever page, and as what it is."""
    question = f"What is my {slot}?"
    at = scene.now
    read = Read(
        scene.step, "store", scene.scope, scene.session, slot, at, past=False, question=question, asked_at=at
    )
    undecided = {write.token for write in scene.ledger.undecided(read.scope, slot, at, at)}
    holding = scene.ledger.holding(read.scope, slot, at)
    held = {write.token: write for write in holding if write.token not in undecided}
    bearing: dict[str, list[str]] = {value: [] for value in held}
    for memory in scene.driver.listed(scene.scope):
        for value in found_in(memory.text, held):
            bearing[value].append(memory.text)
    for value, write in sorted(held.items()):
        wrong = misreading(read, write, bearing[value], scene.ledger)
        scene.positive += wrong is None
        if wrong is not None:
            what = _LISTED.get(wrong, "holds and does not stand in the list of what is stored")
            scene.wrong(wrong, f"{value} {what}.")


_LISTED: Mapping[Anomaly, str] = {
    Anomaly.NEGATED: "holds, and the list of what is stored denies it",
    Anomaly.MISATTRIBUTED: "holds, and the list of what is stored does not tell it of what it belongs to",
}


def _dated(scene: Scene, slot: str) -> None:
    """Require that the list gives an end to whatever a search of its own time says has ended."""
    open_ended = {memory.id: memory for memory in scene.driver.listed(scene.scope) if memory.valid_to is None}
    for write in scene.ledger:
        if write.scope != scene.scope or write.slot != slot or write.erased is not None:
            continue
        hits = scene.driver.recall(slot, scene.scope, _MANY, write.valid_from or scene.now)
        ended = [
            hit.memory for hit in hits if hit.memory and hit.memory.valid_to and found_in(hit.text, {write.token})
        ]
        scene.positive += bool(hits)
        scene.negative += len(ended)
        for memory in ended:
            listed = open_ended.get(memory.id)
            if listed is not None and found_in(listed.text, {write.token}):
                what = (
                    f"{write.token} has an end where it is searched for, and none in the list of what is stored."
                )
                scene.wrong(Anomaly.STALE_READ, what)


def _quarantined(scene: Scene) -> None:
    planted = {write.token for write in scene.ledger if write.mood is Mood.PLANTED}
    scene.negative += len(planted)
    believed: dict[str, str] = {}
    for memory in scene.driver.listed(scene.scope):
        if not DISTRUSTED.search(memory.channel):
            believed |= dict.fromkeys(found_in(memory.text, planted), memory.id)
    for value, name in sorted(believed.items()):
        scene.wrong(Anomaly.POISON_ACTIVE, f"{value} was planted and is stored as {name} like everything else.")


PLAYED: Mapping[Any, Callable[[Any, Scene], None]] = {Assert: _assert}
