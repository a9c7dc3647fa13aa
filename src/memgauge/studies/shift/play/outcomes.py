"""What a simulated or a real run of the shift protocol leaves behind: who found evidence for which question."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from memgauge.studies.shift.protocol.spec import ShiftSpec
    from memgauge.studies.shift.protocol.timeline import QuestionTimeline


@dataclass(frozen=True, eq=False)
class Routed:
    """Which arm a router chose for each question."""

    arms: tuple[str, ...]
    choice: NDArray[np.int32]
    """(bursts, Q) number of the arm; -1 where the question was not answered."""
    hits: NDArray[np.bool_] | None = None
    """(arms, bursts, Q) what each arm finds when it answers everything, where that is known."""


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Hit@k of every policy under every burst length; questions in the order in which they were asked."""

    spec: ShiftSpec
    policies: tuple[str, ...]
    questions: tuple[str, ...]
    """(Q,) ids; conversations lie together."""
    conversation: NDArray[np.int32]
    """(Q,) number of the conversation."""
    segment: NDArray[np.int32]
    """(Q,) number of the session in which the question is asked, from 0, within its conversation."""
    order: NDArray[np.int32]
    """(Q,) place among the questions of its segment, from 1."""
    hits: NDArray[np.bool_]
    """(policies, bursts, Q) whether evidence was among the first k."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """CPU seconds by part: stream, similarities, and each policy."""
    routed: Mapping[str, Routed] = field(default_factory=dict)
    """By the policies that route."""
    failed: Mapping[str, int] = field(default_factory=dict)
    """Questions that ended without a result, by policy; they count as no hit."""

    @property
    def post_shift(self) -> NDArray[np.bool_]:
        """(Q,) whether a session boundary lies before it: its segment is not the first."""
        return self.segment > 0


def blank(lines: Sequence[QuestionTimeline], spec: ShiftSpec) -> Outcomes:
    """Lay out the questions of a dataset before anything has answered them."""
    placed_questions = [(n, question) for n, line in enumerate(lines) for question in line.questions]
    return Outcomes(
        spec=spec,
        policies=(),
        questions=tuple(question.id for _, question in placed_questions),
        conversation=np.array([n for n, _ in placed_questions], dtype=np.int32),
        segment=np.array([question.segment for _, question in placed_questions], dtype=np.int32),
        order=np.array([question.order for _, question in placed_questions], dtype=np.int32),
        hits=np.zeros((0, len(spec.bursts), len(placed_questions)), dtype=np.bool_),
    )
