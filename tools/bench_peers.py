"""The peers' side of tools/bench.py: pytrec-eval-terrier and bm25s on the data that our side wrote.

Usage: python tools/bench_peers.py FOLDER, in an environment that holds the peers.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bm25s
import pytrec_eval

from bench_worker import CannotRunError, Took, serve, timed

if TYPE_CHECKING:
    from collections.abc import Callable

WORDS = r"[^\W_]+(?:'[^\W_]+)*"
"""The words that memgauge searches, so that both sides index the same ones."""


def scoring(folder: Path) -> Callable[[], Took]:
    """Score rankings that are dictionaries already, as this library wants them."""
    data = _read(folder / "trace.json")
    evaluator = pytrec_eval.RelevanceEvaluator(data["qrels"], {"ndcg_cut_60", "recip_rank", "recall_60"})

    def job() -> float:
        values = evaluator.evaluate(data["run"]).values()
        return float(sum(v["ndcg_cut_60"] + v["recip_rank"] + v["recall_60"] for v in values))

    return lambda: timed(job)


def bm25(folder: Path) -> Callable[[], Took]:
    """Fit one index a conversation and search it with all of its questions."""
    conversations = _read(folder / "texts.json")

    def job() -> None:
        for texts, queries in conversations:
            model = bm25s.BM25(k1=1.5, b=0.75, method="lucene")
            model.index(_words(texts), show_progress=False)
            model.retrieve(_words(queries), k=min(60, len(texts)), show_progress=False)

    return lambda: timed(job)


def _words(texts: list[str]) -> Any:
    return bm25s.tokenize(texts, token_pattern=WORDS, stopwords=None, show_progress=False)


def _read(path: Path) -> Any:
    if not path.exists():
        raise CannotRunError(f"our side wrote no {path.name}")
    return json.loads(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    serve({"scoring": lambda: scoring(folder), "bm25": lambda: bm25(folder)})
