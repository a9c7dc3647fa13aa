"""A growing store seen by one question: what the selections of the shift study choose from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Flag, auto
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from memgauge.retrieval.selection import NOWHERE, QuestionView
from memgauge.retrieval.terms import TermLog
from memgauge.retrieval.tfidf import TfIdf
from memgauge.retrieval.tree import Shape, Tree
from memgauge.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt
    from scipy import sparse

    from memgauge.records import Memory
    from memgauge.retrieval.lexical import Weights
    from memgauge.retrieval.selection import Selection

    Floats = npt.NDArray[np.float64]
    Ints = npt.NDArray[np.int64]

PATTERN = r"[a-z']+"
EXTRACT = 8
"""Turns of an extractive summary."""


class Needs(Flag):
    """What a selection looks at besides similarity and session; what it does not is not computed."""

    NOTHING = 0
    SUMMARIES = auto()
    TREE = auto()


@dataclass(frozen=True, eq=False)
class _Grown:
    """A tree and what it was grown over."""

    tree: Tree
    texts: Ints
    """The first item with each distinct text, in the order of the tree's rows."""
    items: int
    """How many items there were; later ones are always candidates."""
    sessions: int
    """How many sessions had begun."""


@dataclass(frozen=True, eq=False)
class _WeighedTerms:
    """The terms heard so far under their idf."""

    index: TfIdf
    weights: Weights

    def unit(self, text: str) -> Floats:
        """Return the unit vector of a text over the known terms."""
        encoded = self.index.terms.encode([text])
        vector = np.zeros(len(self.weights.queries))
        vector[encoded.terms] = (1 + np.log(encoded.counts)) * self.weights.queries[encoded.terms]
        length = float(np.linalg.norm(vector))
        return vector / length if length > 0 else vector

    def rows(self) -> sparse.csr_array:
        """Return the unit vectors of all items."""
        from scipy.sparse import csc_array

        terms = self.index.terms
        shape = (len(terms), len(self.weights.queries))
        return csc_array((self.weights.postings, terms.texts, terms.starts), shape=shape).tocsr()


class ViewIndex:
    """Everything heard under one scope; a memory's channel is the session in which it was said."""

    def __init__(self, select: Selection, needs: Needs, *, seed: int, summaries: Mapping[str, str]) -> None:
        self._select = select
        self._needs = needs
        self._seed = seed
        self._summaries = summaries
        self._log = TermLog(partial(tokenize, pattern=PATTERN))
        self._texts: list[str] = []
        self._first: dict[str, int] = {}
        self._same: list[int] = []
        self._sessions: dict[str, int] = {}
        self._filed: list[int] = []
        self._weighed: _WeighedTerms | None = None
        self._grown: _Grown | None = None

    def extend(self, memories: Sequence[Memory]) -> None:
        """Tokenise *memories* and file them under their sessions."""
        self._weighed = None
        for memory in memories:
            place, session = len(self._texts), memory.channel
            self._log.append(memory.text)
            self._texts.append(memory.text)
            self._same.append(self._first.setdefault(memory.text, place))
            self._filed.append(self._sessions.setdefault(session, len(self._sessions)) if session else NOWHERE)

    def search(self, query: str, k: int) -> Sequence[tuple[int, float]]:
        """Return places and scores of what the policy selects."""
        places, scores = self._select(self.view(query), k)
        return list(zip(places.tolist(), scores.tolist(), strict=True))

    def view(self, query: str) -> QuestionView:
        """Compare a question with everything."""
        weighed = self._weighed
        if weighed is None:
            index = TfIdf(self._log.matrix())
            weighed = self._weighed = _WeighedTerms(index, index.weights(len(self._texts)))
        vector, filed = weighed.unit(query), np.array(self._filed, dtype=np.int64)
        wanted = Needs.SUMMARIES in self._needs
        summaries = [vector @ weighed.unit(text) for text in self._summarised(filed)] if wanted else []
        return QuestionView(
            sims=weighed.index.scores([query])[0],
            filed=filed,
            sessions=np.arange(len(summaries)),
            summary_sims=np.array(summaries, dtype=np.float64),
            reached=self._reached(weighed, vector),
        )

    def _summarised(self, filed: Ints) -> Iterator[str]:
        """Summarise every session: as given, or by its first turns."""
        for session, number in self._sessions.items():
            first = np.flatnonzero(filed == number)[:EXTRACT]
            yield self._summaries.get(session) or " ".join(self._texts[place] for place in first)

    def _reached(self, weighed: _WeighedTerms, vector: Floats) -> npt.NDArray[np.bool_]:
        """Mark what the tree leads to; it is grown anew when a session has begun since it was grown."""
        if Needs.TREE not in self._needs:
            return np.zeros(len(self._texts), dtype=np.bool_)
        grown = self._grown
        if grown is None or len(self._sessions) > grown.sessions:
            grown = self._grown = self._grow(weighed)
        width = grown.tree.centres.shape[1]
        leaves = grown.texts[grown.tree.reach(vector[:width], Shape().top)]
        reached = np.isin(np.array(self._same), leaves)
        reached[grown.items :] = True
        return reached

    def _grow(self, weighed: _WeighedTerms) -> _Grown:
        texts, copies = np.unique(np.array(self._same), return_counts=True)
        rng = np.random.default_rng((self._seed, len(self._texts)))
        tree = Tree.grow(weighed.rows()[texts], copies.astype(np.float64), rng)
        return _Grown(tree, texts, len(self._texts), len(self._sessions))
