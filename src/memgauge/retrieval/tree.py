"""A shallow tree of clusters over texts, searched by its best branches (after RAPTOR, Sarthi et al. 2024)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.retrieval.clusters import centroids, spherical_kmeans

if TYPE_CHECKING:
    from scipy import sparse

    from memgauge.retrieval.clusters import Floats, Labels


@dataclass(frozen=True)
class Shape:
    """How a tree branches and how it is searched; the defaults are ShiftBench's (its appendix B)."""

    depth: int = 2
    branching: int = 4
    min_leaf: int = 20
    """A cluster lighter than this joins its biggest sibling."""
    top: int = 2
    """Branches followed at each level."""


@dataclass(frozen=True, eq=False)
class Tree:
    """One node: its rows, and its children with their centroids; a leaf has none."""

    members: Labels
    centres: Floats
    children: tuple[Tree, ...]

    @classmethod
    def grow(
        cls, rows: sparse.csr_array, weights: Floats, rng: np.random.Generator, shape: Shape | None = None
    ) -> Tree:
        """Cluster unit *rows*, each counting as often as its weight."""
        return _grow(rows, weights, np.arange(rows.shape[0]), rng, shape or Shape(), (shape or Shape()).depth)

    def reach(self, query: Floats, top: int) -> Labels:
        """Return the rows in the leaves that the best *top* branches at each level lead to."""
        if not self.children:
            return self.members
        best = np.argsort(-(self.centres @ query), kind="stable")[:top]
        return np.concatenate([self.children[branch].reach(query, top) for branch in best])


def _grow(
    rows: sparse.csr_array, weights: Floats, members: Labels, rng: np.random.Generator, shape: Shape, depth: int
) -> Tree:
    if depth == 0 or weights[members].sum() < 2 * shape.min_leaf or len(members) < 2:
        return Tree(members, np.zeros((0, 0)), ())
    inside = rows[members]
    labels = spherical_kmeans(inside, weights[members], shape.branching, rng)
    labels = _merged(labels, weights[members], shape.min_leaf)
    k = int(labels.max()) + 1
    if k < 2:
        return Tree(members, np.zeros((0, 0)), ())
    centres = centroids(inside, weights[members], labels, k)
    parts = (members[labels == branch] for branch in range(k))
    return Tree(members, centres, tuple(_grow(rows, weights, part, rng, shape, depth - 1) for part in parts))


def _merged(labels: Labels, weights: Floats, smallest: int) -> Labels:
    """Give the rows of light clusters to the heaviest one, and number what is left from 0."""
    sizes = np.bincount(labels, weights=weights)
    labels = np.where(sizes[labels] < smallest, int(sizes.argmax()), labels)
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)
