"""Drift: exact differences from what was accepted, alarms by name, and nothing absorbed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.studies.golden.drift import diff, drift, lost_in_a_row, series
from memgauge.studies.golden.history import AcceptedBaseline, CaseRecord, History, HistoryRun
from support import Later

if TYPE_CHECKING:
    from collections.abc import Sequence

scipy = Later("scipy.stats")
DAY = "2026-11-{:02d}T06:00:00+00:00"


def run(
    number: int, verdicts: str, *, suite: str = "small 1.0.0", build: str = "", content: str = "c"
) -> HistoryRun:
    """Make a run: a letter a case (pass, fail, unsupported, or - where it is absent), a family for two cases."""
    names = {"p": "pass", "f": "fail", "u": "unsupported"}
    return HistoryRun(
        tuple(
            CaseRecord(
                *(f"run{number}", DAY.format(number % 28 + 1), "memory", "print", build or str(number), "0"),
                *(suite, "sha", f"case{place}", content, f"family{place // 2}", "hard", "recall", names[letter]),
                "OMISSION" if letter == "f" else "",
            )
            for place, letter in enumerate(verdicts)
            if letter != "-"
        )
    )


def history(verdicts: Sequence[str], accepted: int | None = 0) -> History:
    """Make a history of runs in a row."""
    decisions = (
        () if accepted is None else (AcceptedBaseline(f"run{accepted}", "Ada", "as released", DAY.format(1)),)
    )
    return History(tuple(run(number, text) for number, text in enumerate(verdicts)), decisions)


def test_a_difference_names_every_case() -> None:
    """Lost, gained, still failing; what is new, gone or does not apply is not compared."""
    found = diff(run(0, "ppffpu-p"), run(1, "pfpfppp-"))
    assert (found.lost, found.gained, found.failing) == (("case1",), ("case2",), ("case3",))
    assert found.compared == 5
    assert found.uncompared == ("case5", "case6", "case7")
    assert found.test is not None
    assert found.test.p == 1
    lost = diff(run(0, "pppppppp"), run(1, "ffffffpp"))
    assert lost.test is not None
    assert lost.test.p == pytest.approx(scipy.binomtest(6, 6, 0.5).pvalue)


def test_a_case_that_says_something_else_is_not_compared() -> None:
    """Neither is one of another version of its suite."""
    changed = diff(run(0, "pp"), run(1, "ff", content="d"))
    assert (changed.compared, changed.lost, changed.test) == (0, (), None)
    assert diff(run(0, "pp"), run(1, "ff", suite="small 2.0.0")).compared == 0


def test_an_alarm_names_the_case_that_was_lost() -> None:
    """Beside the baseline exactly, and again when a stable case stays away four times."""
    steady = ["pppp"] * 6
    found = drift(history([*steady, "pppf"]))
    assert found is not None
    assert found.diff is not None
    assert found.diff.lost == ("case3",)
    assert found.lost == ()
    assert any("case3: passed in the baseline" in alarm for alarm in found.alarms)
    again = drift(history([*steady, "pppf", "pppf", "pppf", "pppf"]))
    assert again is not None
    assert again.lost == ("case3",)
    assert any("case3: was stable and was lost 4 times" in alarm for alarm in again.alarms)


def test_only_a_stable_case_can_be_lost() -> None:
    """One that often failed before, one that came back, and one with little past are not named."""
    runs = [
        run(number, text) for number, text in enumerate(["pf", "pp", "pf", "pp", "pf", "pf", "pf", "pf", "pf"])
    ]
    assert lost_in_a_row(runs) == ()
    back = [run(number, text) for number, text in enumerate(["p"] * 6 + ["f", "f", "p", "f"])]
    assert lost_in_a_row(back) == ()
    young = [run(number, text) for number, text in enumerate(["p"] * 4 + ["f"] * 4)]
    assert lost_in_a_row(young) == ()
    assert lost_in_a_row([run(number, "u") for number in range(9)]) == ()


def test_a_baseline_does_not_move_by_itself() -> None:
    """A slow slide stays visible beside it; only a decision ends the alarm."""
    slide = ["p" * 8, "p" * 8, "p" * 7 + "f", "p" * 6 + "ff", "p" * 5 + "fff", "p" * 4 + "ffff"]
    found = drift(history(slide, accepted=1))
    assert found is not None
    everything = found.series[0]
    assert everything.fell is not None
    assert everything.fell.run == "run3"
    assert any(alarm.startswith("all cases: fell below its limit with run run3") for alarm in found.alarms)
    accepted = drift(history(slide, accepted=5))
    assert accepted is not None
    assert accepted.alarms == ()
    assert accepted.baseline == accepted.last


def test_a_trend_is_a_flag_and_no_alarm() -> None:
    """Fifteen runs that fall by a case each slide without a baseline; a family that stands does not."""
    found = drift(history(["p" * (16 - n) + "f" * n for n in range(15)], accepted=None))
    assert found is not None
    assert found.diff is None
    assert any(flag.startswith("all cases: -0.06") for flag in found.flags)
    assert not any(flag.startswith("family0:") for flag in found.flags)
    assert found.notes == ("No run was accepted as the baseline yet: `memgauge study golden accept`.",)


def test_another_version_of_a_suite_is_spliced_and_not_compared() -> None:
    """Where one build was run under both, the old series is moved by what the version changed; else it ends."""
    old, new = "small 1.0.0", "small 2.0.0"
    runs = (
        run(0, "pppp", suite=old),
        run(1, "pppf", suite=old, build="bridge"),
        run(2, "ppff", suite=new, build="bridge"),
        run(3, "pfff", suite=new),
    )
    accepted = (AcceptedBaseline("run0", "Ada", "as released", DAY.format(1)),)
    found = drift(History(runs, accepted))
    assert found is not None
    assert found.diff is None
    assert "nothing is compared" in found.notes[0]
    assert found.incomparable
    points = found.series[0].points
    assert [point.rate for point in points] == pytest.approx([0.75, 0.5, 0.5, 0.25])
    assert [point.spliced for point in points] == [True, True, False, False]
    assert found.series[0].chart is None
    torn = series(History((runs[0], *runs[2:])), "", None)
    assert [point.run for point in torn.points] == ["run2", "run3"]


def test_nothing_is_said_of_nothing() -> None:
    """An empty history has no drift, and a family that was never judged has no points."""
    assert drift(History(())) is None
    found = drift(history(["u", "u"], accepted=None))
    assert found is not None
    assert found.series[0].points == ()
    assert found.series[0].trend.reason == "fewer than four values"
