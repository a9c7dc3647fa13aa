"""Retrieval policies as selections over what is visible: one view, several ways to choose from it.

Each selection gets the same view and returns places in it with their scores, best first; equal scores go to the
later item. The definitions are ShiftBench's (its appendix B, table 3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]
    Mask = npt.NDArray[np.bool_]
    Picked = tuple[Ints, Floats]
    """Places and scores, best first."""

NOWHERE = -1
"""The session of an item that belongs to none."""


@dataclass(frozen=True, eq=False)
class QuestionView:
    """What a policy may look at for one question; items are in the order in which they came."""

    sims: Floats
    """Lexical similarity of the question to each item."""
    filed: Ints
    """The session that each item is filed under, ``NOWHERE`` for none."""
    sessions: Ints
    """Sessions with a summary, and"""
    summary_sims: Floats
    """their similarity to the question."""
    reached: Mask
    """Items that the tree leads to, those newer than the tree included."""
    vectors: Floats | None = None
    """Similarity by sentence vectors, where there are any."""


class Selection(Protocol):
    """Anything that ranks what is visible."""

    def __call__(self, view: QuestionView, k: int) -> Picked:
        """Return at most *k* items, best first."""
        ...


def best(scores: Floats, k: int) -> Ints:
    """Return the places of the *k* highest scores, the later first among equals."""
    if len(scores) > k:
        threshold = np.partition(scores, -k)[-k]
        near = np.flatnonzero(scores >= threshold)
    else:
        near = np.arange(len(scores))
    return near[np.lexsort((-near, -scores[near]))][:k]


def among(scores: Floats, allowed: Mask, k: int) -> Picked:
    """Return the best of the items *allowed*."""
    inside = np.flatnonzero(allowed)
    places = inside[best(scores[inside], k)]
    return places, scores[places]


def flat(view: QuestionView, k: int) -> Picked:
    """Search everything."""
    places = best(view.sims, k)
    return places, view.sims[places]


def dense(view: QuestionView, k: int) -> Picked:
    """Search everything by sentence vectors.

    Raises:
        ValueError: The view has none.
    """
    if view.vectors is None:
        raise ValueError("The dense selection needs the similarities of sentence vectors.")
    places = best(view.vectors, k)
    return places, view.vectors[places]


def gated(view: QuestionView, k: int, *, gate: float = 0.2) -> Picked:
    """Search everything, and return nothing where even the best is less similar than the gate."""
    if not len(view.sims) or view.sims.max() < gate:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    return flat(view, k)


def hsr(view: QuestionView, k: int, *, summaries: int = 2) -> Picked:
    """Search the turns of the sessions with the best summaries."""
    sessions = view.sessions[best(view.summary_sims, summaries)]
    return among(view.sims, np.isin(view.filed, sessions), k)


def raptor(view: QuestionView, k: int, *, buffer: int = 20) -> Picked:
    """Search the best branches of the tree, what is newer than it, and the latest *buffer* items."""
    return among(view.sims, view.reached | (_age(view) < buffer), k)


def fusion(view: QuestionView, k: int, *, alpha: float = 0.5, tau: float = 50.0, recent: int = 50) -> Picked:
    """Search what the tree leads to and the *recent* latest items, and weigh similarity by age in items."""
    age = _age(view)
    weight = (1.0 - alpha) + alpha * np.exp(-age / tau)
    return among(view.sims * weight, view.reached | (age < recent), k)


def recency(view: QuestionView, k: int) -> Picked:
    """Return the latest items."""
    places = np.arange(len(view.sims))[::-1][:k]
    return places, -_age(view)[places].astype(np.float64)


def _age(view: QuestionView) -> Ints:
    return np.arange(len(view.sims) - 1, -1, -1)


SELECTIONS: Mapping[str, Selection] = {
    "flat": flat,
    "gated": gated,
    "dense": dense,
    "hsr": hsr,
    "raptor": raptor,
    "fusion": fusion,
    "recency": recency,
}
