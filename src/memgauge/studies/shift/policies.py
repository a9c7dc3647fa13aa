"""The retrieval policies of the paper (appendix B), as selections over what is visible.

Every policy gets the same view and returns item numbers, best first; equal scores go to the later item.
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

GATE = 0.2
SUMMARIES = 2
BUFFER = 20
RECENT = 50
ALPHA = 0.5
TAU = 50.0


@dataclass(frozen=True, eq=False)
class View:
    """What a policy may look at for one question."""

    items: Ints
    """Visible items in order of arrival."""
    sims: Floats
    """Similarity of the question to each visible item."""
    filed: Ints
    """The session that each visible item is filed under."""
    sessions: Ints
    """Sessions with a summary, and"""
    summary_sims: Floats
    """their similarity to the question."""
    reached: npt.NDArray[np.bool_]
    """Visible items that the tree leads to, those newer than the tree included."""


class Policy(Protocol):
    """Anything that ranks what is visible."""

    def __call__(self, view: View, k: int) -> Ints:
        """Return at most *k* positions in the view, best first."""
        ...


def best(scores: Floats, k: int) -> Ints:
    """Return the positions of the *k* highest scores, the later first among equals."""
    if len(scores) > k:
        least = np.partition(scores, -k)[-k]
        near = np.flatnonzero(scores >= least)
    else:
        near = np.arange(len(scores))
    return near[np.lexsort((-near, -scores[near]))][:k]


def among(scores: Floats, allowed: npt.NDArray[np.bool_], k: int) -> Ints:
    """Return the best positions among those *allowed*."""
    inside = np.flatnonzero(allowed)
    return inside[best(scores[inside], k)]


def flat(view: View, k: int) -> Ints:
    """Search everything."""
    return best(view.sims, k)


def gated(view: View, k: int) -> Ints:
    """Search everything, and return nothing where even the best is less similar than the gate."""
    if not len(view.sims) or view.sims.max() < GATE:
        return np.zeros(0, dtype=np.int64)
    return best(view.sims, k)


def hsr(view: View, k: int) -> Ints:
    """Search the turns of the sessions with the best summaries."""
    chosen = view.sessions[best(view.summary_sims, SUMMARIES)]
    return among(view.sims, np.isin(view.filed, chosen), k)


def raptor(view: View, k: int) -> Ints:
    """Search the best branches of the tree, what is newer than it, and the latest turns."""
    return among(view.sims, _branches(view), k)


def fusion(view: View, k: int) -> Ints:
    """Search what the tree leads to and what is recent, and weigh similarity by age in items."""
    age = np.arange(len(view.items) - 1, -1, -1)
    weight = (1.0 - ALPHA) + ALPHA * np.exp(-age / TAU)
    return among(view.sims * weight, _branches(view) | (age < RECENT), k)


def recency(view: View, k: int) -> Ints:
    """Return the latest items."""
    return np.arange(len(view.items))[::-1][:k]


def _branches(view: View) -> npt.NDArray[np.bool_]:
    latest = np.arange(len(view.items)) >= len(view.items) - BUFFER
    return view.reached | latest


POLICIES: Mapping[str, Policy] = {
    "flat": flat,
    "gated": gated,
    "hsr": hsr,
    "raptor": raptor,
    "fusion": fusion,
    "recency": recency,
}
PAPER = ("flat", "gated", "hsr", "raptor", "fusion")
"""The lexical policies of Table 1, in its order."""
