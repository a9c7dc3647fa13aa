"""What becomes of what is injected: how much of it says the same again, and how much of it an answer repeats."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from memgauge.exchange.traffic.rows import TRACEABLE
from memgauge.studies.production.columns import UNSIGNED, HealthUnit, MeasuredColumn, MeasureSpec, Summary
from memgauge.studies.production.likeness import NEAR
from memgauge.studies.production.lists import over_lists

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from memgauge.studies.production.hits import HitArrays

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

_NO_TEXT = "no text was recorded; the same text twice is known by its hash"
_NO_ANSWER = "no answer was recorded in a trace with a search"


def repeating(hits: HitArrays) -> Iterator[MeasuredColumn]:
    """Say which hits repeat what an earlier hit of their list says, and how many tokens that takes."""
    has_likeness = ~np.isnan(hits.likeness)
    near = has_likeness & (np.nan_to_num(hits.likeness) > NEAR)
    spec = MeasureSpec(
        "near twice", "lists", "nearly what an earlier one says", "hits whose text was recorded", _NO_TEXT
    )
    yield MeasuredColumn(spec, near[has_likeness].astype(np.float64), hits.operation[has_likeness])
    spec = MeasureSpec(
        "near list", "lists", "nearly the same twice in a list", "lists whose texts were recorded", _NO_TEXT
    )
    yield over_lists(hits.operation, spec, near, has_likeness)
    spec = MeasureSpec(
        "repeated tokens", "lists", "tokens that repeat", "lists whose texts were recorded", _NO_TEXT,
        Summary.MEAN, HealthUnit.TOKENS, bounds=UNSIGNED,
    )  # fmt: skip
    yield _tokens(hits, spec, near, has_likeness)


def used(hits: HitArrays) -> Iterator[MeasuredColumn]:
    """Say which hits an answer of their trace repeats a run of: traceable, which is not relevant."""
    has_run = ~np.isnan(hits.run)
    traced = has_run & (np.nan_to_num(hits.run) >= TRACEABLE)
    spec = MeasureSpec(
        "traceable", "use", f"a run of {TRACEABLE} words is in the answer", "hits whose trace has an answer",
        _NO_ANSWER,
    )  # fmt: skip
    yield MeasuredColumn(spec, traced[has_run].astype(np.float64), hits.operation[has_run])
    spec = MeasureSpec("untraced", "use", "no hit is traceable", "searches whose trace has an answer", _NO_ANSWER)
    any_traced = over_lists(hits.operation, spec, traced, has_run)
    yield MeasuredColumn(spec, 1.0 - any_traced.values, any_traced.rows)
    spec = MeasureSpec(
        "untraced tokens", "use", "tokens that are not traceable", "searches whose trace has an answer",
        _NO_ANSWER, Summary.MEAN, HealthUnit.TOKENS, bounds=UNSIGNED,
    )  # fmt: skip
    yield _tokens(hits, spec, has_run & ~traced, has_run)


def _tokens(hits: HitArrays, spec: MeasureSpec, mask: Mask, among: Mask) -> MeasuredColumn:
    """Count the tokens of some hits by list."""
    tokens = np.where(mask, np.ceil(np.nan_to_num(hits.characters) / 4), 0.0)
    rows, place = np.unique(hits.operation[among], return_inverse=True)
    return MeasuredColumn(spec, np.bincount(place, tokens[among], minlength=len(rows)).astype(np.float64), rows)
