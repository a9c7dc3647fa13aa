"""Corrected rates, beside closed forms, a direct computation and the reference implementation's own numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memgauge.stats import Interval
from memgauge.stats.corrected import TELLS_NOTHING, corrected_ends, ppi, rogan_gladen, tuned_weight
from memgauge.stats.proportion import AcceptedCount, wilson
from support import known

SURE = 10**9
"""Sentinels of a certificate without any doubt."""


def raw(mean: float, half: float = 0.05, n: int = 300) -> Interval:
    """Make the interval of a share that was accepted."""
    return Interval(mean, mean - half, mean + half, n)


def test_the_value_is_rogan_and_gladens() -> None:
    """Accepted .89 by a judge of .98 and .628 is (.89 - .628) / (.98 - .628), as the worked example has it."""
    corrected = rogan_gladen(raw(0.89), AcceptedCount(980, 1000), [AcceptedCount(628, 1000)])
    assert corrected.mean == pytest.approx((0.89 - 0.628) / (0.98 - 0.628))


def test_a_judge_without_error_leaves_the_interval_alone() -> None:
    """With a perfect certificate of endless length, what is left is the interval of the share itself."""
    corrected = rogan_gladen(raw(0.4), AcceptedCount(SURE, SURE), [AcceptedCount(0, SURE)])
    assert (corrected.mean, corrected.low, corrected.high) == pytest.approx((0.4, 0.35, 0.45), abs=1e-4)


def test_known_errors_stretch_the_interval_as_they_stretch_the_value() -> None:
    """Without doubt about the judge both ends are the raw ends, corrected."""
    right, wrong = AcceptedCount(9 * SURE // 10, SURE), AcceptedCount(SURE // 10, SURE)
    corrected = rogan_gladen(raw(0.4), right, [wrong])
    ends = [(0.35 - 0.1) / 0.8, (0.45 - 0.1) / 0.8]
    assert [corrected.low, corrected.high] == pytest.approx(ends, abs=1e-3)


def test_the_interval_holds_whatever_kind_of_wrong_answers_a_system_gives() -> None:
    """Two systems both right in 70 %, one vague and one specific where it is wrong, are both covered."""
    right, wrong = AcceptedCount(196, 200), [AcceptedCount(63, 100), AcceptedCount(11, 100)]
    for accepted in (0.7 * 0.98 + 0.3 * 0.628, 0.7 * 0.98 + 0.3 * 0.106):
        corrected = rogan_gladen(raw(accepted), right, wrong)
        assert corrected.low is not None
        assert corrected.high is not None
        assert corrected.low <= 0.7 <= corrected.high


def test_answers_decided_by_rule_are_not_corrected() -> None:
    """Half the answers are wrong by rule and none of them can have been accepted by mistake."""
    right, wrong = AcceptedCount(90, 100), [AcceptedCount(20, 100)]
    corrected = rogan_gladen(raw(0.3), right, wrong, ruled_wrong=0.5)
    assert corrected.mean == pytest.approx((0.3 - 0.2 * 0.5) / 0.7)
    ruled = rogan_gladen(raw(0.25), right, wrong, ruled_right=0.25, ruled_wrong=0.75)
    assert (ruled.mean, ruled.low, ruled.high) == pytest.approx((0.25, 0.25, 0.25))


@given(
    st.tuples(st.floats(0, 0.4), st.floats(0, 0.4)),
    st.floats(0, 1),
    st.tuples(st.integers(60, 100), st.integers(0, 50)),
)
def test_the_value_undoes_what_a_judge_does(
    ruled: tuple[float, float], share: float, accepted: tuple[int, int]
) -> None:
    """What a judge would accept of the answers left to it is turned into the share of them that are right."""
    right, wrong = AcceptedCount(accepted[0], 100), AcceptedCount(accepted[1], 100)
    judged = 1 - sum(ruled)
    seen = ruled[0] + judged * (share * right.rate + (1 - share) * wrong.rate)
    corrected = rogan_gladen(raw(seen), right, [wrong], ruled_right=ruled[0], ruled_wrong=ruled[1])
    assert corrected.mean == pytest.approx(ruled[0] + judged * share)


@given(
    st.tuples(st.floats(0, 0.4), st.floats(0, 0.4)),
    st.floats(0.1, 0.9),
    st.tuples(st.integers(20, 40), st.integers(0, 15)),
)
def test_the_ends_are_the_last_shares_that_the_limits_allow(
    ruled: tuple[float, float], share: float, accepted: tuple[int, int]
) -> None:
    """Beside every share that is possible, tried one after the other: those whose distance all limits allow."""
    (right, wrong), judged = accepted, 1 - sum(ruled)
    true, false = wilson(right, 40), wilson(wrong, 40)
    mean = ruled[0] + judged * (share * known(true.mean) + (1 - share) * known(false.mean))
    limits = np.array([mean]), np.array([mean - 0.03]), np.array([mean + 0.05])
    low, high = corrected_ends(limits, (np.array([right]), 40), (np.array([wrong]), 40), ruled)
    x = np.linspace(ruled[0], 1 - ruled[1], 1001)
    apart = mean - (ruled[0] + (x - ruled[0]) * known(true.mean) + (1 - ruled[1] - x) * known(false.mean))
    for end, near, far, reach in ((low, true.high, false.high, 0.03), (high, true.low, false.low, 0.05)):
        of_true, of_false = known(near) - known(true.mean), known(far) - known(false.mean)
        assume(of_true**2 + of_false**2 < (known(true.mean) - known(false.mean)) ** 2)
        allowed = reach**2 + ((x - ruled[0]) * of_true) ** 2 + ((1 - ruled[1] - x) * of_false) ** 2
        inside = x[apart**2 <= allowed]
        assert end[0] == pytest.approx(inside.min() if end is low else inside.max(), abs=2e-3)


def test_a_larger_certificate_gives_a_narrower_interval() -> None:
    """What is unknown about the judge is in the width."""
    widths = []
    for n in (20, 50, 200, 1000):
        corrected = rogan_gladen(raw(0.4), AcceptedCount(9 * n // 10, n), [AcceptedCount(n // 10, n)])
        assert corrected.low is not None
        assert corrected.high is not None
        widths.append(corrected.high - corrected.low)
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] > 0.1


@pytest.mark.parametrize(
    ("right", "wrong", "reason"),
    [
        (AcceptedCount(5, 10), AcceptedCount(5, 10), TELLS_NOTHING),
        (AcceptedCount(0, 0), AcceptedCount(5, 10), "the certificate holds no right or no wrong answers"),
        (AcceptedCount(5, 10), AcceptedCount(0, 0), "the certificate holds no right or no wrong answers"),
    ],
)
def test_what_cannot_be_corrected_is_undefined(right: AcceptedCount, wrong: AcceptedCount, reason: str) -> None:
    """A judge that tells nothing apart, or of which nothing is known, corrects nothing."""
    corrected = rogan_gladen(raw(0.4), right, [wrong])
    assert (corrected.mean, corrected.low, corrected.reason) == (None, None, reason)


def test_without_an_interval_there_is_a_value_and_the_reason() -> None:
    """One conversation gives no ends, before and after the correction; without a value there is none after it."""
    right, wrong = AcceptedCount(9, 10), [AcceptedCount(1, 10)]
    corrected = rogan_gladen(Interval(0.5, None, None, 9, "one conversation"), right, wrong)
    assert corrected.mean == pytest.approx(0.5)
    assert (corrected.low, corrected.high, corrected.reason) == (None, None, "one conversation")
    nothing = Interval(None, None, None, 0, "no question is scored")
    assert rogan_gladen(nothing, right, wrong) == nothing


@given(
    st.floats(0, 1),
    st.floats(0, 0.3),
    st.integers(0, 60),
    st.integers(0, 60),
    st.integers(0, 60),
    st.integers(1, 60),
)
def test_the_value_is_a_share_inside_its_ends(
    mean: float, half: float, right: int, vague: int, specific: int, n: int
) -> None:
    """Whatever is counted: undefined with a reason, or 0 <= low <= value <= high <= 1."""
    counts = [AcceptedCount(min(count, n), n) for count in (right, vague, specific)]
    corrected = rogan_gladen(raw(mean, half), counts[0], counts[1:])
    if corrected.mean is None:
        assert corrected.reason
    else:
        assert corrected.low is not None
        assert corrected.high is not None
        assert 0 <= corrected.low <= corrected.mean <= corrected.high <= 1


LABELS = np.array([1, 0, 1, 1, 0, 1, 0, 1, 1, 1.0])
JUDGED = np.array([1, 0, 1, 0, 0, 1, 1, 1, 1, 1.0])
REST = np.array([1, 1, 0, 1, 0, 0, 1, 1, 1, 1, 0, 1, 1, 1, 0, 1, 0, 1, 1, 0.0])


def test_the_weight_of_predictions_is_ppis() -> None:
    """cov(Y, f) / ((1 + n/N) var(f)) over all judged values, kept within 0 and 1."""
    whole = np.concatenate([JUDGED, REST])
    wanted = np.cov(LABELS, JUDGED)[0, 1] / ((1 + 10 / 20) * whole.var(ddof=1))
    assert tuned_weight(LABELS, JUDGED, REST) == pytest.approx(wanted)
    assert tuned_weight(LABELS, 1 - JUDGED, REST) == 0.0
    assert tuned_weight(LABELS, JUDGED, np.array([])) == 0.0


def test_independent_items_give_ppis_error() -> None:
    """With every item its own cluster: the variances of both means add up, each with n - 1."""
    powered = ppi(LABELS, JUDGED, np.arange(10), REST, np.arange(10, 30), weight=0.5)
    assert powered.interval.mean == pytest.approx(0.5 * REST.mean() + (LABELS - 0.5 * JUDGED).mean())
    error = np.sqrt((LABELS - 0.5 * JUDGED).var(ddof=1) / 10 + (0.5 * REST).var(ddof=1) / 20)
    low, high = powered.interval.low, powered.interval.high
    assert low is not None
    assert high is not None
    assert 1.96 < (high - low) / 2 / error < 2.3


def test_clusters_are_those_of_a_direct_matrix_computation() -> None:
    """Error and degrees of freedom equal those of the stacked regression, computed with full matrices."""
    from scipy.stats import t as student

    weight, clusters, others = 0.6, np.arange(10) % 4, np.arange(20) % 5
    powered = ppi(LABELS, JUDGED, clusters, REST, others, weight=weight)
    parts = [LABELS - weight * JUDGED, weight * REST]
    y, column = np.concatenate(parts), np.repeat([0, 1], [10, 20])
    label = np.concatenate([clusters, others])
    x = np.eye(2)[column]
    hat = x @ np.linalg.inv(x.T @ x) @ x.T
    residual = y - hat @ y
    working = np.diag(np.array([np.var(part) for part in parts])[column])
    rows = []
    for name in np.unique(label):
        inside = label == name
        values, vectors = np.linalg.eigh(np.eye(inside.sum()) - hat[np.ix_(inside, inside)])
        adjust = vectors @ np.diag(values**-0.5) @ vectors.T
        row = np.zeros(30)
        row[inside] = adjust @ x[inside] @ np.linalg.inv(x.T @ x) @ np.ones(2)
        rows.append(row)
    rows_of = np.array(rows)
    error = np.sqrt(((rows_of @ residual) ** 2).sum())
    left = rows_of @ (np.eye(30) - hat)
    middle = left @ working @ left.T
    df = np.trace(middle) ** 2 / (middle**2).sum()
    reach = student.ppf(0.975, df) * error
    mean = powered.interval.mean
    assert mean is not None
    assert powered.interval.low == pytest.approx(mean - reach)
    assert powered.interval.high == pytest.approx(mean + reach)


def test_the_reference_implementation_says_the_same() -> None:
    """ppi-python 0.2.3 gives this value and, by a normal quantile, an interval a little narrower than ours."""
    rng = np.random.default_rng(3)
    labels = rng.binomial(1, 0.6, 60).astype(float)
    judged = np.where(rng.random(60) < 0.9, labels, 1 - labels)
    rest = rng.binomial(1, 0.55, 400).astype(float)
    powered = ppi(labels, judged, np.arange(60), rest, 60 + np.arange(400), weight=0.5)
    assert powered.interval.mean == pytest.approx(0.58333, abs=5e-6)
    assert powered.interval.low == pytest.approx(0.4963, abs=3e-3)
    assert powered.interval.high == pytest.approx(0.6704, abs=3e-3)


def test_labels_of_one_conversation_give_no_ends() -> None:
    """Two clusters are the least that says how far clusters differ; without a label there is nothing."""
    alone = ppi(LABELS, JUDGED, np.zeros(10), REST, np.arange(20) % 5).interval
    assert alone.mean is not None
    assert (alone.low, alone.high, bool(alone.reason)) == (None, None, True)
    assert ppi([], [], [], REST, np.arange(20)).interval.reason == "nothing is labelled"
    constant = ppi(np.ones(4), np.ones(4), np.arange(4), np.ones(4), np.arange(4)).interval
    assert (constant.mean, constant.low, constant.high) == (1.0, 1.0, 1.0)


def test_labels_that_are_all_right_leave_room_for_wrong_ones() -> None:
    """Of twenty that are right, up to an eighth of all may be wrong; a judge that agrees changes little."""
    rest = np.ones(280)
    for judged in (np.ones(20), np.tile([1.0, 0.0], 10)):
        share = ppi(np.ones(20), judged, np.arange(20) % 10, rest, np.arange(280) % 10, shares=True).interval
        assert share.mean == 1.0
        assert known(share.low) == pytest.approx(0.865, abs=0.03)


@pytest.mark.parametrize("true", [0.05, 0.5, 0.98])
@pytest.mark.parametrize("judge", [(1.0, 0.0), (0.9, 0.1), (0.5, 0.5)])
def test_corrected_shares_hold_the_truth_with_twenty_labels(true: float, judge: tuple[float, float]) -> None:
    """Near 0 and 1 too, and whatever the judge is worth."""
    rng = np.random.default_rng(11)
    cluster = np.repeat(np.arange(10), 30)
    held = 0
    for _ in range(200):
        right = rng.random(300) < rng.beta(true * 19, (1 - true) * 19, 10)[cluster]
        accepted = rng.random(300) < np.where(right, *judge)
        drawn = np.isin(np.arange(300), rng.choice(300, 20, replace=False))
        share = ppi(
            right[drawn], accepted[drawn], cluster[drawn], accepted[~drawn], cluster[~drawn], shares=True
        ).interval
        held += known(share.low) <= true <= known(share.high)
    assert held >= 184
