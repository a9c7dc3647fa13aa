"""The history: a row for every case and layer, appended, read back, and never moved by itself."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError, MalformedDataError
from memgauge.studies.golden.history import (
    HISTORY,
    WHOLE,
    AcceptedBaseline,
    CaseRecord,
    History,
    HistoryRun,
    accept,
    read_history,
    rows_of,
    segments,
)
from memgauge.studies.golden.suite_run import run_suites
from support.golden import loaded

if TYPE_CHECKING:
    from pathlib import Path

MONDAY, TUESDAY = "2026-11-02T06:00:00+00:00", "2026-11-03T06:00:00+00:00"


def history(tmp_path: Path, *refs: str) -> Path:
    """Record a run of each memory."""
    path = tmp_path / "golden" / "history.jsonl"
    for ref in refs:
        HISTORY.append(path, rows_of(run_suites(loaded(tmp_path), ref), MONDAY, build="a1b2c3"))
    return path


def test_a_row_is_a_case_at_a_layer(tmp_path: Path) -> None:
    """Verdict and anomaly stand at the layer that broke; other layers of the same case pass."""
    rows = rows_of(run_suites(loaded(tmp_path), "mutant:append-only"), MONDAY)
    seen = {(row.case, row.layer): (row.verdict, row.anomaly) for row in rows}
    assert seen["persistence.next", "recall"] == ("pass", "")
    broken = {layer for case, layer in seen if case == "mutation.deadline" and seen[case, layer][0] == "fail"}
    assert broken
    assert {seen["mutation.deadline", layer][1] for layer in broken} == {"MIXED_VERSIONS"}
    assert {layer for case, layer in seen if case == "isolation.other"} == {"recall", "context", "answer"}
    lacking = rows_of(run_suites(loaded(tmp_path), "bm25"), MONDAY)
    assert {(row.layer, row.verdict) for row in lacking if row.case == "durability.restart"} == {
        ("recall", "unsupported")
    }
    assert {row.layer for row in lacking} == {"recall"}
    unseen = rows_of(run_suites(loaded(tmp_path), "bm25", families=["mutation"]), MONDAY)
    assert WHOLE not in {row.layer for row in unseen}


def test_what_is_appended_is_read_back(tmp_path: Path) -> None:
    """The same rows, run by run, with everything that tells one state of the memory from another."""
    path = history(tmp_path, "bm25")
    report = run_suites(loaded(tmp_path), "bm25")
    HISTORY.append(path, rows_of(report, TUESDAY, build="d4e5f6"))
    found = read_history(path)
    assert [run.rows for run in found.runs][1] == tuple(rows_of(report, TUESDAY, build="d4e5f6"))
    first, second = found.runs
    assert first.id != second.id
    assert first.fingerprint != second.fingerprint
    assert (first.suites, first.rows[0].sha256) == (("small 1.0.0",), report.suites[0].sha256)
    assert first.rate() == (0.4, 5)
    assert first.cases()["durability.restart"] is None
    assert found.families() == ("isolation", "mutation", "persistence")
    assert found.baseline is None


def test_a_baseline_is_somebodys_decision(tmp_path: Path) -> None:
    """By whom and why is kept; the last decision counts; without them there is none."""
    path = history(tmp_path, "bm25")
    HISTORY.append(path, rows_of(run_suites(loaded(tmp_path), "bm25"), TUESDAY))
    first, second = (run.id for run in read_history(path).runs)
    HISTORY.append(path, [accept(read_history(path), first, "Ada", "as released", MONDAY)])
    HISTORY.append(path, [accept(read_history(path), "", "Ada", "new tokenizer", TUESDAY)])
    found = read_history(path)
    assert found.accepted == (
        AcceptedBaseline(first, "Ada", "as released", MONDAY),
        AcceptedBaseline(second, "Ada", "new tokenizer", TUESDAY),
    )
    assert found.baseline is not None
    assert found.baseline.id == second
    with pytest.raises(ConfigError, match="There is no run 'nope'"):
        accept(found, "nope", "Ada", "because", MONDAY)
    with pytest.raises(ConfigError, match="needs a name and a reason"):
        accept(found, "", " ", "because", MONDAY)
    with pytest.raises(ConfigError, match="There are none"):
        accept(History(()), "", "Ada", "because", MONDAY)


def test_a_history_of_several_memories_wants_one_named(tmp_path: Path) -> None:
    """Each has runs and baselines of its own."""
    path = history(tmp_path, "bm25", "ideal")
    with pytest.raises(ConfigError, match="--system bm25"):
        read_history(path)
    with pytest.raises(ConfigError, match="It knows bm25, ideal"):
        read_history(path, "tfidf")
    (run,) = read_history(path, "ideal").runs
    assert run.rate() == (1.0, 6)


def test_a_file_that_is_no_history_is_named_by_line(tmp_path: Path) -> None:
    """A missing file, half a line, a foreign one, and one with another type."""
    with pytest.raises(ConfigError, match="golden run --history"):
        read_history(tmp_path / "nothing.jsonl")
    path = history(tmp_path, "bm25")
    good = path.read_text()
    first = json.loads(good.splitlines()[0])
    wrong = json.dumps({**first, "value": {**first["value"], "seed": 0}})
    for line in ('{"run": "a', '{"other": 1}', "[]", wrong):
        path.write_text(good + line + "\n")
        with pytest.raises(MalformedDataError, match=rf"history.jsonl:{len(good.splitlines()) + 1}:"):
            read_history(path)
    path.write_text(good + "\n\n")
    assert len(read_history(path).runs) == 1


def test_runs_under_one_version_of_a_suite_belong_together() -> None:
    """Another version begins another stretch."""
    row = CaseRecord(
        "1", MONDAY, "m", "f", "", "0", "small 1.0.0", "x", "case", "c", "family", "hard", "recall", "pass"
    )
    runs = [
        HistoryRun((replace(row, run=str(n), suite=f"small 1.{version}.0"),))
        for n, version in enumerate((0, 0, 1, 1))
    ]
    assert [[run.id for run in stretch] for stretch in segments(runs)] == [["0", "1"], ["2", "3"]]
    assert list(segments([])) == []
