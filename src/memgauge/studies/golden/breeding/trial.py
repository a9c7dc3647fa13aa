"""The trial: bred mutants before the suite, each until the first scenario with a hard gate notices it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from memgauge.studies.golden.contents import turns_in
from memgauge.studies.golden.matrix import NOTICED, spread, trusting
from memgauge.studies.golden.runner import run_scenario

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.studies.golden.breeding.bred import Bred
    from memgauge.studies.golden.runner import Options
    from memgauge.studies.golden.scenario import Scenario

HARD, SOFT, SURVIVES, EQUIVALENT = "killed hard", "killed soft", "survives", "equivalent"
FAMILIES: Mapping[str, tuple[str, ...]] = {
    "identity": ("isolation", "production"),
    "resurrection": ("erasure", "persistence"),
    "hiding": ("erasure", "isolation", "integrity"),
    "meaning": ("currency", "abstention", "coexistence"),
    "time": ("history", "currency", "abstention"),
    "currency": ("currency", "history"),
    "provenance": ("integrity", "abstention"),
    "volume": ("robustness", "persistence"),
    "history": ("robustness", "history"),
    "api": ("erasure", "history"),
}
"""Where a class of failures is likely to be noticed, so that kills come early; what is noticed does not follow."""


@dataclass(frozen=True)
class BredRow:
    """What became of one mutant."""

    name: str
    reference: str
    operator: str
    group: str
    says: str
    fate: str
    killed_by: str = ""
    anomalies: tuple[str, ...] = ()
    reason: str = ""
    """Of a survivor, the first call by which it differs from what it was bred from, or that none does."""


def ordered(scenarios: Sequence[Scenario], group: str) -> list[Scenario]:
    """Put first what gates hard, then what is short, then the families of a class, a scenario of each in turn."""
    wanted, places, ranked = {group, *FAMILIES.get(group, ())}, dict[str, int](), []
    for scenario in scenarios:
        places[scenario.family] = place = places.get(scenario.family, 0) + 1
        size = sum(map(turns_in, scenario.steps))
        length = (size > 60) + (size > 400)
        ranked.append(
            (scenario.gate != "hard", length, place // 3 + 8 * (scenario.family not in wanted), scenario)
        )
    return [scenario for *_, scenario in sorted(ranked, key=lambda row: row[:3])]


def put_to_trial(mutant: Bred, scenarios: Sequence[Scenario], options: Options | None = None) -> BredRow:
    """Play scenarios on a mutant until one with a hard gate notices it; those with a soft gate come last."""
    options, operator = options or trusting(), mutant.operator
    row = BredRow(mutant.name, mutant.reference, operator, mutant.group, mutant.says, SURVIVES)
    for scenario in ordered(scenarios, mutant.group):
        result = run_scenario(scenario, mutant, options)
        if result.verdict in NOTICED:
            fate = HARD if scenario.gate == "hard" else SOFT
            return replace(row, fate=fate, killed_by=scenario.id, anomalies=tuple(map(str, result.anomalies)))
    return row


def put_all_to_trial(
    mutants: Sequence[Bred], scenarios: Sequence[Scenario], *, workers: int = 1, options: Options | None = None
) -> tuple[BredRow, ...]:
    """Put mutants to trial, here or in worker processes."""
    strict = [scenario.model_copy(update={"expected_failure": None}) for scenario in scenarios]
    work = partial(put_to_trial, scenarios=strict, options=trusting(options))
    return tuple(spread(work, list(mutants), workers, 4))
