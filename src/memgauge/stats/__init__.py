"""Resampling, paired tests, rank agreement: pure functions of arrays."""

from memgauge.stats.bootstrap import Interval, Resamples
from memgauge.stats.paired import PairedTest, holm, mcnemar, wilcoxon
from memgauge.stats.power import design_effect, minimum_detectable
from memgauge.stats.ranks import Agreement, inversion, kendall, spearman, tie_groups

__all__ = [
    "Agreement",
    "Interval",
    "PairedTest",
    "Resamples",
    "design_effect",
    "holm",
    "inversion",
    "kendall",
    "mcnemar",
    "minimum_detectable",
    "spearman",
    "tie_groups",
    "wilcoxon",
]
