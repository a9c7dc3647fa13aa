"""memgauge: the measuring instrument for agent memory.

The public names are here; each is imported when it is first used, so that importing the package costs nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

from memgauge.version import __version__

if TYPE_CHECKING:
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.measures import judge
    from memgauge.measures import parse as parse_measure
    from memgauge.records import Change, Contract, Hit, Memory, Operation, Ranking, Receipt, Scope, Turn
    from memgauge.runs.play.execute import execute
    from memgauge.runs.play.plan import plan
    from memgauge.runs.record.store import load
    from memgauge.scoring.compare import compare
    from memgauge.scoring.leaderboard import leaderboards
    from memgauge.scoring.score import Settings
    from memgauge.scoring.verify import verify
    from memgauge.systems.catalogue import open_system
    from memgauge.systems.conformance import check
    from memgauge.systems.protocol import Capabilities, MemorySystem

_HOMES = {
    "Capabilities": "memgauge.systems.protocol",
    "Change": "memgauge.records",
    "Contract": "memgauge.records",
    "Hit": "memgauge.records",
    "Memory": "memgauge.records",
    "MemorySystem": "memgauge.systems.protocol",
    "Operation": "memgauge.records",
    "Ranking": "memgauge.records",
    "Receipt": "memgauge.records",
    "Scope": "memgauge.records",
    "Settings": "memgauge.scoring.score",
    "Turn": "memgauge.records",
    "check": "memgauge.systems.conformance",
    "compare": "memgauge.scoring.compare",
    "execute": "memgauge.runs.play.execute",
    "judge": "memgauge.measures",
    "leaderboards": "memgauge.scoring.leaderboard",
    "load": "memgauge.runs.record.store",
    "open_dataset": "memgauge.datasets.catalogue",
    "open_system": "memgauge.systems.catalogue",
    "parse_measure": "memgauge.measures:parse",
    "plan": "memgauge.runs.play.plan",
    "verify": "memgauge.scoring.verify",
}

__all__ = [
    "Capabilities",
    "Change",
    "Contract",
    "Hit",
    "Memory",
    "MemorySystem",
    "Operation",
    "Ranking",
    "Receipt",
    "Scope",
    "Settings",
    "Turn",
    "__version__",
    "check",
    "compare",
    "execute",
    "judge",
    "leaderboards",
    "load",
    "open_dataset",
    "open_system",
    "parse_measure",
    "plan",
    "verify",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _HOMES[name].partition(":")
    if (bounds := sys.modules.get("memgauge.out_of_reach")) and bounds.is_closed(module):
        return bounds.OutOfReach(name)
    return getattr(import_module(module), attribute or name)


def __dir__() -> list[str]:
    return __all__
