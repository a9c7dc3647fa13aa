"""Any memory system under the protocol: the engine plays it, and nothing of the future is known."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from memgauge.errors import ConfigError
from memgauge.measures import parse
from memgauge.records import Contract, Failures, Outcome
from memgauge.registry import parse_ref
from memgauge.runs.play.plan import Plan, plan
from memgauge.runs.record.store import load
from memgauge.scoring.align import align
from memgauge.streams import StreamProtocol, clean, interrupt, isolate, place
from memgauge.studies.shift.play.outcomes import Outcomes, Routed, blank
from memgauge.studies.shift.protocol.spec import DistractorLifetime, as_text
from memgauge.systems.catalogue import SYSTEMS
from memgauge.systems.routing.router import NOTE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt

    from memgauge.datasets.base import Dataset
    from memgauge.records import Case
    from memgauge.runs.record.manifest import Limits
    from memgauge.runs.record.store import Run
    from memgauge.scoring.gold import GoldTable
    from memgauge.streams import Stream
    from memgauge.studies.shift.protocol.scene import ShiftScene
    from memgauge.studies.shift.protocol.spec import ShiftSpec

PLACING = ("place", "categories")
"""Knobs that matter even where nothing interrupts."""
INTERRUPTING = ("interrupted", "source", "sampling", "memory", "filing", "seed")


def protocol(scene_list: Sequence[ShiftScene], spec: ShiftSpec, m: int) -> StreamProtocol:
    """Return the stream protocol of one burst length, with what identifies it."""
    scenes = {scene.line.conversation: scene for scene in scene_list}

    def order(case: Case) -> Stream:
        return interrupted(case, scenes[case.conversation.id], spec, m)

    knobs = PLACING + (INTERRUPTING if m else ())
    return StreamProtocol("shift", order, {"m": str(m)} | {name: as_text(getattr(spec, name)) for name in knobs})


def interrupted(case: Case, scene: ShiftScene, spec: ShiftSpec, m: int) -> Stream:
    """Place the questions of one conversation and interrupt them, for the running session alone if so wanted."""
    turns, questions = scene.line.turns, scene.line.questions
    clean_stream = place(clean(case), {question.id: turns[question.after].id for question in questions})
    bursts = {question.id: scene.burst(number, m) for number, question in enumerate(questions)}
    stream = interrupt(clean_stream, bursts)
    if spec.memory is DistractorLifetime.ISOLATED:
        return isolate(stream, {turn.id for burst in bursts.values() for turn in burst})
    return stream


def planned(
    dataset: Dataset, spec: ShiftSpec, scene_list: Sequence[ShiftScene], systems: Sequence[str], limits: Limits
) -> Plan:
    """Plan one run for every system and burst length.

    Raises:
        UserError: A system that does not exist or cannot be used, or a knob that only simulated policies have.
    """
    if spec.dedupe:
        raise ConfigError("Copies can be folded for simulated policies only.", "Leave --dedupe out.")
    run_plan = plan(
        [dataset.identity.ref],
        [_bounded(ref, spec.budget) for ref in systems],
        seeds=[spec.seed],
        limits=limits.model_copy(update={"k": spec.k}),
        streams=[protocol(scene_list, spec, m) for m in spec.bursts],
        allow_unpinned=True,
    )
    labels = [cell.manifest.system.label for cell in run_plan.cells[:: len(spec.bursts)]]
    if len(set(labels)) < len(labels):
        raise ConfigError(f"Two systems share a label: {', '.join(labels)}.", "Give each its own.")
    return run_plan


def _bounded(ref: str, budget: int | None) -> str:
    """Give a system its memory budget.

    Raises:
        ConfigError: It is not one of ours, so nothing is known of how to bound it.
    """
    if budget is None:
        return ref
    system_ref = parse_ref(ref)
    if system_ref.name not in SYSTEMS:
        raise ConfigError(f"The harness cannot bound the memory of {ref}.", "Leave --budget out.")
    return str(replace(system_ref, params={**system_ref.params, "capacity": str(budget)}))


def outcomes(
    systems: Sequence[str],
    folders: Sequence[Path],
    scene_list: Sequence[ShiftScene],
    spec: ShiftSpec,
    gold: GoldTable,
) -> Outcomes:
    """Read from runs who found what; a question that failed counts as no hit, and is counted.

    *folders* hold a run for every system and burst length, burst lengths innermost.
    """
    blank_outcomes = blank([scene.line for scene in scene_list], spec)
    number = {question: place for place, question in enumerate(blank_outcomes.questions)}
    order = np.array([number.get(question.id, -1) for question in gold.questions])
    hits = np.zeros((len(systems), len(spec.bursts), len(blank_outcomes.questions)), dtype=np.bool_)
    failures: dict[str, int] = {}
    routed: dict[str, Routed] = {}
    for place_, folder in enumerate(folders):
        system, burst = divmod(place_, len(spec.bursts))
        run, name = load(folder), systems[system]
        judged_run = align(run, gold, Contract(failures=Failures.ZERO), spec.k)
        hits[system, burst, order[order >= 0]] = judged_run.rows(parse(f"Hit@{spec.k}")).values[order >= 0] > 0
        failures[name] = failures.get(name, 0) + _failures(run)
        if (choice := _choices(run, number)) is not None:
            arms, choices = choice
            routes_so_far = routed.setdefault(name, Routed((), np.full(hits.shape[1:], -1, dtype=np.int32)))
            names = tuple(dict.fromkeys((*routes_so_far.arms, *arms)))
            routes_so_far.choice[burst] = [-1 if arm < 0 else names.index(arms[arm]) for arm in choices]
            routed[name] = replace(routes_so_far, arms=names)
    losing = {name: n for name, n in failures.items() if n}
    return replace(blank_outcomes, policies=tuple(systems), hits=hits, routed=routed, failed=losing)


def _failures(run: Run) -> int:
    return sum(not Outcome(outcome).valid for outcome in run.questions["outcome"].tolist())


def _choices(run: Run, number: dict[str, int]) -> tuple[tuple[str, ...], npt.NDArray[np.int32]] | None:
    """Read which arm answered each question; ``None`` for a system that does not route."""
    choices = np.full(len(number), -1, dtype=np.int32)
    arms: dict[str, int] = {}
    for question, notes in zip(run.questions["question"], run.questions["notes"], strict=True):
        for note in notes:
            if note.startswith(NOTE):
                choices[number[question]] = arms.setdefault(note.removeprefix(NOTE), len(arms))
    return (tuple(arms), choices) if arms else None
