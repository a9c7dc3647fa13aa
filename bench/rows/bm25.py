"""BM25 as retrieval policies use it: cut words, fit one index a conversation, search it with all its questions."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.agree import Overlap
from bench.made import sentences
from bench.row import Job, Row, floor, ours, peer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from numpy.typing import NDArray

    Conversations = list[tuple[list[str], list[str]]]

K, AGREE = 60, 10
WORDS = r"[^\W_]+(?:'[^\W_]+)*"
"""The words that memgauge searches, so that all sides index the same ones."""


def share(folder: Path) -> None:
    """Write the texts: those of LoCoMo where it is at hand, and made ones of its shape elsewhere."""
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.errors import DataError

    try:
        dataset = open_dataset("locomo")
        scored = {gold.question for gold in dataset.gold() if gold.anchors()}
        conversations = [
            ([turn.text for turn in case.conversation.turns()], [q.text for q in case.questions if q.id in scored])
            for case in dataset.cases()
        ]
    except DataError:
        conversations = [(list(sentences(588, 24, n)), list(sentences(198, 10, 100 + n))) for n in range(10)]
    (folder / "texts.json").write_text(json.dumps(conversations), encoding="utf-8")


def read(folder: Path) -> Conversations:
    """Read the texts."""
    texts: Conversations = json.loads((folder / "texts.json").read_text(encoding="utf-8"))
    return texts


def best(found: Iterable[Any]) -> NDArray[np.int64]:
    """Keep the first few of every ranking."""
    rows = [np.asarray(row, dtype=np.int64)[:AGREE] for part in found for row in part]
    return np.stack([np.pad(row, (0, AGREE - len(row)), constant_values=-1) for row in rows])


def each(folder: Path, search: Callable[[list[str], list[str]], Any]) -> Job:
    """Fit and search conversation by conversation."""
    conversations = read(folder)
    return Job(lambda: [search(texts, queries) for texts, queries in conversations], best)


def memgauge(folder: Path) -> Job:
    """Search postings in memory, exactly."""
    from memgauge.retrieval.bm25 import BM25
    from memgauge.retrieval.terms import TermMatrix

    return each(folder, lambda texts, queries: BM25(TermMatrix.build(texts)).search_many(queries, K)[0])


def bm25s(folder: Path, backend: str = "numpy") -> Job:
    """Score all texts eagerly when the index is made."""
    import bm25s as library

    def cut(texts: list[str]) -> Any:
        return library.tokenize(texts, token_pattern=WORDS, stopwords=None, show_progress=False)

    def search(texts: list[str], queries: list[str]) -> Any:
        model = library.BM25(k1=1.5, b=0.75, method="lucene", backend=backend)
        model.index(cut(texts), show_progress=False)
        return model.retrieve(cut(queries), k=min(K, len(texts)), show_progress=False).documents

    return each(folder, search)


def bm25s_numba(folder: Path) -> Job:
    """Let numba compile the search."""
    return bm25s(folder, "numba")


def rank_bm25(folder: Path) -> Job:
    """Score every text for every word of a question, in dictionaries."""
    from rank_bm25 import BM25Okapi

    cut = re.compile(WORDS).findall

    def search(texts: list[str], queries: list[str]) -> list[Any]:
        model = BM25Okapi([cut(text.casefold()) for text in texts])
        scores = (model.get_scores(cut(query.casefold())) for query in queries)
        return [np.argsort(-row, kind="stable")[:K] for row in scores]

    return each(folder, search)


def tantivy(folder: Path) -> Job:
    """Index in memory with one writer, and collect the numbers of documents."""
    import tantivy as library

    builder = library.SchemaBuilder()
    builder.add_text_field("text", stored=False)
    schema, cut = builder.build(), re.compile(r"[^\W_]+").findall

    def search(texts: list[str], queries: list[str]) -> list[Any]:
        index = library.Index(schema)
        writer = index.writer(heap_size=50_000_000, num_threads=1)
        for text in texts:
            writer.add_document(library.Document(text=text))
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        searcher = index.searcher()
        words = (" ".join(cut(query.casefold())) for query in queries)
        hits = (searcher.search(index.parse_query(said, ["text"]), K).hits for said in words)
        return [[address.doc for _, address in found] for found in hits]

    return each(folder, search)


def passing(folder: Path) -> Job:
    """Cut all texts and questions into words, and add up the postings of all questions, found before."""
    from memgauge.retrieval.terms import TermMatrix
    from memgauge.text.tokens import tokenize

    work = []
    for texts, queries in read(folder):
        terms = TermMatrix.build(texts)
        asked = terms.encode(queries)
        sizes = (terms.starts[1:] - terms.starts[:-1])[asked.terms]
        begins = terms.starts[asked.terms] - (np.cumsum(sizes) - sizes)
        query = np.repeat(np.arange(len(queries)), np.diff(asked.starts))
        postings = np.arange(sizes.sum()) + np.repeat(begins, sizes)
        cells = np.repeat(query * len(texts), sizes) + terms.texts[postings]
        work.append((texts + queries, cells, np.ones(len(cells)), len(texts) * len(queries)))

    def run() -> None:
        for texts, cells, impacts, size in work:
            for text in texts:
                tokenize(text)
            np.bincount(cells, impacts, minlength=size)

    return Job(run)


ROW = Row(
    "BM25 on LoCoMo: cut, fit, 1,977 questions x 60",
    limit=150,
    share=share,
    agreement=Overlap(0.97),
    above=(
        "The floor neither sorts words into postings, nor weighs them, nor ranks: ours ranks in a total order, "
        "so that ties come out alike everywhere."
    ),
    sides=(
        ours(memgauge),
        peer("bm25s", bm25s),
        peer("bm25s with numba", bm25s_numba, note="compiles before the clock starts"),
        peer("tantivy", tantivy, note="weighs lengths in steps and k1 = 1.2, so its rankings differ"),
        peer("rank_bm25", rank_bm25, repeats=3, note="another idf, so its rankings differ"),
        floor("cut the words, add up the postings", passing),
    ),
)
