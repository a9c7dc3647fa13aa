"""Steps that forget, and that try to forget what is another's."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memgauge.errors import CallFailed
from memgauge.studies.golden.anomalies import Anomaly
from memgauge.studies.golden.scenario import Erase, Meddle

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memgauge.studies.golden.scene import Scene


_NOWHERE = ("no-such-memory", "", " ", "*", "%", ".*", "_" * 32, "0", "-1", "null")
"""Ids that no memory has, and that are everything to a pattern, a prefix or an index."""


def _erase(step: Erase, scene: Scene) -> None:
    scene.tick()
    if step.erase == "user":
        scene.need("erasable")
        scene.remove(scene.driver.listed(scene.scope))
        scene.ledger.erase(scene.step, scene.scope)
        scene.driver.erase_scope(scene.scope)
    else:
        scene.need("mutable")
        at = scene.now if step.present else None
        ids = list(dict.fromkeys(memory.id for memory in scene.forget(step.erase, at)))
        if step.counted:
            _check_counts(scene, ids, _delete_among_strangers(scene, ids))
        else:
            scene.driver.delete(ids, scene.scope)
    scene.settle(flush=step.flush)
    scene.happened("erasures")


def _delete_among_strangers(scene: Scene, ids: Sequence[str]) -> int:
    """Delete memories, each named twice and beside ids that no memory has; a memory may refuse those aloud."""
    try:
        return scene.driver.delete([_NOWHERE[0], *ids, _NOWHERE[0], *ids], scene.scope)
    except CallFailed:
        return scene.driver.delete([*ids, *ids], scene.scope)


def _check_counts(scene: Scene, ids: Sequence[str], deleted: int) -> None:
    """Check what a memory said when it deleted what was there, and what it says now that it is gone."""
    scene.checks += bool(ids)
    if deleted != len(ids):
        scene.wrong(Anomaly.MISCOUNT, f"{len(ids)} memories were deleted, and the memory says {deleted}.")
    again = scene.driver.delete(ids, scene.scope)
    if again:
        scene.wrong(Anomaly.MISCOUNT, f"What was gone was deleted again, and the memory says {again} times.")


def _meddle(step: Meddle, scene: Scene) -> None:
    """Try, as others, to change and remove by id what whoever speaks has stored; nothing may come of it."""
    scene.need("mutable")
    scene.tick()
    held = {write.token for write in scene.ledger if write.scope == scene.scope and write.erased is None}
    memories = scene.bearing(held)
    scene.checks += bool(memories)
    named = {replace(scene.scope, user=scene.numbered(name)): name for name in step.meddle}
    beside = {write.scope: f"{write.scope}" for write in scene.ledger if write.scope != scene.scope}
    last = dict(list(beside.items())[-_OTHERS:])
    for other, name in {**last, **named}.items():
        own: set[str] = set()
        deleted = 0
        with suppress(CallFailed):  # a memory may refuse, aloud
            own = {memory.id for memory in scene.driver.listed(other)}  # ids may be each user's own
        foreign = [memory.id for memory in memories if memory.id not in own]
        for memory in foreign:
            with suppress(CallFailed):
                scene.driver.update(memory, "Nothing.", other)
        with suppress(CallFailed):
            deleted = scene.driver.delete(foreign, other)
        if deleted:
            what = f"{name} deleted {deleted} memories of {scene.scope.user} by their ids, as the memory says."
            scene.wrong(Anomaly.MISCOUNT, what)
    _ask_for_nothing(scene)
    scene.driver.flush(scene.scope)
    scene.happened("erasures")


def _ask_for_nothing(scene: Scene) -> None:
    """Change and remove a memory that was never there; a memory may refuse aloud, and must not make one."""
    stored = scene.driver.listed(scene.scope)
    before = Counter(memory.text for memory in stored)  # ids may be new at every look
    ids = {memory.id for memory in stored}
    gone = [memory for scope, memory in scene.removed if scope == scene.scope][-_PARTED:]
    nowhere = [name for name in dict.fromkeys((*_NOWHERE, *gone, *_parts_of_ids(scene))) if name not in ids]
    deleted = 0
    for nothing in [[], *([name] for name in nowhere)]:
        with suppress(CallFailed):
            deleted += scene.driver.delete(nothing, scene.scope)
    for name in nowhere:
        with suppress(CallFailed):
            scene.driver.update(name, "Nothing.", scene.scope)
    if "auditable" in scene.driver.offers:
        with suppress(CallFailed):
            scene.driver.history(_NOWHERE[0], scene.scope)
    made = Counter(memory.text for memory in scene.driver.listed(scene.scope)) - before
    if deleted:
        scene.wrong(Anomaly.MISCOUNT, f"A memory that never was is deleted {deleted} times, as the memory says.")
    if made:
        scene.negative += 1
        scene.wrong(Anomaly.GARBAGE_READ, f"A change of a memory that never was made {made.total()} more.")


def _parts_of_ids(scene: Scene) -> list[str]:
    """Return parts of the ids that memories have; where ids are new at every reading, a part may be an old one."""
    stored, again = ({memory.id for memory in scene.driver.listed(scene.scope)} for _ in range(2))
    names = sorted(stored & again)[:_PARTED]
    return sorted({part for name in names for part in (name[:-1], name[1:], name[: len(name) // 2])} - stored)


_OTHERS = 16
"""Others of all that there are who try."""
_PARTED = 8
"""Memories of whose ids parts are tried."""


PLAYED: Mapping[Any, Callable[[Any, Scene], None]] = {Erase: _erase, Meddle: _meddle}
