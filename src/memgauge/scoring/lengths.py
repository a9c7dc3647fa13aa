"""How long the memories of a run are, also where their texts were left out."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memgauge.runs.record.store import Run
    from memgauge.scoring.gold import GoldTable


def characters(run: Run, gold: GoldTable) -> NDArray[np.float64]:
    """(M,) count the characters of every memory; where texts were left out, of those that are copies of turns.

    A record without texts keeps their hashes, and a hash of what was said tells its length. NaN: nobody knows.
    """
    if run not in _COUNTED or _COUNTED[run][0] is not gold:
        _COUNTED[run] = gold, _counted(run, gold)
    return _COUNTED[run][1]


def forget(run: Run) -> None:
    """Count the memories of *run* anew when somebody asks again."""
    _COUNTED.pop(run, None)


_COUNTED: WeakKeyDictionary[Run, tuple[GoldTable, NDArray[np.float64]]] = WeakKeyDictionary()
"""What was counted last of every run that is still read."""


def _counted(run: Run, gold: GoldTable) -> NDArray[np.float64]:
    known = run.characters
    if not np.isnan(known).any():
        return known
    sources, unknown = run.sources, np.isnan(known)
    claimed = defaultdict[str, defaultdict[int, list[str]]](lambda: defaultdict(list))
    for row, home, turn in zip(
        *(sources[name].tolist() for name in ("memory", "conversation", "turn")), strict=True
    ):
        if unknown[row]:
            claimed[home][row].append(turn)
    lengths, hashes = known.copy(), run.hashes_of(np.flatnonzero(unknown).tolist())
    for home, spoken in gold.conversations.said(claimed):
        for row, names in claimed[home].items():
            lengths[row] = spoken.copies(names).get(hashes[row], np.nan)
    return lengths
