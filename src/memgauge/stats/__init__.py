"""Inference over clusters, resampling, paired tests, rank agreement: pure functions of arrays."""

from memgauge.stats.bootstrap import Interval, Resamples
from memgauge.stats.clusters import Clusters, Estimate, cluster_interval, estimates
from memgauge.stats.equivalence import Equivalence, equivalent
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
