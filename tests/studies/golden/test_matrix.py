"""The matrix: every scenario meets every memory once, wherever it is played."""

from __future__ import annotations

import math
from pathlib import Path

from memgauge.records import Verdict
from memgauge.studies.golden.loading import load_suite
from memgauge.studies.golden.matrix import Matrix, MatrixCell, run_matrix, trusting
from memgauge.studies.golden.runner import Options
from memgauge.studies.golden.scenario import Expected
from memgauge.systems.reference.ideal import Ideal
from memgauge.systems.reference.mutants import MUTANTS

SCENARIOS = load_suite(Path(__file__).with_name("selftest.memsuite.yaml")).suite.scenarios
MEMORIES: dict[str, type[Ideal]] = {"ideal": Ideal, "append-only": MUTANTS["append-only"], "null": MUTANTS["null"]}


class Broken(Ideal):
    """Cannot be reset."""

    def reset(self) -> None:
        """Raise."""
        raise RuntimeError("the disk is full")


def test_cells_say_what_was_seen() -> None:
    """One cell for each scenario and memory, with its verdict and the anomalies."""
    matrix = run_matrix(SCENARIOS, MEMORIES)
    assert [cell.memory for cell in matrix.cells] == [name for name in MEMORIES for _ in SCENARIOS]
    assert {cell.verdict for cell in matrix.row("ideal")} == {Verdict.PASS}
    assert {cell.noticed for cell in matrix.row("null")} == {True}
    seen = {cell.scenario: cell.anomalies for cell in matrix.row("append-only") if cell.noticed}
    assert seen == {"own.move": ("MIXED_VERSIONS",), "own.visit": ("MIXED_VERSIONS",)}
    ends = {cell.scenario: cell.verdict for cell in matrix.row("append-only")}
    assert (ends["own.move"], ends["own.twins"]) == (Verdict.FAIL, Verdict.PASS)
    assert matrix.row("nobody") == ()


def test_workers_give_the_same_cells() -> None:
    """Two processes see what one sees, in the same order."""
    assert run_matrix(SCENARIOS, MEMORIES, workers=2) == run_matrix(SCENARIOS, MEMORIES)


def test_an_error_has_seen_nothing() -> None:
    """A memory that raises is no memory whose fault was noticed."""
    (cell,) = run_matrix(SCENARIOS[:1], {"broken": Broken}).cells
    assert cell.verdict == Verdict.ERROR
    assert "the disk is full" in cell.detail
    assert not cell.noticed


def test_a_failure_that_is_known_still_counts() -> None:
    """What is known of some system does not hide what a mutant does."""
    known = SCENARIOS[0].model_copy(update={"expected_failure": Expected(issue="tracker/1")})
    (cell,) = run_matrix([known], {"null": MUTANTS["null"]}).cells
    assert cell.verdict == Verdict.FAIL


def test_reference_memories_are_given_all_the_time() -> None:
    """No clock runs, and whatever else was chosen stays."""
    assert trusting(Options(seed="7")) == Options(seed="7", timeout_s=math.inf)
    assert Matrix((MatrixCell("a", "b", "flaky"),)).cells[0].noticed
