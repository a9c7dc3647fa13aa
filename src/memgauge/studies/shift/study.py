"""The whole study: play, freeze, analyse, answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from memgauge.errors import ConfigError
from memgauge.retrieval.embedders import identities_of
from memgauge.runs.play.execute import execute
from memgauge.scoring.gold import GoldTable
from memgauge.studies.shift.findings.analysis import DRAWS, analyse
from memgauge.studies.shift.findings.answering import check
from memgauge.studies.shift.play import online
from memgauge.studies.shift.play.freeze import freeze
from memgauge.studies.shift.play.simulate import simulate
from memgauge.studies.shift.protocol.scene import scenes
from memgauge.studies.shift.report import FrozenPlay, ShiftReport
from memgauge.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from memgauge.datasets.base import Dataset
    from memgauge.llm.answerers import Answerer
    from memgauge.retrieval.embedders import Embedder
    from memgauge.runs.play.execute import PlanProgress
    from memgauge.runs.play.executors import Executor
    from memgauge.runs.record.manifest import Limits
    from memgauge.studies.shift.play.outcomes import Outcomes
    from memgauge.studies.shift.protocol.spec import ShiftSpec


@dataclass(frozen=True)
class Cast:
    """Who plays."""

    policies: Sequence[str] = ()
    """Simulated."""
    systems: Sequence[str] = ()
    """References of memory systems, through the engine."""
    embedder: Embedder | None = None
    summaries: Mapping[str, Mapping[str, str]] | None = None


def conduct(
    dataset: Dataset,
    spec: ShiftSpec,
    cast: Cast,
    out: Path,
    *,
    preset: str,
    left_out: str = "",
    answerer: Answerer,
    limits: Limits,
    executor: Executor,
    draws: int = DRAWS,
    on_progress: Callable[[PlanProgress], None] = lambda _: None,
) -> ShiftReport:
    """Play the protocol, keep what was found under *out*, and compute every number.

    Raises:
        UserError: A policy, a system or a dataset that cannot take part.
    """
    if not cast.policies and not cast.systems:
        raise ConfigError("Nobody takes part.", "Name a policy or a system.")
    gold = GoldTable.read(dataset)
    scene_list = scenes(dataset, spec)
    run_plan = online.planned(dataset, spec, scene_list, cast.systems, limits) if cast.systems else None
    parts: list[Outcomes] = []
    folders: dict[tuple[str, int], Path] = {}
    if cast.policies:
        simulation = simulate(
            dataset, spec, cast.policies, laid=scene_list, summaries=cast.summaries, embedder=cast.embedder
        )
        parts.append(simulation.outcomes)
        folders |= _keyed(simulation.outcomes, freeze(simulation, dataset, out))
    if run_plan is not None:
        made_runs = execute(run_plan, out, executor=executor, on_progress=on_progress)
        systems = [cell.manifest.system.label for cell in run_plan.cells[:: len(spec.bursts)]]
        lived = _renamed(online.outcomes(systems, made_runs, scene_list, spec, gold), cast.policies)
        parts.append(lived)
        folders |= _keyed(lived, made_runs)
    outcomes = _merged(parts)
    result = analyse(outcomes, draws=draws)
    answered_folders = {key: folder for key, folder in folders.items() if key[1] in {0, result.told}}
    entries = [entry for question_gold in gold.golds for entry in question_gold.evidence]
    return ShiftReport(
        dataset=dataset.identity,
        preset=preset,
        memgauge=__version__,
        spec=spec,
        result=result,
        answers=check(answered_folders, outcomes, gold.questions, gold.golds, answerer),
        readings=(),
        evidence=len(entries),
        unmatched=sum(not entry.turns for entry in entries),
        short=sum(n < max(spec.bursts) for scene in scene_list for n in scene.drawn(spec)),
        left_out=left_out,
        seconds=outcomes.seconds,
        runs=tuple(FrozenPlay(policy, m, str(folder)) for (policy, m), folder in folders.items()),
        embedder="" if cast.embedder is None else "".join(identities_of(cast.embedder)) or cast.embedder.name,
    )


def _keyed(outcomes: Outcomes, folders: Sequence[Path]) -> dict[tuple[str, int], Path]:
    keys = ((policy, m) for policy in outcomes.policies for m in outcomes.spec.bursts)
    return dict(zip(keys, folders, strict=True))


def _renamed(lived: Outcomes, taken_names: Sequence[str]) -> Outcomes:
    """Tell a memory from the simulation of the same name."""
    new_names = {name: f"{name} (memory)" if name in taken_names else name for name in lived.policies}
    return replace(
        lived,
        policies=tuple(new_names.values()),
        routed={new_names[name]: routed for name, routed in lived.routed.items()},
        failed={new_names[name]: n for name, n in lived.failed.items()},
    )


def _merged(parts: Sequence[Outcomes]) -> Outcomes:
    """Join policies and systems that were asked the same questions."""
    first_part = parts[0]
    return replace(
        first_part,
        policies=tuple(name for part in parts for name in part.policies),
        hits=np.concatenate([part.hits for part in parts]),
        routed={name: routed for part in parts for name, routed in part.routed.items()},
        failed={name: n for part in parts for name, n in part.failed.items()},
    )
