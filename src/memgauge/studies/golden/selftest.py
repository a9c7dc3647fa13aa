"""The self-test: proof that a suite passes what is right and can fail what is wrong.

Four questions: does the ideal memory pass, is every mutant killed, is every claim to kill true, and is it noticed
when what is expected is changed by one step.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from memgauge.records import Verdict
from memgauge.studies.golden.breeding.generated import Generated, generate
from memgauge.studies.golden.contents import is_long
from memgauge.studies.golden.matrix import Matrix, run_matrix, spread, trusting
from memgauge.studies.golden.tampering import changes, play_tampered
from memgauge.systems.reference.ideal import Ideal
from memgauge.systems.reference.mutants import CALIBRATION, MUTANTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memgauge.studies.golden.loading import Loaded
    from memgauge.studies.golden.runner import Options
    from memgauge.studies.golden.scenario import Scenario
    from memgauge.systems.reference.mutants.mutant import Mutant

ORACLE = "ideal"
NEEDED, NEEDED_HARD = 2, 1
"""How many scenarios must kill a mutant, and how many of them with a hard gate."""


@dataclass(frozen=True)
class CalibrationRow:
    """How many scenarios end how on one reference memory."""

    memory: str
    n: int
    passed: int
    failed: int
    vacuous: int
    unsupported: int
    error: int
    not_passed: tuple[str, ...] = ()
    """The scenarios that did not pass."""


@dataclass(frozen=True)
class MutantRow:
    """Which scenarios notice one mutant."""

    name: str
    family: str
    killed_by: tuple[str, ...]
    hard_kills: int
    """How many of them have a hard gate."""
    anomalies: tuple[str, ...]
    expected: tuple[str, ...] = ()
    """The anomalies that the mutant was made to cause; one of them has to be among those found."""

    @property
    def weakness(self) -> str:
        """Say what its kills lack; empty where nothing does."""
        if not self.killed_by:
            return f"{self.name} survives: no scenario sees {' or '.join(self.expected)}"
        if len(self.killed_by) < NEEDED or self.hard_kills < NEEDED_HARD:
            kills = f"{len(self.killed_by)} scenarios, {self.hard_kills} of them hard"
            return f"{self.name} is killed by {kills}; it takes {NEEDED}, {NEEDED_HARD} of them hard"
        if not set(self.expected) & set(self.anomalies):
            return f"{self.name} is killed as {', '.join(self.anomalies)}, never as {' or '.join(self.expected)}"
        return ""


@dataclass(frozen=True)
class GraderRow:
    """Whether the grader noticed that one expectation was changed."""

    scenario: str
    change: str
    caught: bool
    anomalies: tuple[str, ...] = ()


@dataclass(frozen=True)
class Selftest:
    """What a suite is worth."""

    scenarios: int
    oracle: CalibrationRow
    mutants: tuple[MutantRow, ...]
    score: float
    """The share of mutants that are killed by any scenario."""
    score_by_family: Mapping[str, float]
    calibration: tuple[CalibrationRow, ...]
    grader: tuple[GraderRow, ...]
    claims: tuple[str, ...] = ()
    """Claims to kill a mutant that are not true."""
    broken: tuple[str, ...] = ()
    """Scenarios that could not be read."""
    generated: Generated | None = None
    """Mutants that were bred, and unusual memories; ``None`` where none were asked for."""
    matrix: Matrix = field(default_factory=lambda: Matrix(()), repr=False)

    @property
    def survivors(self) -> tuple[str, ...]:
        """Name the changes that the grader did not notice."""
        return tuple(f"{row.scenario}: {row.change}" for row in self.grader if not row.caught)

    def errors(self) -> tuple[str, ...]:
        """Say everything for which the suite is not to be trusted."""
        return (
            *self.broken,
            *(f"{name} does not pass on the ideal memory" for name in self.oracle.not_passed),
            *(row.weakness for row in self.mutants if row.weakness),
            *self.claims,
            *(f"{change}, and the grader does not notice" for change in self.survivors),
            *(self.generated.errors() if self.generated else ()),
        )

    @property
    def ok(self) -> bool:
        """Whether the suite is to be trusted."""
        return self.scenarios > 0 and not self.errors()


def selftest(
    suites: Sequence[Loaded],
    *,
    workers: int = 1,
    options: Options | None = None,
    mutants: Mapping[str, type[Mutant]] = MUTANTS,
    bred: int = 0,
    seed: int = 0,
) -> Selftest:
    """Test *suites* themselves.

    *mutants* are what must be killed. So many mutants are *bred* besides; with any, unusual memories are played
    too. Time is never limited, because reference memories return.
    """
    scenarios = [scenario for suite in suites for scenario in suite.suite.scenarios]
    options = trusting(options)
    matrix = _played(scenarios, mutants, workers, options)
    calibration = tuple(_calibrated(matrix, memory) for memory in CALIBRATION)
    hard = {scenario.id for scenario in scenarios if scenario.gate == "hard"}
    rows = tuple(_mutant(matrix, mutant, hard) for mutant in mutants.values())
    families = (row.family for row in rows)
    passing = {cell.scenario for cell in matrix.row(ORACLE) if cell.verdict == Verdict.PASS}
    audited = [scenario for scenario in scenarios if scenario.id in passing and not _is_long(scenario)]
    audits = spread(partial(audit_grader, seed=options.seed), audited, workers, 8)
    return Selftest(
        len(scenarios),
        calibration[0],
        rows,
        _score(rows),
        {family: _score(row for row in rows if row.family == family) for family in dict.fromkeys(families)},
        calibration,
        tuple(row for audit in audits for row in audit),
        tuple(_untrue(scenarios, rows, mutants)),
        tuple(problem for suite in suites for problem in suite.broken),
        generate(scenarios, count=bred, seed=seed, workers=workers, options=options) if bred else None,
        matrix,
    )


def _is_long(scenario: Scenario) -> bool:
    """Whether a scenario is long, and names no mutant that it must kill."""
    return not scenario.kills and is_long(scenario)


def _played(
    scenarios: Sequence[Scenario], mutants: Mapping[str, type[Mutant]], workers: int, options: Options
) -> Matrix:
    """Play all on the calibration, on mutants what is short, and what is long on those that survive that."""
    short = [scenario for scenario in scenarios if not _is_long(scenario)]
    hard = {scenario.id for scenario in scenarios if scenario.gate == "hard"}
    matrix = run_matrix(short, {**CALIBRATION, **mutants}, workers=workers, options=options)
    alive = {name: mutant for name, mutant in mutants.items() if _mutant(matrix, mutant, hard).weakness}
    long = [scenario for scenario in scenarios if _is_long(scenario)]
    late = run_matrix(long, {**CALIBRATION, **alive}, workers=workers, options=options)
    return Matrix((*matrix.cells, *late.cells))


def audit_grader(scenario: Scenario, *, seed: str = "0") -> tuple[GraderRow, ...]:
    """Change every expectation of *scenario* by one step; a memory that is right must then be found fault with.

    A change of what is never looked at is left out; where that leaves none, the scenario expects nothing.
    """
    straight = play_tampered(scenario, Ideal(), seed)
    rows = []
    for change in changes(scenario):
        outcome = play_tampered(scenario, Ideal(), seed, change)
        if change.wants or outcome.expected != straight.expected:
            noticed = outcome.anomalies & change.wants if change.wants else outcome.anomalies
            rows.append(GraderRow(scenario.id, change.name, bool(noticed), tuple(sorted(outcome.anomalies))))
    return tuple(rows) or (GraderRow(scenario.id, "nothing is expected that could be changed", caught=False),)


def _calibrated(matrix: Matrix, memory: str) -> CalibrationRow:
    cells = matrix.row(memory)
    ends = Counter(cell.verdict for cell in cells)
    return CalibrationRow(
        memory,
        len(cells),
        ends[Verdict.PASS],
        sum(cell.noticed for cell in cells),
        ends[Verdict.VACUOUS],
        ends[Verdict.UNSUPPORTED],
        ends[Verdict.ERROR],
        tuple(cell.scenario for cell in cells if cell.verdict != Verdict.PASS),
    )


def _mutant(matrix: Matrix, mutant: type[Mutant], hard: set[str]) -> MutantRow:
    kills = [cell for cell in matrix.row(mutant.how) if cell.noticed]
    killers = tuple(cell.scenario for cell in kills)
    anomalies = sorted({anomaly for cell in kills for anomaly in cell.anomalies})
    return MutantRow(mutant.how, mutant.family, killers, len(hard & set(killers)), tuple(anomalies), mutant.breaks)


def _untrue(
    scenarios: Iterable[Scenario], rows: Iterable[MutantRow], mutants: Mapping[str, type[Mutant]]
) -> Iterable[str]:
    killed_by = {row.name: set(row.killed_by) for row in rows}
    for scenario in scenarios:
        for name in scenario.kills:
            if name not in mutants:
                yield f"{scenario.id} claims to kill {name}, and there is no mutant of that name"
            elif scenario.id not in killed_by[name]:
                yield f"{scenario.id} claims to kill {name} and does not"


def _score(rows: Iterable[MutantRow]) -> float:
    killed = [bool(row.killed_by) for row in rows]
    return sum(killed) / len(killed) if killed else 0.0
