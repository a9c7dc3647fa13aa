"""The whole study: play, freeze, analyse, answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from memgauge.errors import ConfigError
from memgauge.scoring.gold import GoldTable
from memgauge.studies.shift.findings.analysis import DRAWS, analyse
from memgauge.studies.shift.findings.answering import AnswerCheck, check
from memgauge.studies.shift.play import online
from memgauge.studies.shift.play.freeze import freeze
from memgauge.studies.shift.play.simulate import simulate
from memgauge.studies.shift.protocol.scene import scenes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from memgauge.datasets.base import Dataset
    from memgauge.llm.answerers import Answerer
    from memgauge.retrieval.embedders import Embedder
    from memgauge.runs.play.execute import PlanProgress
    from memgauge.runs.play.executors import Executor
    from memgauge.runs.record.manifest import Limits
    from memgauge.studies.shift.findings.result import ShiftResult
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


@dataclass(frozen=True)
class ShiftStudy:
    """Everything that was found, and where it is kept."""

    outcomes: Outcomes
    result: ShiftResult
    answers: AnswerCheck
    folders: Mapping[tuple[str, int], Path]
    """A sealed run by policy and burst length."""
    evidence: int
    """Entries of evidence in the dataset."""
    unmatched: int
    """Of which nothing was found in the conversation."""
    short: int
    """Bursts that had to be shorter than the longest m, because there were no more turns to draw."""


def conduct(
    dataset: Dataset,
    spec: ShiftSpec,
    cast: Cast,
    out: Path,
    *,
    answerer: Answerer,
    limits: Limits,
    executor: Executor,
    draws: int = DRAWS,
    on_progress: Callable[[PlanProgress], None] = lambda _: None,
) -> ShiftStudy:
    """Play the protocol, keep what was found under *out*, and compute every number.

    Raises:
        UserError: A policy, a system or a dataset that cannot take part.
    """
    if not cast.policies and not cast.systems:
        raise ConfigError("Nobody takes part.", "Name a policy or a system.")
    gold = GoldTable.read(dataset)
    laid = scenes(dataset, spec)
    made = online.planned(dataset, spec, laid, cast.systems, limits) if cast.systems else None
    parts: list[Outcomes] = []
    folders: dict[tuple[str, int], Path] = {}
    if cast.policies:
        simulation = simulate(
            dataset, spec, cast.policies, laid=laid, summaries=cast.summaries, embedder=cast.embedder
        )
        parts.append(simulation.outcomes)
        folders |= _keyed(simulation.outcomes, freeze(simulation, dataset, out))
    if made is not None:
        found = online.play(made, out, executor=executor, on_progress=on_progress)
        lived = _renamed(online.outcomes(found, laid, spec, gold), cast.policies)
        parts.append(lived)
        folders |= _keyed(lived, found.folders)
    outcomes = _merged(parts)
    result = analyse(outcomes, draws=draws)
    answered = {key: folder for key, folder in folders.items() if key[1] in {0, result.told}}
    entries = [entry for one in gold.golds for entry in one.evidence]
    return ShiftStudy(
        outcomes=outcomes,
        result=result,
        answers=check(answered, outcomes, gold.questions, gold.golds, answerer),
        folders=folders,
        evidence=len(entries),
        unmatched=sum(not entry.turns for entry in entries),
        short=sum(n < max(spec.bursts) for scene in laid for n in scene.drawn(spec)),
    )


def _keyed(outcomes: Outcomes, folders: Sequence[Path]) -> dict[tuple[str, int], Path]:
    keys = ((policy, m) for policy in outcomes.policies for m in outcomes.spec.bursts)
    return dict(zip(keys, folders, strict=True))


def _renamed(lived: Outcomes, taken: Sequence[str]) -> Outcomes:
    """Tell a memory from the simulation of the same name."""
    new = {name: f"{name} (memory)" if name in taken else name for name in lived.policies}
    return replace(
        lived,
        policies=tuple(new.values()),
        routed={new[name]: routed for name, routed in lived.routed.items()},
        failed={new[name]: n for name, n in lived.failed.items()},
    )


def _merged(parts: Sequence[Outcomes]) -> Outcomes:
    """Join policies and systems that were asked the same questions."""
    first = parts[0]
    return replace(
        first,
        policies=tuple(name for part in parts for name in part.policies),
        hits=np.concatenate([part.hits for part in parts]),
        routed={name: routed for part in parts for name, routed in part.routed.items()},
        failed={name: n for part in parts for name, n in part.failed.items()},
    )
