"""Clusters of texts, and a tree of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from memgauge.retrieval.clusters import centroids, spherical_kmeans
from memgauge.retrieval.tree import Shape, Tree


def _rows(groups: int, size: int, seed: int = 0) -> sparse.csr_array:
    """Return unit rows around *groups* orthogonal directions."""
    rng = np.random.default_rng(seed)
    dense = np.repeat(np.eye(groups), size, axis=0) + 0.05 * rng.random((groups * size, groups))
    return sparse.csr_array(dense / np.linalg.norm(dense, axis=1, keepdims=True))


def test_clear_clusters_are_found() -> None:
    """Rows around one direction share a cluster, and others do not."""
    labels = spherical_kmeans(_rows(3, 5), np.ones(15), 3, np.random.default_rng(1))
    assert [len(set(labels[i : i + 5].tolist())) for i in (0, 5, 10)] == [1, 1, 1]
    assert len(set(labels.tolist())) == 3


def test_more_clusters_than_distinct_rows_are_not_made() -> None:
    """Copies of one row make one cluster; an empty cluster has the centre 0."""
    rows = sparse.csr_array(np.tile([[1.0, 0.0]], (4, 1)))
    assert set(spherical_kmeans(rows, np.ones(4), 3, np.random.default_rng(0)).tolist()) == {0}
    assert centroids(rows, np.ones(4), np.zeros(4, dtype=np.int64), 2).tolist() == [[1.0, 0.0], [0.0, 0.0]]


def test_the_best_branch_leads_to_the_right_leaf() -> None:
    """A query near one direction reaches exactly its rows when one branch is followed."""
    tree = Tree.grow(_rows(4, 30), np.ones(120), np.random.default_rng(3), Shape(depth=1))
    assert sorted(tree.reach(np.eye(4)[2], 1).tolist()) == list(range(60, 90))


def test_a_light_store_is_one_leaf() -> None:
    """Below twice the least leaf nothing is split, and everything is reached."""
    tree = Tree.grow(_rows(2, 5), np.ones(10), np.random.default_rng(0))
    assert tree.children == ()
    assert tree.reach(np.zeros(2), 2).tolist() == list(range(10))


def test_rows_that_cannot_be_split_are_one_leaf() -> None:
    """Copies of one text stay together however many they are."""
    tree = Tree.grow(sparse.csr_array(np.tile([[1.0, 0.0]], (50, 1))), np.ones(50), np.random.default_rng(0))
    assert tree.children == ()


@given(groups=st.integers(1, 5), size=st.integers(1, 40), seed=st.integers(0, 5))
def test_every_row_is_in_exactly_one_leaf(groups: int, size: int, seed: int) -> None:
    """Following all branches reaches every row once; the same seed grows the same tree."""
    rows = _rows(groups, size, seed)
    grown = [Tree.grow(rows, np.ones(rows.shape[0]), np.random.default_rng(seed)) for _ in range(2)]
    assert sorted(grown[0].reach(np.ones(groups), 4).tolist()) == list(range(groups * size))
    assert grown[0].reach(np.eye(groups)[0], 1).tolist() == grown[1].reach(np.eye(groups)[0], 1).tolist()
