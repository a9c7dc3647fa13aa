"""Any system under the protocol, through the engine."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import ConfigError
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.record.manifest import Limits
from memgauge.runs.record.store import load
from memgauge.scoring.gold import GoldTable
from memgauge.streams import Ask, Reset, Write
from memgauge.studies.shift.play.online import interrupted, outcomes, planned, protocol
from memgauge.studies.shift.play.simulate import simulate
from memgauge.studies.shift.protocol.scene import scenes
from memgauge.studies.shift.protocol.spec import PRESETS, DistractorLifetime, Filing, QuestionPlacement, ShiftSpec

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.studies.shift.play.outcomes import Outcomes

TINY = open_dataset("synthetic:tiny")
CLEAN = replace(PRESETS["clean"], bursts=(0, 6))
NAMES = ("flat", "gated", "hsr", "raptor", "fusion", "recency", "ucb", "thompson")
SOME = ("flat", "raptor", "recency", "thompson")
"""Of each kind one: by its terms, by a tree, by its age, and chosen by a bandit."""


def lived(spec: ShiftSpec, systems: tuple[str, ...], out: Path) -> Outcomes:
    """Play systems through the engine, whose conformance others look at."""
    laid = scenes(TINY, spec)
    made = planned(TINY, spec, laid, systems, Limits())
    labels = [cell.manifest.system.label for cell in made.cells[:: len(spec.bursts)]]
    return outcomes(labels, execute(made, out, executor=Inline(), check=False), laid, spec, GoldTable.read(TINY))


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        (replace(CLEAN, filing=Filing.EXEMPT), SOME),
        pytest.param(replace(CLEAN, filing=Filing.EXEMPT), NAMES, marks=pytest.mark.slow),
        pytest.param(replace(CLEAN, filing=Filing.CURRENT), NAMES, marks=pytest.mark.slow),
        pytest.param(replace(CLEAN, filing=Filing.PSEUDO_SESSION), NAMES, marks=pytest.mark.slow),
        # a reset takes back what a router learned
        pytest.param(replace(CLEAN, memory=DistractorLifetime.ISOLATED), NAMES[:-2], marks=pytest.mark.slow),
        pytest.param(replace(CLEAN, place=QuestionPlacement.AS_ASKED), NAMES, marks=pytest.mark.slow),
    ],
    ids=["exempt, some", "exempt", "current", "pseudo", "isolated", "as_asked"],
)
def test_living_through_the_protocol_gives_what_simulating_it_gives(
    spec: ShiftSpec, names: tuple[str, ...], tmp_path: Path
) -> None:
    """Where nothing of the future is known, every policy finds the same as a memory and as a simulation."""
    simulated = simulate(TINY, spec, names).outcomes
    # Eighty players each would show the same: that a process plays what this one does is the executors' law.
    real = lived(spec, names, tmp_path)
    assert real.questions == simulated.questions
    assert real.failed == {}
    for number, name in enumerate(names):
        assert np.array_equal(real.hits[number], simulated.hits[number]), name
    for name, routed in real.routed.items():
        chosen = [[routed.arms[arm] for arm in burst] for burst in routed.choice]
        known = simulated.routed[name]
        assert chosen == [[known.arms[arm] for arm in burst] for burst in known.choice]


def test_runs_are_frozen_and_not_repeated(tmp_path: Path) -> None:
    """Each burst length is a run that names its protocol; the second time nothing is run."""
    laid = scenes(TINY, CLEAN)
    made = planned(TINY, CLEAN, laid, ("flat",), Limits())
    folders = execute(made, tmp_path, executor=Inline(), check=False)
    streams = [load(folder).manifest.stream for folder in folders]
    assert [stream.protocol for stream in streams] == ["shift", "shift"]
    assert [stream.parameters["m"] for stream in streams] == ["0", "6"]
    assert "source" not in streams[0].parameters  # without a burst its source changes nothing
    assert streams[1].parameters["source"] == "other_conversations"
    before = [folder.stat().st_mtime_ns for folder in folders]
    assert execute(made, tmp_path, executor=Inline(), check=False) == folders
    assert [folder.stat().st_mtime_ns for folder in folders] == before


def test_a_system_never_hears_what_it_could_know_a_distractor_by() -> None:
    """Ids of distractors are opaque, times never run backwards, and a longer burst begins with the shorter."""
    laid = scenes(TINY, CLEAN)
    case = next(TINY.cases())
    short, long = (
        [event for event in interrupted(case, laid[0], CLEAN, m) if isinstance(event, Write | Ask)] for m in (3, 6)
    )
    real = {turn.id for turn in case.conversation.turns()}
    turns = [event.turns[0] for event in long if isinstance(event, Write)]
    strange = [turn for turn in turns if turn.id not in real]
    assert strange
    assert len({turn.id for turn in turns}) == len(turns)
    assert all(len(turn.id) == 16 for turn in strange)
    times = [turn.at for turn in turns if turn.at is not None]
    assert times == sorted(times)
    kept = [event for event in long if event in short]
    assert kept == short


def test_isolated_memory_begins_again_at_every_polluted_boundary() -> None:
    """The stream takes everything back and says again what was really said."""
    spec = replace(CLEAN, memory=DistractorLifetime.ISOLATED)
    laid = scenes(TINY, spec)
    case = next(TINY.cases())
    assert Reset() in interrupted(case, laid[0], spec, 6)
    assert Reset() not in interrupted(case, laid[0], spec, 0)
    assert protocol(laid, spec, 6).order(case) == interrupted(case, laid[0], spec, 6)


def test_a_failing_system_is_counted_and_hits_nothing(tmp_path: Path) -> None:
    """A question without a result is no hit, and the study says how many there were."""
    real = lived(CLEAN, ("faulty:raises",), tmp_path)
    assert real.failed == {"faulty:raises": 2 * len(real.questions)}
    assert not real.hits.any()


def test_systems_of_one_label_are_refused(tmp_path: Path) -> None:
    """A table has to tell its rows apart."""
    for name, k1 in (("a", 1.2), ("b", 1.5)):
        (tmp_path / f"{name}.toml").write_text(f'system = "bm25"\nlabel = "mine"\n[parameters]\nk1 = {k1}\n')
    files = [str(tmp_path / f"{name}.toml") for name in "ab"]
    with pytest.raises(ConfigError, match="share a label: mine, mine"):
        planned(TINY, CLEAN, scenes(TINY, CLEAN), files, Limits())


def test_a_budget_bounds_our_own_systems(tmp_path: Path) -> None:
    """A system of ours gets it as its capacity; of another nothing is known."""
    spec = replace(CLEAN, budget=8)
    simulated = simulate(TINY, spec, ("flat", "recency")).outcomes
    real = lived(spec, ("flat", "recency"), tmp_path)
    assert real.policies == ("flat:capacity=8", "recency:capacity=8")
    assert np.array_equal(real.hits[1], simulated.hits[1])
    with pytest.raises(ConfigError, match=r"cannot bound the memory of support\.systems:Notebook"):
        planned(TINY, spec, scenes(TINY, spec), ("support.systems:Notebook",), Limits())
    with pytest.raises(ConfigError, match="simulated policies only"):
        planned(TINY, replace(spec, dedupe=True), [], ("flat",), Limits())
