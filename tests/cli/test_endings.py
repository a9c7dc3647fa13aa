"""Why calls of runs failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from memgauge.cli.endings import alike, failed_calls

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.cli import Said


def test_reasons_that_differ_in_particulars_are_one() -> None:
    """One line of code is one reason whatever it says; without a line, names and numbers do not count."""
    keys = [f"search raised KeyError: 'question {n}' (mine.py:4)" for n in range(3)]
    other = "search raised KeyError: 'question 1' (mine.py:9)"
    refused = [f"not asked: search: no server at port {n}" for n in (80, 81)]
    assert alike([other, *keys, *refused, "search: no server at port 82"]) == {
        keys[0]: 3,
        "search: no server at port 80": 3,
        other: 1,
    }


def test_searches_that_succeed_only_when_tried_again_are_told(
    memgauge: Callable[..., Said], tmp_path: Path
) -> None:
    """The end of the run, what runs cost, the board and the list of failures say how many."""
    ran = memgauge("run", "-d", "synthetic:tiny", "-s", "support.systems:Flaky", "--out", str(tmp_path), "--json")
    (ending,) = ran.data["runs"]
    assert (ending["failed_searches"], ending["retried_searches"]) == (0, 32)
    told = "32 of 32 searches succeeded only when they were tried again."
    for said in (memgauge("runs", "show", str(tmp_path)), memgauge("score", str(tmp_path))):
        assert told in " ".join(said.out.split())
    (shown,) = memgauge("runs", "show", str(tmp_path), "--json").data
    assert shown["retried_searches"] == 32
    page = tmp_path / "failures.html"
    failures = memgauge("failures", str(tmp_path), "--out", str(page))
    assert told in " ".join(failures.out.split())
    assert told in page.read_text("utf-8")
    (listed,) = memgauge("failures", str(tmp_path), "--json").data
    assert list(listed["retried"].values()) == [told]


def test_only_calls_without_a_result_failed() -> None:
    """What found nothing did not fail; of no call none failed."""
    rows = {"outcome": np.array(["ok", "empty", "error", "timeout"]), "reason": np.array(["", "", "a", "b"])}
    calls = failed_calls(rows)
    assert (calls.total, calls.failed, calls.everything) == (4, 2, False)
    assert failed_calls({"outcome": rows["outcome"][2:], "reason": rows["reason"][2:]}).everything
    assert not failed_calls({"outcome": rows["outcome"][:0], "reason": rows["reason"][:0]}).everything
