"""What a simulated or a real run of the shift protocol leaves behind: who found evidence for which question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memgauge.studies.shift.spec import ShiftSpec


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
    post_shift: NDArray[np.bool_]
    """(Q,) whether a session boundary lies before it: its segment is not the first."""
    hits: NDArray[np.bool_]
    """(policies, bursts, Q) whether evidence was among the first k."""
    seconds: dict[str, float]
    """CPU seconds by part: stream, similarities, and each policy."""
