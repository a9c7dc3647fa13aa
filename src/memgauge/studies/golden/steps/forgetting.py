"""Steps that forget, and that try to forget what is another's."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memgauge.errors import CallFailed
from memgauge.studies.golden.anomalies import Anomaly
from memgauge.studies.golden.scenario import Erase, Meddle

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memgauge.studies.golden.scene import Scene


def _erase(step: Erase, scene: Scene) -> None:
    scene.tick()
    if step.erase == "user":
        scene.need("erasable")
        scene.remove(scene.driver.listed(scene.scope))
        scene.ledger.erase(scene.step, scene.scope)
        scene.driver.erase_scope(scene.scope)
    else:
        scene.need("mutable")
        wanted = {write.token for write in scene.ledger if (write.scope, write.slot) == (scene.scope, step.erase)}
        memories = scene.bearing(wanted)
        scene.remove(memories)
        scene.ledger.erase(scene.step, scene.scope, step.erase)
        ids = list(dict.fromkeys(memory.id for memory in memories))
        deleted = scene.driver.delete(ids, scene.scope)
        if step.counted:
            _check_counts(scene, ids, deleted)
    scene.driver.flush(scene.scope)
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
            for memory in memories:
                scene.driver.update(memory.id, "Nothing.", other)
            deleted = scene.driver.delete([memory.id for memory in memories], other)
        except CallFailed:
            continue  # a memory may refuse, aloud
        if deleted:
            what = f"{name} deleted {deleted} memories of {scene.scope.user} by their ids, as the memory says."
            scene.wrong(Anomaly.MISCOUNT, what)
    scene.driver.flush(scene.scope)
    scene.happened("erasures")


PLAYED: Mapping[Any, Callable[[Any, Scene], None]] = {Erase: _erase, Meddle: _meddle}
