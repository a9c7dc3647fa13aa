"""Play one conversation for the paper's policies: each is a selection over the prefix of a lane."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from memgauge.retrieval.embedders import embed_queries
from memgauge.retrieval.selection import SELECTIONS, QuestionView
from memgauge.retrieval.tree import Shape, Tree
from memgauge.studies.shift.play.vectors import TermVectors, Weighted, unit
from memgauge.studies.shift.protocol.spec import TermFit

if TYPE_CHECKING:
    from collections import defaultdict
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt
    from scipy import sparse

    from memgauge.retrieval.embedders import Embedder
    from memgauge.studies.shift.protocol.scene import ShiftScene
    from memgauge.studies.shift.protocol.spec import ShiftSpec

    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]

EXTRACT = 8
"""Turns of an extractive summary."""
_FOLDED = 200
"""How many times deeper to look where copies are to be folded, so that k distinct texts remain."""
_TREE_SHAPE = Shape()


@dataclass(frozen=True, eq=False)
class GrownTree:
    """A tree and what it was grown over."""

    tree: Tree
    rows: Ints
    """The text of each row of the tree."""
    newest: int
    """The latest item that it knows; later ones are always candidates."""
    sessions: frozenset[int]


@dataclass(eq=False)
class ConversationPlayer:
    """One conversation, ready to be asked."""

    scene: ShiftScene
    spec: ShiftSpec
    summaries: Mapping[int, str]
    """By session; sessions without one are summarised by their first turns."""
    seconds: defaultdict[str, float]
    embedder: Embedder | None = None
    _counted: dict[str, sparse.csr_array] = field(default_factory=dict)
    _stacked: tuple[tuple[str, ...], Weighted, sparse.csr_array] | None = None

    def __post_init__(self) -> None:
        start = time.process_time()
        self.line, self.lane = self.scene.line, self.scene.lane
        self.texts = [turn.text for turn in self.scene.turns]
        first: dict[str, int] = {}
        self.same = np.array([first.setdefault(text, row) for row, text in enumerate(self.texts)], dtype=np.int64)
        questions = [question.text for question in self.line.questions]
        self.vectors = TermVectors.of(self.texts, questions)
        self.seconds["terms"] += time.process_time() - start
        start = time.process_time()
        self.dense: npt.NDArray[np.float32] | None = None
        if self.embedder is not None and questions:
            self.dense = embed_queries(self.embedder, questions) @ self.embedder.embed(self.texts).T
        self.seconds["vectors"] += time.process_time() - start

    def play(self, policies: Sequence[str]) -> npt.NDArray[np.int32]:
        """Return the items that each policy finds, (policies, bursts, questions, k), padded with -1."""
        spec, line = self.spec, self.line
        picks = np.full((len(policies), len(spec.bursts), len(line.questions), spec.k), -1, dtype=np.int32)
        trees = bool({"raptor", "fusion"} & set(policies))
        for place, m in enumerate(spec.bursts):
            for number, items, view in self._views(m, trees=trees):
                for which, name in enumerate(policies):
                    start = time.process_time()
                    picked = self._pick(name, items, view)
                    picks[which, place, number, : len(picked)] = picked
                    self.seconds[name] += time.process_time() - start
        return picks

    def _pick(self, name: str, items: Ints, view: QuestionView) -> Ints:
        k = self.spec.k
        places, _ = SELECTIONS[name](view, k * _FOLDED if self.spec.dedupe else k)
        picked = items[places]
        if not self.spec.dedupe:
            return picked
        distinct = np.sort(np.unique(self.lane.row[picked], return_index=True)[1])[:k]
        return picked[distinct]

    def _views(self, m: int, *, trees: bool) -> Iterator[tuple[int, Ints, QuestionView]]:
        """Yield what can be seen for each question; a tree is grown anew when a session has begun since."""
        whole = np.flatnonzero(self.lane.depth <= m)
        shared = self._weigh(whole) if self.spec.fit is TermFit.ALL else None
        sims = None if shared is None else np.asarray((shared.queries @ shared.rows.T).todense())
        grown: GrownTree | None = None
        for segment, questions in groupby(enumerate(self.line.questions), key=lambda pair: pair[1].segment):
            for number, _ in questions:
                start = time.process_time()
                items = self.lane.visible(number, segment, m, self.spec)
                weighted = shared or self._weigh(items)
                own = sims[number] if sims is not None else weighted.compare(number)
                self.seconds["similarities"] += time.process_time() - start
                if trees:
                    grown = self._tended(grown, items, weighted)
                yield number, items, self._view(number, items, own, weighted, grown)

    def _weigh(self, items: Ints) -> Weighted:
        copies = np.bincount(self.lane.row[items], minlength=len(self.texts)).astype(np.float64)
        return self.vectors.weigh(copies)

    def _tended(self, grown: GrownTree | None, items: Ints, weighted: Weighted) -> GrownTree:
        """Return the tree that a question meets."""
        sessions = frozenset(self.lane.filed[items].tolist()) - {-1}
        if grown is not None and not sessions - grown.sessions:
            return grown
        start = time.process_time()
        rows, first, copies = np.unique(self.same[self.lane.row[items]], return_index=True, return_counts=True)
        order = np.argsort(first)  # in the order of arrival, as a memory that lives through it would have them
        rng = np.random.default_rng((self.spec.seed, len(items)))
        tree = Tree.grow(weighted.rows[rows[order]], copies[order].astype(np.float64), rng, _TREE_SHAPE)
        self.seconds["tree"] += time.process_time() - start
        return GrownTree(tree, rows[order], int(items[-1]), sessions)

    def _view(
        self, number: int, items: Ints, sims: Floats, weighted: Weighted, grown: GrownTree | None
    ) -> QuestionView:
        rows = self.lane.row[items]
        reached = np.zeros(len(items), dtype=np.bool_)
        if grown is not None:
            start = time.process_time()
            query = np.asarray(weighted.queries[[number]].todense())[0]
            marked = np.zeros(len(self.texts), dtype=np.bool_)
            marked[grown.rows[grown.tree.reach(query, _TREE_SHAPE.top)]] = True
            reached = marked[self.same[rows]] | (items > grown.newest)
            self.seconds["tree search"] += time.process_time() - start
        sessions, summary_sims = self._summary_sims(number, items, weighted)
        vectors = None if self.dense is None else self.dense[number][rows].astype(np.float64)
        return QuestionView(sims[rows], self.lane.filed[items], sessions, summary_sims, reached, vectors)

    def _summary_sims(self, number: int, items: Ints, weighted: Weighted) -> tuple[Ints, Floats]:
        """Compare the question with the summaries of all sessions that have begun."""
        start = time.process_time()
        filed = self.lane.filed[items]
        sessions, first = np.unique(filed[filed >= 0], return_index=True)
        sessions = sessions[np.argsort(first)]  # in the order in which they began
        keys = tuple(self._summary(session, items, filed) for session in sessions.tolist())
        if self._stacked is None or self._stacked[0] != keys or self._stacked[1] is not weighted:
            self._stacked = keys, weighted, unit(self._stack(keys), weighted.idf)
        sims = (self._stacked[2] @ weighted.queries[[number]].T).toarray().ravel()
        self.seconds["summaries"] += time.process_time() - start
        return sessions, sims

    def _summary(self, session: int, items: Ints, filed: Ints) -> str:
        """Return the summary of one session: as given, or its first turns."""
        if session in self.summaries:
            return self.summaries[session]
        first = self.lane.row[items[filed == session][:EXTRACT]]
        return " ".join(self.texts[row] for row in first)

    def _stack(self, summaries: Sequence[str]) -> sparse.csr_array:
        """Count the terms of summaries, each text once in all."""
        from scipy import sparse

        for text in summaries:
            if text not in self._counted:
                self._counted[text] = self.vectors.count_others([text])
        counted = [self._counted[text] for text in summaries]
        return sparse.vstack(counted, format="csr") if counted else self.vectors.count_others([])
