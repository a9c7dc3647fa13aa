"""The machines that a board was played on: times compare within one alone."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memgauge.runs.record.machine import Machine
    from memgauge.studies.board.notes import LaneNote


def elsewhere(notes: Mapping[str, LaneNote], lanes: Iterable[str]) -> dict[str, Machine]:
    """Name those of *lanes* that were played on another machine than most, each with its machine.

    Of machines with as many lanes each, the last by its description counts as that of most. A lane without a note
    is not named: nobody knows its machine.
    """
    machines = {lane: notes[lane].machine for lane in lanes if lane in notes}
    counts = Counter(machines.values())
    if len(counts) < 2:
        return {}
    usual = max(counts, key=lambda machine: (counts[machine], str(machine)))
    return {lane: machine for lane, machine in machines.items() if machine != usual}
