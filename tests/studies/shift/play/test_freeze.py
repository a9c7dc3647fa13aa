"""Simulated rankings as runs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.records import Verdict
from memgauge.runs.record.store import load
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.verify import verify
from memgauge.studies.shift.play import online
from memgauge.studies.shift.play.freeze import freeze
from memgauge.studies.shift.play.simulate import simulate
from memgauge.studies.shift.protocol.scene import scenes
from memgauge.studies.shift.protocol.spec import DistractorLifetime, ShiftSpec, Summaries, TermFit

if TYPE_CHECKING:
    from pathlib import Path

TINY = open_dataset("synthetic:tiny")
SPEC = ShiftSpec(bursts=(0, 4), summaries=Summaries.EXTRACTIVE, interrupted=2)


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param(SPEC, marks=pytest.mark.slow),
        replace(SPEC, dedupe=True),
        replace(SPEC, memory=DistractorLifetime.ISOLATED, budget=12),
    ],
    ids=["plain", "folded", "isolated"],
)
def test_a_frozen_simulation_scores_as_it_was_simulated(spec: ShiftSpec, tmp_path: Path) -> None:
    """Reading the runs back through the scoring of any run gives the same hits and the same choices."""
    simulation = simulate(TINY, spec, ("flat", "gated", "ucb"))
    folders = freeze(simulation, TINY, tmp_path)
    read = online.outcomes(simulation.outcomes.policies, folders, scenes(TINY, spec), spec, GoldTable.read(TINY))
    assert np.array_equal(read.hits, simulation.outcomes.hits)
    known, routed = simulation.outcomes.routed["ucb"], read.routed["ucb"]
    for burst in range(2):
        chosen = [routed.arms[arm] for arm in routed.choice[burst]]
        assert chosen == [known.arms[arm] for arm in known.choice[burst]]


def test_a_frozen_simulation_says_what_it_is(tmp_path: Path) -> None:
    """Its manifest names every knob and every liberty; it verifies, and it is not made again."""
    simulation = simulate(TINY, SPEC, ("flat", "thompson"))
    folders = freeze(simulation, TINY, tmp_path)
    run = load(folders[-1])
    stream, promises = run.manifest.stream, run.manifest.system.capabilities
    assert (run.label, stream.parameters["m"], stream.parameters["fit"]) == ("thompson (simulated)", "4", "all")
    assert promises["declares_sources"]
    assert promises["reports_changes"]
    assert promises["interventions"][0].startswith("simulated:")
    assert "future included" in promises["interventions"][1]
    assert "told of each of its answers" in promises["interventions"][2]
    assert {one.verdict for one in verify(folders[0])} <= {Verdict.PASS, Verdict.UNSUPPORTED, Verdict.VACUOUS}
    coverage = run.questions["coverage"]
    assert bool(((coverage > 0) & (coverage <= 1)).all())
    before = [(folder / "SEAL").stat().st_mtime_ns for folder in folders]
    assert freeze(simulation, TINY, tmp_path) == folders
    assert [(folder / "SEAL").stat().st_mtime_ns for folder in folders] == before
    clean = freeze(simulate(TINY, replace(SPEC, fit=TermFit.PREFIX), ("flat",)), TINY, tmp_path)
    assert not set(clean) & set(folders)


def test_supplied_summaries_are_part_of_the_identity(tmp_path: Path) -> None:
    """Other texts make another run."""
    spec = replace(SPEC, summaries=Summaries.SUPPLIED, bursts=(0,))
    lines = [scene.line for scene in scenes(TINY, spec)]
    folders = [
        freeze(
            simulate(
                TINY,
                spec,
                ("hsr",),
                summaries={line.conversation: dict.fromkeys(line.sessions, text) for line in lines},
            ),
            TINY,
            tmp_path,
        )
        for text in ("one text", "another")
    ]
    assert folders[0] != folders[1]
