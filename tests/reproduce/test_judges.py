"""Corrected rates hold the truth, in simulation."""

from __future__ import annotations

import numpy as np
import pytest

from memgauge.reproduce.judges import (
    JudgeCell,
    certificate_cells,
    coverage_of,
    judge_coverage,
    labelled_cells,
    labelled_coverage,
)

SMALL = (42, 41, 42, 41, 41, 42, 41, 41)


def test_the_hard_cells_are_among_those_simulated() -> None:
    """40 and 200 sentinels, acceptance of .628 and .106, 8 and 10 conversations, rates of .1 to .95."""
    cells = list(certificate_cells())
    assert {cell.known for cell in cells} == {40, 100, 200}
    assert {len(cell.sizes) for cell in cells} == {8, 10}
    assert {cell.true for cell in cells} >= {0.1, 0.95}
    assert (0.98, 0.628, 0.106) in {cell.judge for cell in cells}


@pytest.mark.parametrize("vague", [0.1, 0.9])
@pytest.mark.parametrize("known", [40, 200])
def test_a_certificate_covers_whatever_the_mix(known: int, vague: float) -> None:
    """A judge that takes vague answers for right is corrected with ends that hold for every mix."""
    cell = JudgeCell(SMALL, 1.7, 0.7, (0.98, 0.628, 0.106), vague, known)
    assert coverage_of(cell, 400, np.random.default_rng(1)) >= 0.95


def test_labels_cover() -> None:
    """PPI++ over clusters holds with 40 labels of 331 answers."""
    cell = next(cell for cell in labelled_cells() if len(cell.sizes) == 8)
    assert labelled_coverage(cell, 300, np.random.default_rng(1)) >= 0.91


def test_a_quick_pass_covers_and_repeats() -> None:
    """The smallest coverage over all cells is the same for the same seed."""
    first = judge_coverage(60, seed=4)
    assert first == judge_coverage(60, seed=4)
    assert first >= 0.85


@pytest.mark.slow
def test_corrected_rates_cover_in_every_cell() -> None:
    """Coverage is at least .93 in every cell, of certificates of 40 to 200 sentinels and of labels."""
    assert judge_coverage(2000, seed=0) >= 0.93
