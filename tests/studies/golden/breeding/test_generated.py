"""What generated memories say of a suite, and the freeze that makes it an honest figure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memgauge.studies.golden.breeding.bred import breed
from memgauge.studies.golden.breeding.frozen import Freeze, freeze, frozen, hashes
from memgauge.studies.golden.breeding.generated import RIGHT, Generated, UnusualRow, false_alarms
from memgauge.studies.golden.breeding.trial import EQUIVALENT, HARD, SOFT, SURVIVES, BredRow, put_all_to_trial
from memgauge.suites import paths
from support.golden import shipped_scenarios

if TYPE_CHECKING:
    from pathlib import Path

ROW = BredRow("graph/search/cache#1", "graph", "cache", "currency", "says", HARD)


def test_the_suites_are_those_that_were_frozen() -> None:
    """Whoever changes a suite freezes it again: python -m memgauge.studies.golden.breeding.frozen."""
    assert frozen().suites == hashes(paths())


def test_a_freeze_is_read_as_it_was_written(tmp_path: Path) -> None:
    """The date, the seed and every hash come back."""
    file = tmp_path / "frozen.toml"
    written: Freeze = freeze("2026-11-23", 17)
    file.write_text(written.as_toml(), "utf-8")
    assert frozen(file) == written


def test_what_is_equivalent_does_not_count() -> None:
    """The share is of those that differ; a soft kill is none."""
    rows = [replace(ROW, fate=fate) for fate in (HARD, HARD, HARD, SOFT, SURVIVES, EQUIVALENT)]
    generated = Generated(1, tuple(rows))
    assert generated.killed_hard == 0.6
    assert generated.shares("operator") == {"cache": (5, 3, 4)}
    assert len(generated.survivors) == 2
    assert "3 of 5 bred mutants are killed hard" in generated.errors()[0]
    assert Generated(1).killed_hard is None


def test_a_false_alarm_is_an_error() -> None:
    """A memory that is right and does not pass speaks against the suite."""
    generated = Generated(1, (ROW,), (UnusualRow("triples", 3, 0, ("seed.deadline.corrected",), "why"),))
    assert generated.alarms == 1
    assert generated.errors() == ("triples is right, and seed.deadline.corrected does not pass",)


def test_the_suite_kills_what_is_bred_here_and_in_workers_alike() -> None:
    """Most of a few mutants fall to scenarios with a hard gate, each at the first that sees it."""
    scenarios = [s for s in shipped_scenarios() if s.family in {"seed", "erasure"}][::3]
    mutants = [mutant for mutant in breed(2, 60) if mutant.operator in {"erase-some", "no-op", "misquote"}]
    rows = put_all_to_trial(mutants, scenarios)
    assert [row.name for row in rows] == [mutant.name for mutant in mutants]
    assert sum(row.fate == HARD for row in rows) * 2 >= len(rows)
    assert all(row.killed_by and row.anomalies for row in rows if row.fate == HARD)


def test_random_programs_find_nothing_wrong_with_what_is_right() -> None:
    """No program fails on any of the four references."""
    assert not any(false_alarms(RIGHT, 6).values())
