"""What is in memory when a question is asked: the turns so far, and the distractors that interrupted them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.retrieval.selection import NOWHERE
from memgauge.studies.shift.protocol.spec import BurstSampling, DistractorLifetime, DistractorSource, Filing

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from memgauge.studies.shift.protocol.spec import ShiftSpec
    from memgauge.studies.shift.protocol.timeline import PlacedQuestion, QuestionTimeline

    Ints = npt.NDArray[np.int64]
    Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class MemoryLane:
    """All items that ever enter the memory of one conversation, in order of arrival, at the longest burst."""

    row: Ints
    """(N,) the row of the text of each item; distractors are copies and share rows."""
    depth: Ints
    """(N,) 0 for a real turn, else the place within its burst from 1: a burst of m turns keeps depths up to m."""
    burst: Ints
    """(N,) the session that a distractor interrupted, ``NOWHERE`` for a real turn."""
    filed: Ints
    """(N,) the session that a policy with sessions files the item under."""
    cut: Ints
    """(Q,) how many items have arrived when each question is asked."""
    counts: Mask
    """(N,) whether an item that is a turn of evidence counts as found: copies do only where they stand for it."""

    def visible(self, question: int, segment: int, m: int, spec: ShiftSpec) -> Ints:
        """Return the items that may be searched for a question, in order of arrival."""
        before_question = slice(0, self.cut[question])
        is_visible = self.depth[before_question] <= m
        if spec.memory is DistractorLifetime.ISOLATED:
            is_visible &= (self.burst[before_question] == NOWHERE) | (self.burst[before_question] == segment)
        items = np.flatnonzero(is_visible)
        return items if spec.budget is None else items[-spec.budget :]


def lane(line: QuestionTimeline, spec: ShiftSpec, strangers: Ints) -> MemoryLane:
    """Lay out a conversation with its bursts; *strangers* are rows of texts from other conversations."""
    bursts = dict(_bursts(line, spec, strangers))
    items: list[tuple[int, int, int, int]] = []
    cuts = np.zeros(len(line.questions), dtype=np.int64)
    pseudo = len(line.sessions)
    questions = iter(enumerate(line.questions))
    pending = next(questions, None)
    for turn, session in enumerate(line.session.tolist()):
        items.append((turn, 0, NOWHERE, session))
        while pending is not None and pending[1].after == turn:
            number, question = pending
            distractors = bursts.get(number, [])
            home = {Filing.EXEMPT: NOWHERE, Filing.CURRENT: session, Filing.PSEUDO_SESSION: pseudo}[spec.filing]
            items += [(row, depth, question.segment, home) for depth, row in enumerate(distractors, 1)]
            pseudo += bool(distractors)
            cuts[number] = len(items)
            pending = next(questions, None)
    row, depth, burst, filed = np.array(items, dtype=np.int64).reshape(-1, 4).T
    return MemoryLane(row, depth, burst, filed, cuts, counts=(depth == 0) | spec.dedupe)


def _bursts(line: QuestionTimeline, spec: ShiftSpec, strangers: Ints) -> Iterator[tuple[int, list[int]]]:
    """Draw the longest burst before each question that has one."""
    longest = max(spec.bursts)
    for number, question in enumerate(line.questions):
        if longest and question.segment > 0 and question.order <= spec.interrupted:
            pool = _pool(line, question, spec, strangers)
            # Shuffling the whole pool makes a short burst the beginning of a long one, whatever the longest is.
            yield number, _random(line, question, spec).permutation(pool)[:longest].tolist()


def _pool(line: QuestionTimeline, question: PlacedQuestion, spec: ShiftSpec, strangers: Ints) -> Ints:
    if spec.source is DistractorSource.OTHER_CONVERSATIONS:
        return strangers
    if spec.source is DistractorSource.PAST_SESSIONS:
        return np.flatnonzero(line.session < question.segment)
    return np.flatnonzero(line.session != question.segment)


def _random(line: QuestionTimeline, question: PlacedQuestion, spec: ShiftSpec) -> np.random.Generator:
    """Seed a burst: with the same seed each time, or by where it stands."""
    if spec.sampling is BurstSampling.FIXED_BURST:
        return np.random.default_rng(spec.seed)
    key = f"{spec.seed}/{line.conversation}/{question.segment}/{question.order}"
    return np.random.default_rng(int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big"))
