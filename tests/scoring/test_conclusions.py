"""Words of a comparison: a closed vocabulary that never contradicts the interval beside it."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.measures import Rows
from memgauge.report.compared import document, estimated, verdict_sentence
from memgauge.scoring.compare import Comparison, Difference, differences_of
from memgauge.scoring.conclusions import ComputedDifference, Conclusion, conclude
from memgauge.scoring.score import DatasetSampling
from memgauge.show.markdown import markdown
from memgauge.stats import Clusters, Resamples

FIGURES = st.floats(-1, 1, allow_nan=False) | st.floats(-2e-6, 2e-6) | st.just(0.0)
SHARES = st.floats(0, 1)
CODES = np.repeat(np.arange(4), 3)
SAMPLING = DatasetSampling(Resamples.draw(12, 0, 20), Clusters.of(CODES))


@st.composite
def computed(draw: st.DrawFn) -> ComputedDifference:
    """Draw what tests may compute: an interval around the difference or none, p before and after correction."""
    low, difference, high = sorted(draw(st.tuples(FIGURES, FIGURES, FIGURES)))
    p = draw(st.none() | SHARES | st.floats(0, 0.1))
    adjusted = None if p is None else draw(st.floats(p, 1))
    bounded, margin = draw(st.booleans()), draw(st.none() | st.floats(1e-3, 1))
    p_equal = draw(st.none() | SHARES)
    return ComputedDifference(
        difference, low if bounded else None, high if bounded else None, p, adjusted, margin, p_equal
    )


def shown(made: ComputedDifference, verdict: Conclusion) -> Difference:
    """Make the difference that is printed."""
    return Difference(
        "Hit@5", 0.5, 0.5 + made.difference, made.difference, made.low, made.high, None, None, 9, 1, 1, "t",
        made.p, made.p_adjusted, None, verdict, "none", clusters=4,
    )  # fmt: skip


def figures(text: str) -> tuple[float, float | None, float | None]:
    """Read a difference and its interval as a reader does."""
    found = re.match(r"([+-][\d.]+)(?: \[([+-][\d.]+), ([+-][\d.]+)\])?$", text)
    assert found, text
    value, low, high = found.groups()
    return float(value), None if low is None else float(low), None if high is None else float(high)


def contradicts(verdict: Conclusion, printed: str, margin: float | None) -> str:
    """Say how a word contradicts the figures that are printed beside it; empty where it does not."""
    value, low, high = figures(printed)
    if verdict in {Conclusion.BETTER, Conclusion.HIGHER} and (value <= 0 or (low is not None and low <= 0)):
        return "above 0 is not"
    if verdict in {Conclusion.WORSE, Conclusion.LOWER} and (value >= 0 or (high is not None and high >= 0)):
        return "below 0 is not"
    if verdict is Conclusion.OPEN and low is not None and high is not None and (low > 0 or high < 0):
        return "0 is left out"
    if verdict is Conclusion.EQUAL and max(abs(each) for each in (value, low, high) if each is not None) > (
        (margin or 0) + 5e-4
    ):
        return "beyond the margin"
    return ""


@given(computed())
def test_no_word_contradicts_the_interval_that_is_printed_beside_it(made: ComputedDifference) -> None:
    """Whatever was computed: the printed figures bear the word, and a confirmed one has passed correction."""
    verdict = conclude(made)
    printed = estimated(shown(made, verdict))
    assert not contradicts(verdict, f"{printed.text} {printed.under}".strip(), made.margin), verdict
    if verdict.confirmed:
        assert made.p_adjusted is not None
        assert made.p_adjusted < 0.05
    if verdict.suspected:
        assert made.p_adjusted is None or made.p_adjusted >= 0.05
    if verdict is Conclusion.EQUAL:
        assert made.p_equal is not None
        assert made.p_equal < 0.05


@given(
    st.lists(
        st.lists(st.sampled_from([-1.0, -0.5, 0.0, 1e-4, 0.5, 1.0]), min_size=12, max_size=12),
        min_size=1,
        max_size=6,
    ),
    st.none() | st.sampled_from([0.05, 0.5]),
    st.sampled_from(["Hit@5", "Contradiction@5"]),
)
def test_real_comparisons_say_what_their_figures_say(
    columns: list[list[float]], margin: float | None, name: str
) -> None:
    """From values of questions to the sentence: over any number of measures, before and after correction."""
    everywhere = np.ones(12, dtype=np.bool_)
    pairs = [(name, Rows(np.zeros(12), everywhere), Rows(np.array(column), everywhere)) for column in columns]
    differences, _ = differences_of(pairs, SAMPLING, margin=margin)
    for each in differences:
        printed = estimated(each)
        assert not contradicts(each.verdict, f"{printed.text} {printed.under}".strip(), margin), each
        sentence = verdict_sentence(each, "a", "b", margin)
        assert f"{printed.text} {printed.under}".strip() in sentence
        assert (each.verdict is Conclusion.SAME) <= (each.wins == each.losses == 0)


@given(computed(), st.booleans())
def test_less_is_better_turns_better_and_worse_alone(made: ComputedDifference, same: bool) -> None:
    """Turned twice is as before, and which value is higher does not depend on what is better."""
    verdict = conclude(made, same=same)
    assert verdict.turned.turned is verdict
    assert (verdict.turned is verdict) is not verdict.confirmed


@pytest.mark.parametrize("verdict", list(Conclusion))
def test_every_word_has_a_sentence_and_stands_in_the_table(verdict: Conclusion) -> None:
    """The vocabulary is closed: a comparison prints one of its words, and a sentence for it."""
    made = shown(ComputedDifference(0.1, 0.05, 0.15, 0.01, 0.06), verdict)
    comparison = Comparison("before", "after", "system", "target=source", (made,), 0, 0.2)
    said = document(comparison)
    assert verdict in markdown(said)
    assert "after" in said.lead
    assert "before" in said.lead


def test_what_correction_does_not_confirm_is_named_as_that() -> None:
    """An interval without 0 is never "cannot be told apart": three measures of which one alone would be clear."""
    made = ComputedDifference(-0.1, -0.19, -0.01, 0.03, 0.09)
    assert conclude(made) == "lower, not confirmed after correction"
    assert conclude(replace(made, p_adjusted=0.04)) == "worse"
    assert conclude(replace(made, low=-0.21, high=0.01, p=0.07)) == "cannot be told apart"


def test_a_small_difference_is_not_printed_as_none() -> None:
    """Digits are added until what is not 0 does not look like it."""
    made = shown(ComputedDifference(0.0004, 0.0002, 0.0006, 0.001, 0.001), Conclusion.BETTER)
    assert (estimated(made).text, estimated(made).under) == ("+0.0004", "[+0.0002, +0.0006]")
