"""The machines that a board was played on: times compare within one alone."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memgauge.runs.record.machine import Machine
    from memgauge.studies.board.notes import LaneNote


def elsewhere(notes: Mapping[str, LaneNote], lanes: Iterable[str]) -> dict[str, Machine]:
    """Name those of *lanes* that were played on another machine than most, each with its machine."""
    machines = {lane: notes[lane].machine for lane in lanes if lane in notes}
    if len(set(machines.values())) < 2:
        return {}
    usual = Counter(machines.values()).most_common(1)[0][0]
    return {lane: machine for lane, machine in machines.items() if machine != usual}
