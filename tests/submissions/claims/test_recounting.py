"""What published rows give when they are added up again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.stats.proportion import wilson
from memgauge.submissions.claims.recounting import recounted
from support.claims import claimed


def test_total_is_weighted_by_questions() -> None:
    """Categories count by their questions: 808, 257, 288 and 68 of 1,540 are 92.27 %, with Wilson's interval."""
    counts = {"single": (841, 808), "multi": (282, 257), "temporal": (321, 288), "open": (96, 68)}
    rows = [{"name": name, "questions": n, "right": right} for name, (n, right) in counts.items()]
    recount = recounted(claimed("92.27", rows))
    assert recount is not None
    assert recount.value == wilson(1421, 1540)
    assert recount.by == "questions"
    assert recount.slack == 0


def test_printed_share_that_only_one_count_gives_is_that_count() -> None:
    """87.87 % of 841 can only be 739 questions, so that nothing is lost by rounding."""
    recount = recounted(claimed("87.9", [{"name": "single", "questions": 841, "share": "87.87"}]))
    assert recount is not None
    assert recount.value.mean == 739 / 841
    assert recount.slack == 0


def test_share_that_no_count_gives_keeps_its_rounding() -> None:
    """67.1 % of 10 questions is no count of them, so it stays as printed, give or take its last digit."""
    recount = recounted(claimed("67.1", [{"name": "all", "questions": 10, "share": "67.1"}]))
    assert recount is not None
    assert recount.value.mean == pytest.approx(0.671)
    assert recount.slack == pytest.approx(0.0005)


def test_answers_judged_several_times_count_by_parts() -> None:
    """With three verdicts an answer, 67 % of 100 questions is 201 of 300 verdicts."""
    recount = recounted(claimed("67", [{"name": "all", "questions": 100, "share": "67.00"}], repeats=3))
    assert recount is not None
    assert recount.value.mean == 0.67
    assert recount.slack == 0


def test_conversations_are_what_was_sampled() -> None:
    """Ten conversations that differ give a wider interval than as many questions would."""
    rows = [{"name": f"conv-{n}", "questions": 20, "right": 4 + 2 * (n % 6)} for n in range(10)]
    recount = recounted(claimed("50.0", rows, kind="conversations"))
    by_question = wilson(sum(row["right"] for row in rows), 200)  # type: ignore[misc] # counts
    assert recount is not None
    assert recount.by == "conversations"
    assert recount.value.high - recount.value.low > by_question.high - by_question.low  # type: ignore[operator] # defined


def test_one_conversation_is_counted_by_its_questions() -> None:
    """One conversation cannot say how much conversations differ, and the interval says that it is of questions."""
    recount = recounted(
        claimed("80.3", [{"name": "conv-1", "questions": 152, "right": 122}], kind="conversations")
    )
    assert recount is not None
    assert recount.by == "questions"
    assert recount.value == wilson(122, 152)


def test_runs_ask_the_same_questions_again() -> None:
    """Ten runs of 1,540 questions are 1,540 questions and not 15,400."""
    rows = [{"name": f"run {n}", "questions": 1540, "right": 1230 + n} for n in range(10)]
    recount = recounted(claimed("80.2", rows, kind="runs"))
    assert recount is not None
    assert recount.value.n == 1540
    assert recount.value.mean == pytest.approx((1230 + 4.5) / 1540)


def test_failed_questions_are_counted_both_ways() -> None:
    """What was left out since it failed is said, and counted as wrong beside."""
    recount = recounted(claimed("90.0", [{"name": "all", "questions": 100, "right": 90, "unscored": 20}]))
    assert recount is not None
    assert recount.value == wilson(90, 100)
    assert recount.with_failures == wilson(90, 120)
    assert recount.unscored == 20


def test_nothing_comes_of_no_rows() -> None:
    """A number without rows is not computed."""
    assert recounted(claimed()) is None


@given(st.lists(st.tuples(st.integers(1, 900), st.floats(0, 1)), min_size=1, max_size=8))
def test_counts_that_are_printed_with_enough_digits_come_back(categories: list[tuple[int, float]]) -> None:
    """Whole counts that are printed as percent with two digits are found again, so that the total is exact."""
    counts = [(n, round(n * share)) for n, share in categories]
    rows = [{"name": str(at), "questions": n, "share": f"{100 * k / n:.2f}"} for at, (n, k) in enumerate(counts)]
    recount = recounted(claimed("1", rows))
    assert recount is not None
    assert recount.value.mean == pytest.approx(sum(k for _, k in counts) / sum(n for n, _ in counts), abs=1e-12)
    assert recount.slack == 0
