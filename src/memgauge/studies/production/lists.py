"""What stands in the lists that searches return: the same twice, scores that make no sense, texts that repeat."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from memgauge.studies.production.columns import HealthUnit, MeasuredColumn, MeasureSpec, Summary
from memgauge.studies.production.hits import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from memgauge.studies.production.hits import HitArrays

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Mask = NDArray[np.bool_]

_LARGEST = 1e140
"""Scores beyond it are cut: they cannot be squared and added up."""


def lists(hits: HitArrays) -> Iterator[MeasuredColumn]:
    """Look into every list of some hits."""
    rows, start = np.unique(hits.operation, return_index=True)
    for spec, mask, among in _repeated(hits):
        yield over_lists(hits.operation, spec, mask, among)
    yield from _scores(hits, rows, start)


def _repeated(hits: HitArrays) -> Iterator[tuple[MeasureSpec, Mask, Mask]]:
    has_text = hits.text != UNKNOWN
    everywhere = np.ones(len(hits.memory), dtype=np.bool_)
    reason = "no search returned a record"
    spec = MeasureSpec("same twice", "lists", "the same memory twice", "lists with a record", reason)
    same_name = again(hits.operation, hits.memory)
    yield spec, same_name, everywhere
    same_text = again(hits.operation, np.where(has_text, hits.text, -2 - np.arange(len(hits.text))))
    spec = MeasureSpec(
        "same text", "lists", "the same text under two names", "lists with a known text", "no text is known"
    )
    yield spec, same_text & ~same_name, has_text


def again(lists: Integers, names: Integers) -> Mask:
    """Say which rows have a name that stood in the same list before."""
    order = np.lexsort((names, lists))  # which keeps the order of what is equal
    is_repeat = (np.diff(lists[order], prepend=-1) == 0) & (np.diff(names[order], prepend=-1) == 0)
    mask = np.zeros(len(names), dtype=np.bool_)
    mask[order] = is_repeat
    return mask


def over_lists(lists: Integers, spec: MeasureSpec, mask: Mask, among: Mask) -> MeasuredColumn:
    """Say of every list with a row *among* those that count whether it is true of any of them."""
    rows = np.unique(lists[among])
    return MeasuredColumn(spec, np.isin(rows, lists[mask & among]).astype(np.float64), rows)


def _scores(hits: HitArrays, rows: Integers, start: Integers) -> Iterator[MeasuredColumn]:
    """Say whether scores fall with rank, differ at all, and lie within 0 and 1."""
    scores = np.clip(hits.score, -_LARGEST, _LARGEST)
    ends = np.append(start[1:], len(scores))[: len(start)] - 1
    fully_scored = np.add.reduceat(np.isnan(scores), start) == 0 if len(start) else np.zeros(0, dtype=np.bool_)
    rows_with_scores, several = rows[fully_scored], fully_scored & (ends > start)
    reason = "no list has scores"
    within = np.diff(hits.operation, prepend=-1) == 0
    rises = within & (np.diff(scores, prepend=np.nan) > 0)
    first_scores, last_scores = scores[start], scores[ends]
    lowest, highest = (
        (extreme.reduceat(scores, start) for extreme in (np.minimum, np.maximum))
        if len(start)
        else (first_scores, first_scores)
    )
    pairs, noun = rows[several], "lists of two and more with scores"
    for key, name, values, at, of in (
        (
            "outside",
            "scores outside 0 to 1",
            (lowest < 0)[fully_scored] | (highest > 1)[fully_scored],
            rows_with_scores,
            "lists with scores",
        ),
        ("constant", "all scores equal", (lowest == highest)[several], pairs, noun),
        ("rising", "scores that rise with rank", np.isin(pairs, hits.operation[rises]), pairs, noun),
    ):
        spec = MeasureSpec(key, "scores", name, of, reason)
        yield MeasuredColumn(spec, values.astype(np.float64), at)
    for key, name, numbers, at, of in (
        ("top", "score of the first", first_scores[fully_scored], rows_with_scores, "lists with scores"),
        ("gap", "first less last", (first_scores - last_scores)[several], pairs, noun),
    ):
        spec = MeasureSpec(key, "scores", name, of, reason, Summary.MEAN, HealthUnit.PLAIN)
        yield MeasuredColumn(spec, numbers, at)
