"""What generated memories say of a suite: bred mutants that it must kill, unusual ones that it must let pass."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from memgauge.records import Verdict
from memgauge.studies.golden.breeding.bred import breed
from memgauge.studies.golden.breeding.equivalence import judged
from memgauge.studies.golden.breeding.trial import EQUIVALENT, HARD, SURVIVES, put_all_to_trial
from memgauge.studies.golden.matrix import spread, trusting
from memgauge.studies.golden.programs import programs
from memgauge.studies.golden.runner import run_scenario
from memgauge.systems.reference.ideal import Ideal
from memgauge.systems.reference.named import REFERENCES
from memgauge.systems.reference.unusual import UNUSUAL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.studies.golden.breeding.bred import Bred
    from memgauge.studies.golden.breeding.trial import BredRow
    from memgauge.studies.golden.runner import Factory, Options
    from memgauge.studies.golden.scenario import Scenario

ENOUGH = 0.97
"""The share of bred mutants that must be killed by a scenario with a hard gate."""
RIGHT: Mapping[str, Factory] = {"ideal": Ideal, **REFERENCES}
"""Memories that are right, of four makes."""
_FINE = frozenset({str(Verdict.PASS), str(Verdict.UNSUPPORTED)})


@dataclass(frozen=True)
class UnusualRow:
    """What a suite finds fault with in a memory that is right."""

    memory: str
    passed: int
    unsupported: int
    alarms: tuple[str, ...] = ()
    """Scenarios with a hard gate that do not pass."""
    first: str = ""
    """What the first of them says."""


@dataclass(frozen=True)
class Generated:
    """What became of everything that was generated."""

    seed: int
    mutants: tuple[BredRow, ...] = ()
    unusual: tuple[UnusualRow, ...] = ()

    @property
    def counted(self) -> tuple[BredRow, ...]:
        """The mutants that are any: those that differ from what they were bred from."""
        return tuple(row for row in self.mutants if row.fate != EQUIVALENT)

    @property
    def survivors(self) -> tuple[BredRow, ...]:
        """Mutants that no scenario with a hard gate notices."""
        return tuple(row for row in self.counted if row.fate != HARD)

    @property
    def killed_hard(self) -> float | None:
        """The share that is killed by a scenario with a hard gate; ``None`` of none."""
        return 1 - len(self.survivors) / len(self.counted) if self.counted else None

    @property
    def alarms(self) -> int:
        """How often a suite finds fault with what is right."""
        return sum(len(row.alarms) for row in self.unusual)

    def shares(self, by: str) -> Mapping[str, tuple[int, int, int]]:
        """Count the mutants, those killed hard and those killed at all, by an attribute of theirs."""
        groups: dict[str, list[BredRow]] = defaultdict(list)
        for row in self.counted:
            groups[getattr(row, by)].append(row)
        return {
            name: (
                len(rows),
                sum(row.fate == HARD for row in rows),
                sum(row.fate != SURVIVES for row in rows),
            )
            for name, rows in sorted(groups.items())
        }

    def errors(self) -> tuple[str, ...]:
        """Say everything for which a suite is not to be trusted."""
        few = self.killed_hard is not None and self.killed_hard < ENOUGH
        killed = f"{len(self.counted) - len(self.survivors)} of {len(self.counted)}"
        return (
            *((f"{killed} bred mutants are killed hard; it takes {ENOUGH:.0%}",) if few else ()),
            *(f"{row.memory} is right, and {alarm} does not pass" for row in self.unusual for alarm in row.alarms),
        )


def generate(
    scenarios: Sequence[Scenario], *, count: int, seed: int, workers: int = 1, options: Options | None = None
) -> Generated:
    """Put *count* mutants, bred by *seed*, and every unusual memory before *scenarios*."""
    mutants = {mutant.name: mutant for mutant in breed(seed, count)}
    rows = put_all_to_trial(list(mutants.values()), scenarios, workers=workers, options=options)
    doubtful = [(row, mutants[row.name]) for row in rows if row.fate == SURVIVES]
    proven = {row.name: row for row in spread(_proven, doubtful, workers, 2)}
    return Generated(
        seed,
        tuple(proven.get(row.name, row) for row in rows),
        tuple(play_unusual(scenarios, workers=workers, options=options)),
    )


def play_unusual(
    scenarios: Sequence[Scenario], *, workers: int = 1, options: Options | None = None
) -> list[UnusualRow]:
    """Play every scenario on every unusual memory."""
    work = partial(_played, scenarios=list(scenarios), options=trusting(options))
    return list(spread(work, list(UNUSUAL), workers, 1))


def false_alarms(memories: Mapping[str, Factory], count: int, seed: int = 0) -> Mapping[str, tuple[str, ...]]:
    """Put memories that are right through *count* random programs each; return what was found wrong, by memory."""
    alarms: dict[str, list[str]] = {name: [] for name in memories}
    for number, program in enumerate(islice(programs(seed), count)):
        for name, factory in memories.items():
            ended = run_scenario(program, factory, trusting())
            if ended.verdict not in _FINE:
                alarms[name].append(f"program {seed}-{number}: {ended.verdict}: {ended.detail}")
    return {name: tuple(reasons) for name, reasons in alarms.items()}


def _proven(doubtful: tuple[BredRow, Bred]) -> BredRow:
    return judged(*doubtful)


def _played(name: str, scenarios: Sequence[Scenario], options: Options) -> UnusualRow:
    row = UnusualRow(name, 0, 0)
    for scenario in scenarios:
        ended = run_scenario(scenario, UNUSUAL[name], options)
        if ended.verdict in _FINE:
            passed = ended.verdict == Verdict.PASS
            row = replace(row, passed=row.passed + passed, unsupported=row.unsupported + (not passed))
        elif scenario.gate == "hard":
            row = replace(row, alarms=(*row.alarms, scenario.id), first=row.first or ended.detail)
    return row
