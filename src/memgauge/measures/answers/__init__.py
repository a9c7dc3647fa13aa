"""How good an answer is beside the accepted ones, without a judge."""

from memgauge.measures.answers.matching import exact_match, fold_without_articles, token_f1
from memgauge.measures.answers.rouge import rouge_l

__all__ = ["exact_match", "fold_without_articles", "rouge_l", "token_f1"]
