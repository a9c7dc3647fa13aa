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


_NOWHERE = "no-such-memory"


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
        wanted = {
            write.token
            for write in scene.ledger
            if (write.scope, write.slot) == (scene.scope, step.erase) and (at is None or write.holds(at))
        }
        memories = scene.bearing(wanted)
        scene.remove(memories)
        scene.ledger.erase(scene.step, scene.scope, step.erase, at)
        ids = list(dict.fromkeys(memory.id for memory in memories))
        deleted = scene.driver.delete(ids, scene.scope)
        if step.counted:
            _check_counts(scene, ids, deleted)
    scene.settle(flush=step.flush)
    scene.happened("erasures")


def _check_counts(scene: Scene, ids: Sequence[str], deleted: int) -> None:
    """Check what a memory said when it deleted what was there, and what it says now that it is gone."""
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
    for name in step.meddle:
        other = replace(scene.scope, user=scene.numbered(name))
        try:
            own = {memory.id for memory in scene.driver.listed(other)}  # ids may be each user's own
            foreign = [memory.id for memory in memories if memory.id not in own]
            for memory in foreign:
                scene.driver.update(memory, "Nothing.", other)
            deleted = scene.driver.delete(foreign, other)
        except CallFailed:
            continue  # a memory may refuse, aloud
        if deleted:
            what = f"{name} deleted {deleted} memories of {scene.scope.user} by their ids, as the memory says."
            scene.wrong(Anomaly.MISCOUNT, what)
    _ask_for_nothing(scene)
    scene.driver.flush(scene.scope)
    scene.happened("erasures")


def _ask_for_nothing(scene: Scene) -> None:
    """Change and remove a memory that was never there; a memory may refuse aloud, and must not make one."""
    before = Counter(memory.text for memory in scene.driver.listed(scene.scope))  # ids may be new at every look
    deleted = 0
    with suppress(CallFailed):
        deleted = scene.driver.delete([_NOWHERE], scene.scope)
    with suppress(CallFailed):
        scene.driver.update(_NOWHERE, "Nothing.", scene.scope)
    if "auditable" in scene.driver.offers:
        with suppress(CallFailed):
            scene.driver.history(_NOWHERE, scene.scope)
    made = Counter(memory.text for memory in scene.driver.listed(scene.scope)) - before
    if deleted:
        scene.wrong(Anomaly.MISCOUNT, f"A memory that never was is deleted {deleted} times, as the memory says.")
    if made:
        scene.wrong(Anomaly.GARBAGE_READ, f"A change of a memory that never was made {made.total()} more.")


PLAYED: Mapping[Any, Callable[[Any, Scene], None]] = {Erase: _erase, Meddle: _meddle}
