"""The figures of this study, computed again: what the suite is worth, on memories that everybody has."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from memgauge.records import Verdict
from memgauge.studies.golden.breeding.frozen import frozen
from memgauge.studies.golden.breeding.generated import RIGHT, Generated, false_alarms
from memgauge.studies.golden.loading import load_suites
from memgauge.studies.golden.machine import kill_rate
from memgauge.studies.golden.selftest import selftest
from memgauge.studies.golden.suite_run import run_suites
from memgauge.suites import paths
from memgauge.systems.reference.mutants import MUTANTS
from memgauge.systems.reference.unusual import UNUSUAL

if TYPE_CHECKING:
    from collections.abc import Mapping


SEED = "seed"
"""The family of the document's own scenario."""
PROGRAMS, BUDGET_S = 300, 40
"""What the state machine may take here, in seconds of one core, so that a busy machine changes no figure."""
BRED = 330
"""Mutants that are bred, by the seed that was drawn after the freeze; the equivalent ones do not count."""
PROGRAMS_EACH = 1_250
"""Random programs for each of eight memories that are right: ten thousand in all."""
_SAMPLE = ("paraphrasing", "fresh-ids", "one-document", "deduplicated")


def golden() -> Mapping[str, float]:
    """Count scenarios and kills, with a state machine on a small budget."""
    loaded = load_suites(paths())
    tested = selftest(loaded, workers=os.cpu_count() or 1, bred=BRED, seed=frozen().seed)
    generated = tested.generated or Generated(0)
    programs = false_alarms({**RIGHT, **{name: UNUSUAL[name] for name in _SAMPLE}}, PROGRAMS_EACH)
    seeds = {scenario.id for suite in loaded for scenario in suite.suite.scenarios if scenario.family == SEED}
    killed = [row for row in tested.mutants if row.killed_by]
    random = kill_rate(MUTANTS, BUDGET_S, count=PROGRAMS, clock=time.process_time)
    bm25 = run_suites(loaded, "bm25")
    return {
        "scenarios": float(tested.scenarios),
        "oracle_pass": float(tested.oracle.passed),
        "oracle_vacuous": float(tested.oracle.vacuous),
        "oracle_unsupported": float(tested.oracle.unsupported),
        "mutants": float(len(tested.mutants)),
        "mutation_score": tested.score,
        "mutants_killed_hard": float(sum(row.hard_kills > 0 for row in tested.mutants)),
        "grader_changes_unnoticed": float(len(tested.survivors)),
        "statemachine_kill_rate": random.rate or 0.0,
        "seed_scenario_kills": float(sum(bool(seeds & set(row.killed_by)) for row in killed)),
        "bm25_pass": float(bm25.counts[str(Verdict.PASS)]),
        "generated_mutants": float(len(generated.counted)),
        "generated_killed_hard": generated.killed_hard or 0.0,
        "unusual_memories": float(len(generated.unusual)),
        "unusual_false_alarms": float(generated.alarms),
        "program_false_alarms": float(sum(map(len, programs.values()))),
    }
