"""Search kernels: sparse, dense, fusion, embedders and their cache. They know no memory system."""

from memgauge.retrieval.bm25 import BM25
from memgauge.retrieval.dense import DenseIndex
from memgauge.retrieval.embedders import CachedEmbedder, Embedder, HashedEmbedder
from memgauge.retrieval.fusion import reciprocal_rank_fusion
from memgauge.retrieval.lexical import LexicalIndex
from memgauge.retrieval.minilm import MiniLM
from memgauge.retrieval.terms import Queries, TermLog, TermMatrix
from memgauge.retrieval.tfidf import Fit, TfIdf
from memgauge.retrieval.topk import by_hash, latest_first, top_k

__all__ = [
    "BM25",
    "CachedEmbedder",
    "DenseIndex",
    "Embedder",
    "Fit",
    "HashedEmbedder",
    "LexicalIndex",
    "MiniLM",
    "Queries",
    "TermLog",
    "TermMatrix",
    "TfIdf",
    "by_hash",
    "latest_first",
    "reciprocal_rank_fusion",
    "top_k",
]
