"""Minimising: what a smaller scenario must still show, and what it must not."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from memgauge.studies.golden.anomalies import Anomaly
from memgauge.studies.golden.minimise import shows
from memgauge.studies.golden.scenario import Scenario
from memgauge.systems.reference.ideal import Ideal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from memgauge.records import Receipt, Scope, Turn

KEEPER = """
import sys
with open(sys.argv[1], "a") as file:
    for line in sys.stdin:
        file.write(line)
        file.flush()
        print(flush=True)
"""


@pytest.fixture
def keeper(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Start a process that is kept for all scenarios, and keeps in a file whatever it is told."""
    command = [sys.executable, "-c", KEEPER, str(tmp_path / "kept.txt")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


def test_the_ideal_memory_is_not_blamed_for_what_a_kept_process_left(keeper: subprocess.Popen[str]) -> None:
    """A product whose process outlives a scenario still shows its residue while the ideal memory passes."""

    class Kept(Ideal):
        """Tells the process everything."""

        def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
            assert keeper.stdin is not None
            assert keeper.stdout is not None
            for turn in turns:
                keeper.stdin.write(f"{turn.text}\n")
                keeper.stdin.flush()
                keeper.stdout.readline()
            return super().ingest(turns, scope)

    steps = [
        {"say": "My bank is {a}.", "sets": {"bank": "a"}},
        {"say": "My gym is {b}.", "sets": {"gym": "b"}},
        {"erase": "bank"},
        {"assert": {"residue": True}},
        {"ask": "What is my gym?", "about": "gym"},
    ]
    scenario = Scenario.model_validate({"id": "a.b", "title": "A case", "family": "a", "steps": steps})
    assert shows(Kept, Anomaly.RESIDUE)(scenario)
