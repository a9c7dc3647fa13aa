"""The step that races: real threads on the memory, and what no order of their calls explains."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from memgauge.studies.golden.scenario import Race
from memgauge.studies.golden.scene import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memgauge.studies.golden.scene import Scene


def _race(step: Race, scene: Scene) -> None:
    from memgauge.studies.golden.races.race import race

    scene.driver.witness = None  # what races say stands in no ledger
    seed = re.sub(r"[^A-Za-z0-9]+", "-", f"{scene.seed}-{scene.step}")  # it names users, whom no memory may refuse
    report = race(scene.driver, shapes=step.race, rounds=step.rounds, shrinks=0, seed=seed)
    scene.driver.witness = scene.expose
    tried = [shape for shape in report.shapes if not shape.not_tried]
    if report.not_tried or not tried:
        reason = report.not_tried or "; ".join(shape.not_tried for shape in report.shapes)
        raise Unsupported(f"step {scene.step} needs a memory that several threads can use: {reason}")
    for finding in report.findings:
        scene.wrong(finding.anomaly, finding.witness)
    scene.checks += 1
    scene.positive += report.positive
    scene.negative += report.negative
    scene.changed()


PLAYED: Mapping[Any, Callable[[Any, Scene], None]] = {Race: _race}
