"""Answers on which judges decided nothing: they may be right or wrong, and ends hold both."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from memgauge.scoring.board import Score
    from memgauge.scoring.correction import Correction

    Ended = TypeVar("Ended", Score, Correction)

OPEN_MOST = 0.02
"""The share of answers that judges may leave open, above which pairs of answers no longer tell systems apart."""


def open_share(decided: int, left_open: int) -> float:
    """Return the share of all answers that was left open."""
    return left_open / (decided + left_open) if left_open else 0.0


def holding_open(score: Ended, share: float) -> Ended:
    """Move the ends of a mean of what was decided to where they hold all that was left open, wrong or right.

    What judges cannot read is no random part of all: a judge may fail on wrong answers alone (Manski 1990).
    """
    if not share or score.low is None or score.high is None:
        return score
    return replace(score, low=score.low * (1.0 - share), high=score.high * (1.0 - share) + share)
