"""The plan that is announced before anything is run: known again, and complete."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import RunError, RunNotFoundError
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.record.announced import FOLDER, AnnouncedPlan
from memgauge.runs.record.manifest import DatasetPart, Limits, Manifest, SystemPart
from memgauge.runs.record.seal import Seal
from support.handmade import many_questions, planned, two_questions
from support.systems import Notebook

if TYPE_CHECKING:
    from pathlib import Path


def manifest(seed: int = 0, *, k: int = 60) -> Manifest:
    """Make a manifest that nobody runs."""
    return Manifest(
        dataset=DatasetPart(ref="d", name="d", sha256="0" * 64),
        system=SystemPart(ref="s:a=1", label="s", name="s", version="1", capabilities={}),
        limits=Limits(k=k),
        seed=seed,
    )


@given(seeds=st.lists(st.integers(0, 99), min_size=1, max_size=8), order=st.randoms(use_true_random=False))
def test_the_same_cells_have_the_same_digest(seeds: list[int], order: st.DataObject) -> None:
    """Whatever the order, and however often a cell is named; other cells have another."""
    shuffled = [*seeds, seeds[0]]
    order.shuffle(shuffled)  # type: ignore[attr-defined] # it is a random.Random
    once, again = (AnnouncedPlan.of(map(manifest, each)) for each in (seeds, shuffled))
    assert (once.digest, len(once.cells)) == (again.digest, len(set(seeds)))
    assert AnnouncedPlan.of([*map(manifest, seeds), manifest(100)]).digest != once.digest
    assert AnnouncedPlan.of(manifest(seed, k=9) for seed in seeds).digest != once.digest


def test_circumstances_are_no_part_of_a_plan() -> None:
    """Neither its own digest nor how often a run was begun changes what was announced, or who a run is."""
    plain = manifest()
    changed = plain.model_copy(
        update={"plan": "a" * 64, "sittings": 3, "environment": {"python": "4"}, "probes": 9}
    )
    assert changed.identity == plain.identity
    assert AnnouncedPlan.of([changed]).digest == AnnouncedPlan.of([plain]).digest


def test_a_written_plan_is_read_again_by_its_digest(tmp_path: Path) -> None:
    """The digest is what sha256sum says of the file, whose name begins with it."""
    plan = AnnouncedPlan.of(map(manifest, range(3)))
    path = plan.write(tmp_path)
    assert path.parent.name == FOLDER
    assert hashlib.sha256(path.read_bytes()).hexdigest() == plan.digest
    assert plan.digest.startswith(path.stem)
    assert AnnouncedPlan.read(path) == plan
    assert plan.write(tmp_path) == path
    raw = path.read_bytes()
    path.write_bytes(raw.replace(b'"seed": 1', b'"seed":  1'))
    with pytest.raises(RunError, match="not as it was written"):
        AnnouncedPlan.read(path)
    path.write_bytes(raw.replace(b'"seed"', b'"seeds"', 1))
    with pytest.raises(RunError, match="seeds"):
        AnnouncedPlan.read(path)
    with pytest.raises(RunNotFoundError):
        AnnouncedPlan.read(tmp_path)


def test_what_never_ran_is_told_from_the_plan() -> None:
    """Every cell without a manifest is missing, and a run of another plan covers no plan by its name alone."""
    plan = AnnouncedPlan.of(map(manifest, range(4)))
    made = [manifest(seed).model_copy(update={"plan": plan.digest}) for seed in (0, 2)]
    assert {cell.seed for cell in plan.covers(made)} == {1, 3}
    assert plan.covers(map(manifest, range(9))) == ()
    assert plan.announces(made[0])
    assert not plan.announces(manifest(0))
    assert not plan.announces(manifest(7).model_copy(update={"plan": plan.digest}))


def test_nothing_is_written_before_the_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the first memory is asked for the first time, the plan lies there and no journal has a line."""
    seen: list[tuple[list[str], list[int]]] = []

    def look(self: Notebook) -> None:
        journals = [path.stat().st_size for path in tmp_path.glob("*/journal.jsonl")]
        seen.append((sorted(path.name for path in (tmp_path / FOLDER).iterdir()), journals))
        self.stored.clear()

    monkeypatch.setattr(Notebook, "reset", look)
    work = planned(two_questions(), "support.systems:Notebook", "support.systems:Backwards")
    folders = execute(work, tmp_path, executor=Inline(), check=False)
    plan = AnnouncedPlan.of(cell.manifest for cell in work.cells)
    assert seen[0] == ([f"{plan.digest[:12]}.json"], [0, 0])
    assert {Manifest.read(folder).plan for folder in folders} == {plan.digest}


def test_a_run_keeps_the_plan_that_it_was_begun_under(tmp_path: Path) -> None:
    """A wider plan announces the finished cell again, which still names the first; both plans stay."""
    first = planned(many_questions(1, 1), "support.systems:Notebook")
    wider = planned(many_questions(1, 1), "support.systems:Notebook", "support.systems:Backwards")
    (early,) = execute(first, tmp_path, executor=Inline(), check=False)
    sealed = Seal.read(early)
    early, late = execute(wider, tmp_path, executor=Inline(), check=False)
    assert Seal.read(early) == sealed
    plans = {AnnouncedPlan.read(path).digest for path in (tmp_path / FOLDER).iterdir()}
    assert plans == {Manifest.read(early).plan, Manifest.read(late).plan}
    assert len(plans) == 2
    execute(wider, tmp_path, executor=Inline(), check=False)
    assert len(list((tmp_path / FOLDER).iterdir())) == 2
