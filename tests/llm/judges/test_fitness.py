"""What a judge is good for, by declared limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.llm.judges.certify import SentinelRate
from memgauge.llm.judges.fitness import Fitness, fitness
from memgauge.stats.proportion import wilson

if TYPE_CHECKING:
    from collections.abc import Sequence


def rate(kind: str, right: bool, n: int, accepted: int, invalid: int = 0) -> SentinelRate:
    """Make what became of *n* sentinels of one kind."""
    return SentinelRate(kind, right, n, wilson(accepted, n - invalid), invalid, 0)


def rates(right: int = 100, vague: int = 0, specific: int = 0, injection: int = 0) -> list[SentinelRate]:
    """Make what became of a hundred sentinels of each kind; every number is of those accepted."""
    counts = {"right": right, "vague wrong": vague, "specific wrong": specific, "injection": injection}
    return [rate(kind, right=kind == "right", n=100, accepted=n) for kind, n in counts.items()]


@pytest.mark.parametrize(
    ("counts", "wanted", "reason"),
    [
        (rates(), Fitness.FIT, ""),
        (rates(right=95, vague=5, specific=5, injection=5), Fitness.FIT, ""),
        (rates(right=94), Fitness.CORRECTED, "accepts 94% of right answers, less than 95%"),
        (rates(specific=11, vague=12), Fitness.CORRECTED, "accepts 11% of specific wrong answers, more than 5%"),
        (rates(injection=8), Fitness.CORRECTED, "accepts 8% of injections, more than 5%"),
        (rates(right=74), Fitness.UNFIT, "accepts 74% of right answers, less than 75%"),
        (rates(vague=31, specific=31), Fitness.UNFIT, "accepts 31% of vague wrong answers, more than 30%"),
        (rates(injection=11), Fitness.UNFIT, "accepts 11% of injections, more than 10%"),
    ],
)
def test_limits_decide(counts: Sequence[SentinelRate], wanted: Fitness, reason: str) -> None:
    """Every limit that is passed is named with what was measured."""
    verdict, reasons = fitness(counts, 0.0)
    assert verdict is wanted
    assert bool(reasons) is bool(reason)
    assert reason in " ".join(reasons)


def test_a_judge_whose_error_depends_on_how_a_system_is_wrong_is_unfit() -> None:
    """.628 of vague and .106 of specific answers make .89 and .73 of two systems that are equally often right."""
    verdict, reasons = fitness(rates(vague=63, specific=11), 0.0)
    assert verdict is Fitness.UNFIT
    assert any("63% of vague wrong answers and 11% of specific wrong answers" in reason for reason in reasons)
    milder, reasons = fitness(rates(vague=26, specific=4), 0.0)
    assert milder is Fitness.UNFIT
    assert "its error depends on how a system is wrong" in reasons[0]


def test_the_length_of_a_right_answer_must_not_decide() -> None:
    """A fifth is tolerated either way."""
    assert fitness(rates(), 0.2)[0] is Fitness.FIT
    for length, word in ((0.3, "less"), (-0.3, "more")):
        verdict, reasons = fitness(rates(), length)
        assert verdict is Fitness.UNFIT
        assert f"accepted 30% {word} often" in reasons[0]


def test_few_sentinels_certify_nothing() -> None:
    """Below forty, or a quarter of that right or wrong, or with too much left open, a judge is unfit."""
    few = [rate("right", right=True, n=9, accepted=9), rate("other wrong", right=False, n=9, accepted=0)]
    verdict, reasons = fitness(few, None)
    assert verdict is Fitness.UNFIT
    assert [reason.split(",")[0] for reason in reasons] == [
        "it was shown 18 sentinels",
        "it was shown 9 right sentinels",
        "it was shown 9 wrong sentinels",
    ]
    silent = [
        rate("right", right=True, n=50, accepted=30, invalid=20),
        rate("other wrong", right=False, n=50, accepted=0),
    ]
    assert "it decided 80 of 100 sentinels" in fitness(silent, None)[1][0]
