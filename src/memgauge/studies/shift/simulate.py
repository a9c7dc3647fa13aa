"""Play the protocol for the paper's policies: each is a selection over the prefix of one conversation."""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from memgauge.datasets.base import HasDescendants
from memgauge.errors import ConfigError
from memgauge.registry import unknown_name
from memgauge.retrieval.tree import Shape, Tree
from memgauge.studies.shift.lane import Lane, lane
from memgauge.studies.shift.outcomes import Outcomes
from memgauge.studies.shift.policies import PAPER, POLICIES, View
from memgauge.studies.shift.spec import Fit, Source, Summaries
from memgauge.studies.shift.timeline import Timeline, timeline
from memgauge.studies.shift.vectors import Vectors, Weighted, unit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt
    from scipy import sparse

    from memgauge.datasets.base import Dataset
    from memgauge.studies.shift.spec import ShiftSpec

    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]

EXTRACT = 8
"""Turns of an extractive summary."""
_TREE_SHAPE = Shape()


def run_shift(dataset: Dataset, spec: ShiftSpec, policies: Sequence[str] = PAPER) -> Outcomes:
    """Play the protocol over a dataset.

    Raises:
        UnknownNameError: A policy that does not exist.
        ConfigError: The dataset has nothing to ask after a session boundary.
    """
    for name in policies:
        if name not in POLICIES:
            raise unknown_name("policy", name, POLICIES)
    lines = timelines(dataset, spec)
    sizes = [len(line.turns) for line in lines]
    seconds: defaultdict[str, float] = defaultdict(float)
    hits = []
    for number, line in enumerate(lines):
        foreign = [t.text for other in lines if other is not line for t in other.turns]
        texts = [turn.text for turn in line.turns]
        strangers = foreign if spec.source is Source.OTHER_CONVERSATIONS else []
        rows = np.arange(sizes[number], sizes[number] + len(strangers))
        player = _Player(
            line, spec, lane(line, spec, rows), texts + strangers, _summaries(dataset, line, spec), seconds
        )
        hits.append(player.play(policies))
    asked = [(n, question) for n, line in enumerate(lines) for question in line.questions]
    segment = np.array([question.segment for _, question in asked], dtype=np.int32)
    return Outcomes(
        spec=spec,
        policies=tuple(policies),
        questions=tuple(question.id for _, question in asked),
        conversation=np.array([n for n, _ in asked], dtype=np.int32),
        segment=segment,
        order=np.array([question.order for _, question in asked], dtype=np.int32),
        post_shift=segment > 0,
        hits=np.concatenate(hits, axis=2),
        seconds=dict(seconds),
    )


def timelines(dataset: Dataset, spec: ShiftSpec) -> list[Timeline]:
    """Place all questions of a dataset.

    Raises:
        ConfigError: It has no sessions, or nothing is asked after a boundary.
    """
    gold = dataset.gold()
    lines = [timeline(case, [next(gold) for _ in case.questions], spec) for case in dataset.cases()]
    name = dataset.identity.ref
    if all(len(line.sessions) < 2 for line in lines):
        raise ConfigError(
            f"{name} has no session boundaries.", "The shift study needs several sessions a conversation."
        )
    if not any(question.segment > 0 for line in lines for question in line.questions):
        raise ConfigError(f"No question of {name} is asked after a session boundary.", "Check its categories.")
    return lines


def _summaries(dataset: Dataset, line: Timeline, spec: ShiftSpec) -> Mapping[int, str]:
    """Return the dataset's own summary of each session; empty where extracts are wanted.

    Raises:
        ConfigError: The dataset has none.
    """
    if spec.summaries is Summaries.EXTRACTIVE:
        return {}
    derived = dataset.descendants(line.conversation) if isinstance(dataset, HasDescendants) else {}
    number = {turn.id: int(line.session[n]) for n, turn in enumerate(line.turns)}
    found = {number[memory.sources[0]]: memory.text for memory in derived.get("summary", ())}
    if not found:
        raise ConfigError(f"{dataset.identity.ref} has no session summaries.", "Use --summaries extractive.")
    return found


@dataclass
class _Player:
    """One conversation and everything that is computed once for it."""

    line: Timeline
    spec: ShiftSpec
    lane: Lane
    texts: Sequence[str]
    summaries: Mapping[int, str]
    seconds: defaultdict[str, float]
    anchors: list[Ints] = field(default_factory=list)
    _counted: dict[tuple[int, ...], sparse.csr_array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        start = time.process_time()
        self.vectors = Vectors.of(self.texts, [question.text for question in self.line.questions])
        self.anchors = [np.array(question.anchors) for question in self.line.questions]
        self.seconds["terms"] += time.process_time() - start

    def play(self, policies: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Return hits, (policies, bursts, questions)."""
        hits = np.zeros((len(policies), len(self.spec.bursts), len(self.line.questions)), dtype=np.bool_)
        trees = bool({"raptor", "fusion"} & set(policies))
        for place, m in enumerate(self.spec.bursts):
            for number, view in self._views(m, trees=trees):
                for which, name in enumerate(policies):
                    start = time.process_time()
                    found = view.items[POLICIES[name](view, self._depth())]
                    hits[which, place, number] = self._hit(found, number)
                    self.seconds[name] += time.process_time() - start
        return hits

    def _depth(self) -> int:
        """Look deeper where copies are to be folded, so that k distinct texts remain."""
        return self.spec.k if not self.spec.dedupe else 200 * self.spec.k

    def _hit(self, found: Ints, number: int) -> bool:
        rows, real = self.lane.row[found], self.lane.depth[found] == 0
        if not self.spec.dedupe:
            return bool(np.isin(rows[real], self.anchors[number]).any())
        distinct = rows[np.sort(np.unique(rows, return_index=True)[1])][: self.spec.k]
        return bool(np.isin(distinct, self.anchors[number]).any())

    def _views(self, m: int, *, trees: bool) -> Iterator[tuple[int, View]]:
        """Yield what can be seen for each question, a tree grown at the first question of every session."""
        whole = self.lane.depth <= m
        shared = self._weigh(np.flatnonzero(whole)) if self.spec.fit is Fit.ALL else None
        sims = None if shared is None else np.asarray((shared.queries @ shared.rows.T).todense())
        order = enumerate(self.line.questions)
        for segment, questions in groupby(order, key=lambda pair: pair[1].segment):
            tree, known = None, np.zeros(0, dtype=np.int64)
            for number, _ in questions:
                start = time.process_time()
                items = self.lane.visible(number, segment, m, self.spec)
                weighted = shared or self._weigh(items)
                own = sims[number] if sims is not None else weighted.compare(number)
                self.seconds["similarities"] += time.process_time() - start
                if trees and tree is None:
                    tree, known = self._grow(items, weighted, segment), items
                yield number, self._view(number, items, own, weighted, tree, known)

    def _weigh(self, items: Ints) -> Weighted:
        copies = np.bincount(self.lane.row[items], minlength=len(self.texts)).astype(np.float64)
        return self.vectors.weigh(copies)

    def _grow(self, items: Ints, weighted: Weighted, segment: int) -> Tree:
        start = time.process_time()
        rows, copies = np.unique(self.lane.row[items], return_counts=True)
        rng = np.random.default_rng((self.spec.seed, segment))
        grown = Tree.grow(weighted.rows[rows], copies.astype(np.float64), rng, _TREE_SHAPE)
        self.seconds["tree"] += time.process_time() - start
        return grown

    def _view(
        self, number: int, items: Ints, sims: Floats, weighted: Weighted, tree: Tree | None, known: Ints
    ) -> View:
        rows = self.lane.row[items]
        reached = np.zeros(len(items), dtype=np.bool_)
        if tree is not None:
            start = time.process_time()
            query = np.asarray(weighted.queries[[number]].todense())[0]
            inside = np.unique(self.lane.row[known])[tree.reach(query, _TREE_SHAPE.top)]
            marked = np.zeros(len(self.texts), dtype=np.bool_)
            marked[inside] = True
            reached = marked[rows] | (items > (known[-1] if len(known) else -1))
            self.seconds["tree search"] += time.process_time() - start
        sessions, summary_sims = self._summary_sims(number, items, weighted)
        return View(items, sims[rows], self.lane.filed[items], sessions, summary_sims, reached)

    def _summary_sims(self, number: int, items: Ints, weighted: Weighted) -> tuple[Ints, Floats]:
        """Compare the question with the summaries of all sessions that have begun."""
        start = time.process_time()
        filed = self.lane.filed[items]
        sessions = np.unique(filed[filed >= 0])
        rows = unit(self._summary_counts(sessions, items, filed), weighted.idf)
        sims = (rows @ weighted.queries[[number]].T).toarray().ravel()
        self.seconds["summaries"] += time.process_time() - start
        return sessions, sims

    def _summary_counts(self, sessions: Ints, items: Ints, filed: Ints) -> sparse.csr_array:
        from scipy import sparse

        counted = []
        for session in sessions.tolist():
            if session in self.summaries:
                key: tuple[int, ...] = (session,)
                text = self.summaries[session]
            else:
                first = self.lane.row[items[filed == session][:EXTRACT]]
                key = (-1, *first.tolist())
                text = " ".join(self.texts[row] for row in first)
            if key not in self._counted:
                self._counted[key] = self.vectors.count_others([text])
            counted.append(self._counted[key])
        return sparse.vstack(counted, format="csr") if counted else self.vectors.count_others([])
