"""A history in a few lines that can be read: what each thread did, between which ticks, and what it was told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.studies.golden.races.operations import RaceDelete, RaceLook

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.studies.golden.races.record import RaceCall, RaceHistory
    from memgauge.studies.golden.races.rules import Breach


def told_by(history: RaceHistory, breach: Breach) -> Iterator[str]:
    """Yield a line for every call up to the one that shows the breach; last looks that do not are left out."""
    for call in history.calls:
        if call.begun > breach.call.ended:
            break
        if call.last and call is not breach.call:
            continue
        who = f"thread {call.lane}" if call.lane else ("after" if call.last else "first")
        mark = "  <-" if call is breach.call else ""
        yield f"{call.begun:>3}-{call.ended:<3} {who:<9} {call.operation}{_outcome(call)}{mark}"


def _outcome(call: RaceCall) -> str:
    if call.raised:
        return f": raised {call.raised}"
    if isinstance(call.operation, RaceLook):
        return f": {' '.join(call.shown) or 'nothing'}"
    return f": {call.count} removed" if isinstance(call.operation, RaceDelete) else ""
