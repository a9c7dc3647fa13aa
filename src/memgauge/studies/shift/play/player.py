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
        first_rows: dict[str, int] = {}
        self.same = np.array(
            [first_rows.setdefault(text, row) for row, text in enumerate(self.texts)], dtype=np.int64
        )
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
                for policy_number, name in enumerate(policies):
                    start = time.process_time()
                    picked_items = self._pick(name, items, view)
                    picks[policy_number, place, number, : len(picked_items)] = picked_items
                    self.seconds[name] += time.process_time() - start
        return picks

    def _pick(self, name: str, items: Ints, view: QuestionView) -> Ints:
        k = self.spec.k
        places, _ = SELECTIONS[name](view, k * _FOLDED if self.spec.dedupe else k)
        picked_items = items[places]
        if not self.spec.dedupe:
            return picked_items
        distinct = np.sort(np.unique(self.lane.row[picked_items], return_index=True)[1])[:k]
        return picked_items[distinct]

    def _views(self, m: int, *, trees: bool) -> Iterator[tuple[int, Ints, QuestionView]]:
        """Yield what can be seen for each question; a tree is grown anew when a session has begun since."""
        reachable = np.flatnonzero(self.lane.depth <= m)
        shared_weights = self._weigh(reachable) if self.spec.fit is TermFit.ALL else None
        sims = (
            None
            if shared_weights is None
            else np.asarray((shared_weights.queries @ shared_weights.rows.T).todense())
        )
        grown_tree: GrownTree | None = None
        for segment, questions in groupby(enumerate(self.line.questions), key=lambda pair: pair[1].segment):
            for number, _ in questions:
                start = time.process_time()
                items = self.lane.visible(number, segment, m, self.spec)
                weights = shared_weights or self._weigh(items)
                own_sims = sims[number] if sims is not None else weights.compare(number)
                self.seconds["similarities"] += time.process_time() - start
                if trees:
                    grown_tree = self._tended(grown_tree, items, weights)
                yield number, items, self._view(number, items, own_sims, weights, grown_tree)

    def _weigh(self, items: Ints) -> Weighted:
        copies = np.bincount(self.lane.row[items], minlength=len(self.texts)).astype(np.float64)
        return self.vectors.weigh(copies)

    def _tended(self, grown_tree: GrownTree | None, items: Ints, weights: Weighted) -> GrownTree:
        """Return the tree that a question meets."""
        sessions = frozenset(self.lane.filed[items].tolist()) - {-1}
        if grown_tree is not None and not sessions - grown_tree.sessions:
            return grown_tree
        start = time.process_time()
        rows, firsts, copies = np.unique(self.same[self.lane.row[items]], return_index=True, return_counts=True)
        order = np.argsort(firsts)  # in the order of arrival, as a memory that lives through it would have them
        rng = np.random.default_rng((self.spec.seed, len(items)))
        tree = Tree.grow(weights.rows[rows[order]], copies[order].astype(np.float64), rng, _TREE_SHAPE)
        self.seconds["tree"] += time.process_time() - start
        return GrownTree(tree, rows[order], int(items[-1]), sessions)

    def _view(
        self, number: int, items: Ints, sims: Floats, weights: Weighted, grown_tree: GrownTree | None
    ) -> QuestionView:
        rows = self.lane.row[items]
        is_reached = np.zeros(len(items), dtype=np.bool_)
        if grown_tree is not None:
            start = time.process_time()
            query = np.asarray(weights.queries[[number]].todense())[0]
            is_marked = np.zeros(len(self.texts), dtype=np.bool_)
            is_marked[grown_tree.rows[grown_tree.tree.reach(query, _TREE_SHAPE.top)]] = True
            is_reached = is_marked[self.same[rows]] | (items > grown_tree.newest)
            self.seconds["tree search"] += time.process_time() - start
        sessions, summary_sims = self._summary_sims(number, items, weights)
        vectors = None if self.dense is None else self.dense[number][rows].astype(np.float64)
        return QuestionView(sims[rows], self.lane.filed[items], sessions, summary_sims, is_reached, vectors)

    def _summary_sims(self, number: int, items: Ints, weights: Weighted) -> tuple[Ints, Floats]:
        """Compare the question with the summaries of all sessions that have begun."""
        start = time.process_time()
        filed = self.lane.filed[items]
        sessions, first_places = np.unique(filed[filed >= 0], return_index=True)
        sessions = sessions[np.argsort(first_places)]  # in the order in which they began
        keys = tuple(self._summary(session, items, filed) for session in sessions.tolist())
        if self._stacked is None or self._stacked[0] != keys or self._stacked[1] is not weights:
            self._stacked = keys, weights, unit(self._stack(keys), weights.idf)
        sims = (self._stacked[2] @ weights.queries[[number]].T).toarray().ravel()
        self.seconds["summaries"] += time.process_time() - start
        return sessions, sims

    def _summary(self, session: int, items: Ints, filed: Ints) -> str:
        """Return the summary of one session: as given, or its first turns."""
        if session in self.summaries:
            return self.summaries[session]
        first_lines = self.lane.row[items[filed == session][:EXTRACT]]
        return " ".join(self.texts[row] for row in first_lines)

    def _stack(self, summaries: Sequence[str]) -> sparse.csr_array:
        """Count the terms of summaries, each text once in all."""
        from scipy import sparse

        for text in summaries:
            if text not in self._counted:
                self._counted[text] = self.vectors.count_others([text])
        count_rows = [self._counted[text] for text in summaries]
        return sparse.vstack(count_rows, format="csr") if count_rows else self.vectors.count_others([])
