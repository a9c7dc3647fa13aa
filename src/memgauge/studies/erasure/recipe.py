"""The figures of this study: erasure reports of installed products beside what their golden cards know."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from memgauge.errors import MissingExtraError
from memgauge.studies.erasure.auditing import audit
from memgauge.studies.erasure.plan import ErasurePlan
from memgauge.studies.erasure.verdict import is_left, last_names, last_residue, last_surfaces, values_of
from memgauge.systems.conformance.shipped import shipped_cards
from memgauge.systems.environments.opening import lives_here
from memgauge.systems.environments.places import environment_of
from memgauge.systems.environments.products import product

if TYPE_CHECKING:
    from collections.abc import Mapping

SEED: Final = 20_261_126
PATIENCE_S: Final = 300.0
"""Seconds for one call: some products start a process for each user."""


def beside_card(name: str, parameters: str = "") -> Mapping[str, float]:
    """Audit one product with a canary, and put what is left beside what its card says is left.

    *parameters* are given where its card had a model at hand and nobody else has.

    Raises:
        MissingExtraError: The product is not installed.
    """
    described = product(name)
    if environment_of(described) is None and not lives_here(described):
        raise MissingExtraError(f"{name} is not installed.", f"Run `memgauge systems install {name}`.")
    card = next(card for card in shipped_cards() if card.ref == name)
    report = audit(ErasurePlan(f"{name}{parameters}", seed=SEED, timeout_s=PATIENCE_S))
    surfaces, files = values_of(last_surfaces(report)), values_of(last_residue(report))
    left = is_left(report)
    known = bool(card.golden and card.golden.left_behind)
    return {
        "left_by_card": float(known),
        "left_by_report": float(left),
        "agrees": float(left is known and card.version == report.system.version),
        "values": float(len(report.subject.values)),
        "values_returned": float(len(surfaces)),
        "values_in_files": float(len(files)),
        "names_in_files": float(len(values_of(last_names(report)))),
        "twin_values": float(report.twin.values if report.twin else 0),
        "control_lost": float(sum(len(control.lost) for control in report.controls)),
        "not_looked_at": float(len(report.unlooked)),
    }


chroma = partial(beside_card, "chroma")
faiss = partial(beside_card, "faiss")
lancedb = partial(beside_card, "lancedb")
langgraph = partial(beside_card, "langgraph")
mem0 = partial(beside_card, "mem0")
mem0_1 = partial(beside_card, "mem0-1", ":lane=raw")
qdrant = partial(beside_card, "qdrant")
server_memory = partial(beside_card, "server-memory")
sqlite_vec = partial(beside_card, "sqlite-vec")
