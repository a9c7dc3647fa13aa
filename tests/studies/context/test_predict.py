"""From what prompts keep and a measured profile to predicted accuracy, and to answers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import ConfigError, UnknownNameError
from memgauge.llm.access import Access
from memgauge.stats import Interval
from memgauge.studies.context.assembled import Fate
from memgauge.studies.context.grid import SampleGrid
from memgauge.studies.context.models import open_local
from memgauge.studies.context.predict import Surface, calibrate, predicted, predicted_mean
from memgauge.studies.context.study import ModelStudy, conduct

SURFACE = Surface("m", "kv", (1_000, 4_000), (0.0, 0.5, 1.0), ((1.0, 0.8, 1.0), (0.8, 0.4, 0.6)))


def fated(*depths: float, complete: bool = True, tokens: int = 1_000, name: str = "q") -> Fate:
    """Make what became of one question."""
    share = float(complete)
    nothing = dict.fromkeys(("stale", "beside", "ordered", "marked", "redundancy", "verbatim"))
    first = min(depths, default=None)
    return Fate(name, "c", share, share, share, 0.0, first, depths, None, intact=1.0, tokens=tokens, **nothing)


def test_a_surface_is_read_between_its_points() -> None:
    """Linear in depth, linear in the logarithm of length, flat beyond the grid."""
    assert SURFACE.accuracy(1_000, 0.0) == 1.0
    assert SURFACE.accuracy(1_000, 0.25) == pytest.approx(0.9)
    assert SURFACE.accuracy(2_000, 0.0) == pytest.approx(0.9)
    assert SURFACE.accuracy(100, 0.5) == 0.8
    assert SURFACE.accuracy(10**6, 0.5) == 0.4
    assert SURFACE.accuracy(4_000, 1.5) == 0.6


@given(st.floats(1, 10**7), st.floats(0, 1))
def test_no_place_is_outside_what_was_measured(length: float, depth: float) -> None:
    """Whatever the place, the accuracy lies among the measured ones."""
    assert 0.4 <= SURFACE.accuracy(length, depth) <= 1.0


def test_a_prediction_takes_the_worst_place_of_all_evidence() -> None:
    """One piece lost means none; else the worst of the places decides."""
    assert predicted(fated(0.0, 0.5), SURFACE) == 0.8
    assert predicted(fated(0.0, complete=False), SURFACE) == 0.0
    mean = predicted_mean([fated(0.0), fated(0.5), fated(complete=False)], SURFACE)
    assert mean.mean == pytest.approx((1.0 + 0.8 + 0.0) / 3)


def profile(tasks: tuple[str, ...], depths: tuple[float | None, ...]) -> ModelStudy:
    """Measure a local model."""
    local = open_local("simulated:penalty=0.3")
    assert local is not None
    return conduct(SampleGrid(tasks, (1_000, 2_000), depths, samples=3), Access(local), local)


def test_a_surface_is_what_was_measured() -> None:
    """By default it is the first recall task; another one can be named."""
    study = profile(("set", "kv"), (0.0, 0.5))
    surface = Surface.of(study)
    assert (surface.task, surface.lengths, surface.depths) == ("kv", (1_000, 2_000), (0.0, 0.5))
    assert surface.rows == tuple(
        tuple(point.score.mean for point in profile.points) for profile in study.tasks[1].profiles
    )
    assert Surface.of(study, "set").task == "set"
    with pytest.raises(UnknownNameError, match="Did you mean kv"):
        Surface.of(study, "k")


def test_what_was_not_measured_by_depth_predicts_nothing() -> None:
    """Without depths, or with cells that have no answer, there is no surface."""
    with pytest.raises(ConfigError, match="not measured by depth"):
        Surface.of(profile(("set",), (None,)))
    study = profile(("kv",), (0.0, 0.5))
    measured = study.tasks[0]
    first = measured.profiles[0]
    unanswered = replace(first.points[0], score=Interval(None, None, None, 0))
    gapped = replace(first, points=(unanswered, *first.points[1:]))
    with pytest.raises(ConfigError, match="without an answer"):
        Surface.of(replace(study, tasks=(replace(measured, profiles=(gapped, *measured.profiles[1:])),)))


def test_calibration_compares_bin_by_bin() -> None:
    """Predictions of .9 of which half come true are .4 off; a bin without questions is left out."""
    chances = {f"q{n}": 0.9 for n in range(10)} | {"z": 0.0, "unasked": 0.5}
    right = {f"q{n}": n % 2 == 0 for n in range(10)} | {"z": False, "other": True}
    found = calibrate("run", "layer", chances, right)
    assert [(one.low, one.observed.n) for one in found.bins] == [(0.0, 1), (0.8, 10)]
    assert found.n == 11
    assert found.gap == pytest.approx(0.4 * 10 / 11)
    assert found.brier == pytest.approx((5 * 0.01 + 5 * 0.81) / 11)
    assert calibrate("run", "layer", {"q": 1.0}, {"q": True}).gap == 0.0


def test_answers_to_other_questions_are_no_calibration() -> None:
    """Where predictions and answers share no question, nothing is compared."""
    with pytest.raises(ConfigError, match="answers no question"):
        calibrate("run", "layer", {"a": 1.0}, {"b": True})
