"""Spherical k-means on sparse rows: small, weighted, seeded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt
    from scipy import sparse

    Floats = npt.NDArray[np.float64]
    Labels = npt.NDArray[np.int64]

ITERATIONS = 8


def spherical_kmeans(
    rows: sparse.csr_array, weights: Floats, k: int, rng: np.random.Generator, iterations: int = ITERATIONS
) -> Labels:
    """Split unit *rows* into at most *k* clusters by cosine and return the cluster of each.

    Starts are drawn as in k-means++ (Arthur and Vassilvitskii 2007) on cosine distance. *weights* say how often
    each row counts, so that copies need not be stored. A cluster that loses all its rows stays empty.
    """
    centres = _starts(rows, weights, k, rng)
    labels = np.full(rows.shape[0], -1)
    for _ in range(iterations):
        nearest = np.asarray(rows @ centres.T).argmax(axis=1)
        if np.array_equal(nearest, labels):
            break
        labels = nearest
        centres = centroids(rows, weights, labels, len(centres))
    return labels


def centroids(rows: sparse.csr_array, weights: Floats, labels: Labels, k: int) -> Floats:
    """Return the unit mean direction of each cluster, (k, terms); zero where a cluster is empty."""
    from scipy import sparse

    member = sparse.csr_array((weights, (labels, np.arange(len(labels)))), shape=(k, rows.shape[0]))
    sums = np.asarray((member @ rows).todense())
    norms = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.asarray(sums / np.maximum(norms, 1e-12), dtype=np.float64)


def _starts(rows: sparse.csr_array, weights: Floats, k: int, rng: np.random.Generator) -> Floats:
    start_places: list[int] = []
    chance = weights.astype(np.float64)
    distance = np.full(rows.shape[0], np.inf)
    while len(start_places) < k and chance.sum() > 0:
        at = int(np.searchsorted(np.cumsum(chance), rng.random() * chance.sum(), side="right"))
        start_places.append(min(at, rows.shape[0] - 1))
        start = np.asarray(rows[[start_places[-1]]].todense())[0]
        distance = np.minimum(distance, np.maximum(1.0 - rows @ start, 0.0))
        chance = weights * distance
        chance[start_places] = 0.0
    return np.asarray(rows[start_places].todense())
