"""Letting go of what was read of a run: of a board of thousands of systems no more is held than its rows."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from memgauge.scoring.lengths import forget

if TYPE_CHECKING:
    from memgauge.scoring.align import JudgedRun

MANY: Final = 1 << 18
"""Questions times systems above which a board holds what its rows need, and reads the rest again when asked."""


def let_go(judged: JudgedRun) -> None:
    """Drop the tables of a run and what its hits earned; whoever asks for it again has it read again."""
    forget(judged.run)
    for value in (judged, judged.run):
        for name in tuple(vars(value)):
            if isinstance(getattr(type(value), name, None), cached_property):
                del vars(value)[name]
