"""Inference over clusters, resampling, paired tests, rank agreement: pure functions of arrays.

A name is imported when it is used: pages and tables show intervals, and need no numpy for that.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memgauge.stats.bootstrap import Resamples
    from memgauge.stats.clusters import Clusters, Estimate, cluster_interval, estimates
    from memgauge.stats.equivalence import Equivalence, equivalent
    from memgauge.stats.intervals import Interval
    from memgauge.stats.paired import PairedTest, holm, mcnemar, wilcoxon
    from memgauge.stats.power import minimum_detectable
    from memgauge.stats.ranks import Agreement, RankSet, inversion, kendall, rank_sets, spearman
    from memgauge.stats.wild import wild_intervals

__all__ = [
    "Agreement",
    "Clusters",
    "Equivalence",
    "Estimate",
    "Interval",
    "PairedTest",
    "RankSet",
    "Resamples",
    "cluster_interval",
    "equivalent",
    "estimates",
    "holm",
    "inversion",
    "kendall",
    "mcnemar",
    "minimum_detectable",
    "rank_sets",
    "spearman",
    "wilcoxon",
    "wild_intervals",
]

_HOMES = {
    "Agreement": "ranks",
    "Clusters": "clusters",
    "Equivalence": "equivalence",
    "Estimate": "clusters",
    "Interval": "intervals",
    "PairedTest": "paired",
    "RankSet": "ranks",
    "Resamples": "bootstrap",
    "cluster_interval": "clusters",
    "equivalent": "equivalence",
    "estimates": "clusters",
    "holm": "paired",
    "inversion": "ranks",
    "kendall": "ranks",
    "mcnemar": "paired",
    "minimum_detectable": "power",
    "rank_sets": "ranks",
    "spearman": "ranks",
    "wilcoxon": "paired",
    "wild_intervals": "wild",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
