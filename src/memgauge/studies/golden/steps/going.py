"""Steps that move on: who speaks, in which session, what time it is, and what happens to the memory meanwhile."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memgauge.records import Scope
from memgauge.studies.golden.scenario import Advance, Fault, Maintenance, Restart, SessionStep, User
from memgauge.studies.golden.scene import Scene, span

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def _user(step: User, scene: Scene) -> None:
    scene.scope = Scope(scene.numbered(step.user), step.tenant, step.agent, scene.scope.session)


def _session(step: SessionStep, scene: Scene) -> None:
    scene.session = scene.numbered(step.session)
    scene.scope = replace(scene.scope, session=scene.session if step.confined else None)


def _advance(step: Advance, scene: Scene) -> None:
    scene.changed()
    scene.now += span(step.advance)


def _maintenance(step: Maintenance, scene: Scene) -> None:
    for _ in range(step.maintenance):
        scene.driver.maintain(scene.now)
    if "expiring" in scene.driver.offers:
        scene.ledger.sweep(scene.now)
    scene.happened("revivals")


def _restart(step: Restart, scene: Scene) -> None:
    scene.need("durable")
    if step.restart == "process":
        scene.driver.flush(scene.scope)
    scene.driver.restart()
    scene.happened("restarts", "revivals")


def _fault(step: Fault, scene: Scene) -> None:  # noqa: ARG001 - there is one kind
    scene.twice = True


PLAYED: Mapping[Any, Callable[[Any, Scene], None]] = {
    User: _user,
    SessionStep: _session,
    Advance: _advance,
    Maintenance: _maintenance,
    Restart: _restart,
    Fault: _fault,
}
