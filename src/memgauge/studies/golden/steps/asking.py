"""Steps that ask: a question of whoever speaks, and many as somebody who must see nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memgauge.errors import CallFailed
from memgauge.studies.golden.anomalies import Anomaly
from memgauge.studies.golden.checking import Read, check_read, foreign
from memgauge.studies.golden.driver import ReturnedText
from memgauge.studies.golden.scenario import AskStep, Probe
from memgauge.studies.golden.scene import Scene, span
from memgauge.studies.golden.tokens import cut_values

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memgauge.records import Scope
    from memgauge.studies.golden.scenario import Surface


def _ask(step: AskStep, scene: Scene) -> None:
    if not step.same_minute:
        scene.tick()
    at = scene.now + span(step.as_of)
    query = scene.filled(step.ask, scene.now)
    for layer in step.layers:
        texts = scene.look(layer, query, step.k, at) if layer in scene.layers else None
        if texts is None:
            scene.unheard[layer] = None
            continue
        scene.checks += 1
        read = Read(
            scene.step, layer, scene.scope, scene.session, step.about, at, bool(step.as_of), query, scene.now
        )
        checked = check_read(read, texts, scene.ledger, scene.events)
        scene.findings += checked.findings
        scene.positive += checked.returned
        scene.negative += checked.negative
        scene.events = replace(scene.events, seen=scene.events.seen | checked.surfaced)
        if layer == "recall":
            _check_search(step, scene, query, texts)
    if step.budgets and "context" in scene.layers:
        _check_budgets(step, scene, query)


def _check_search(step: AskStep, scene: Scene, query: str, hits: Sequence[ReturnedText]) -> None:
    """Check what holds of any search: no more than was asked for, and the same again where nothing changed."""
    if len(hits) > step.k:
        what = f"R{scene.step} asked for {step.k} and got {len(hits)}."
        scene.wrong(Anomaly.OVER_LIMIT, what, "recall")
    texts = [hit.text for hit in hits]
    if scene.before.setdefault((scene.scope, query, step.k, step.as_of), texts) != texts:
        what = f"R{scene.step} asked {query!r} again, nothing had changed, and the answer had."
        scene.wrong(Anomaly.UNSTABLE, what, "recall")


def _check_budgets(step: AskStep, scene: Scene, query: str) -> None:
    """Check that a context fits into what a reader has room for, however little, and cuts no value in two."""
    values = [write.token for write in scene.ledger.written(scene.scope, step.about)]
    for budget in step.budgets:
        texts = scene.driver.context(query, scene.scope, budget)
        scene.checks += texts is not None
        length = sum(len(each.text) for each in texts or ())
        if length > budget:
            what = f"R{scene.step} asked for a context of {budget} characters and got {length}."
            scene.wrong(Anomaly.OVER_LIMIT, what, "context")
        for half in sorted({half for each in texts or () for half in cut_values(each.text, values)}):
            what = f"R{scene.step} asked for a context of {budget} characters and got {half!r}, half a value."
            scene.negative += 1
            scene.wrong(Anomaly.GARBAGE_READ, what, "context")


def _probe(step: Probe, scene: Scene) -> None:
    readers = [replace(scene.scope, user=scene.numbered(name or "")) for name in step.as_users]
    for reader in readers or [scene.scope]:
        for surface in step.surfaces or _offered(scene):
            once = surface in {"list", "history"}
            for query in step.probe[:1] if once else step.probe:
                texts = _peek(surface, scene.filled(query, scene.now), reader, scene)
                leaks, negative = foreign(scene.step, "recall", reader, texts, scene.ledger)
                scene.findings += leaks
                scene.negative += negative
                scene.probes += 1
                scene.checks += 1


_SURFACES: Mapping[Surface, str | None] = {
    "search": None,
    "list": None,
    "context": "assembling",
    "answer": "answering",
    "history": "auditable",
}
"""Where a memory shows something, and the protocol without which it does not."""


def _offered(scene: Scene) -> list[Surface]:
    return [surface for surface, needed in _SURFACES.items() if needed is None or needed in scene.driver.offers]


def _peek(surface: str, query: str, reader: Scope, scene: Scene) -> list[ReturnedText]:
    """Look as somebody else; a memory may refuse a strange id, which shows nothing but its words."""
    try:
        return scene.peek(surface, query, reader)
    except CallFailed as error:
        return [ReturnedText(str(error))]


PLAYED: Mapping[Any, Callable[[Any, Scene], None]] = {AskStep: _ask, Probe: _probe}
