"""The smallest plan that still shows a breach: fewer operations, fewer threads, while tries are left."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memgauge.studies.golden.races.rules import breaches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memgauge.studies.golden.races.operations import RacePlan
    from memgauge.studies.golden.races.record import RaceHistory
    from memgauge.studies.golden.races.rules import Breach

    Play = Callable[[RacePlan], RaceHistory]

TRIES = 8
"""How often a smaller plan is played before it counts as one that does not fail."""
BUDGET = 160
"""Plays in all."""


def smallest(history: RaceHistory, breach: Breach, play: Play, left: int = BUDGET) -> tuple[RaceHistory, Breach]:
    """Return a history of the fewest operations found that breaks the same rule, and its breach.

    At most *left* histories are played for it.
    """
    again = True
    while again:
        again = False
        for plan in _smaller(history.plan):
            tries = min(TRIES, left)
            left -= tries
            seen = _failing(plan, breach.rule, play, tries)
            if seen is not None:
                history, breach = seen
                again = True
                break
    return history, breach


def _failing(plan: RacePlan, rule: str, play: Play, tries: int) -> tuple[RaceHistory, Breach] | None:
    for _ in range(tries):
        history = play(plan)
        breach = next((each for each in breaches(history) if each.rule == rule), None)
        if breach is not None:
            return history, breach
    return None


def _smaller(plan: RacePlan) -> Iterator[RacePlan]:
    """Yield plans with a phase, a lane or an operation less; one thread alone is no race."""
    for place in range(len(plan.phases)):
        phases = plan.phases[:place] + plan.phases[place + 1 :]
        if phases:
            yield replace(plan, phases=phases)
    for place, lanes in enumerate(plan.phases):
        around = plan.phases[:place], plan.phases[place + 1 :]
        for number, lane in enumerate(lanes):
            rest = lanes[:number] + lanes[number + 1 :]
            if len(rest) > 1:
                yield replace(plan, phases=(*around[0], rest, *around[1]))
            for gone in range(len(lane) if len(lane) > 1 else 0):
                shorter = (*lanes[:number], lane[:gone] + lane[gone + 1 :], *lanes[number + 1 :])
                yield replace(plan, phases=(*around[0], shorter, *around[1]))
    for gone in range(len(plan.setup)):
        yield replace(plan, setup=plan.setup[:gone] + plan.setup[gone + 1 :])
