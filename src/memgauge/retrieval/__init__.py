"""Search kernels: sparse, dense, fusion, embedders and their cache. They know no memory system.

A name is imported when it is used: embedders run in environments that hold no scipy.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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

_HOMES = {
    "BM25": "bm25",
    "CachedEmbedder": "embedders",
    "DenseIndex": "dense",
    "Embedder": "embedders",
    "Fit": "tfidf",
    "HashedEmbedder": "embedders",
    "LexicalIndex": "lexical",
    "MiniLM": "minilm",
    "Queries": "terms",
    "TermLog": "terms",
    "TermMatrix": "terms",
    "TfIdf": "tfidf",
    "by_hash": "topk",
    "latest_first": "topk",
    "reciprocal_rank_fusion": "fusion",
    "top_k": "topk",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
