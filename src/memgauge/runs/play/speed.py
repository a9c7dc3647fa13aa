"""How fast a memory is, from the beginning of one conversation that is played and thrown away."""

from __future__ import annotations

import itertools
import threading
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Final

from memgauge.datasets.folders import folders_of
from memgauge.records import Outcome
from memgauge.runs.play.executors.base import Task
from memgauge.runs.play.player.process import GRACE_S, PlayerDied
from memgauge.runs.play.player.rows import rows_of
from memgauge.runs.play.player.troupe import Troupe
from memgauge.runs.play.player.walls import Hidden
from memgauge.streams import Ask, SessionEnd, Write

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memgauge.records import Case
    from memgauge.runs.play.plan import PlannedRun
    from memgauge.runs.record.rows import Row
    from memgauge.streams import Event, Stream

TURNS: Final = 30
"""Turns that are written to see how long writing takes."""
QUESTIONS: Final = 5
"""Questions that are asked after them."""
AGAIN: Final = 6
"""Searches of a conversation that are made again beside the record."""


@dataclass(frozen=True)
class Extent:
    """How much work a conversation is."""

    turns: int
    questions: int

    @classmethod
    def of(cls, case: Case) -> Extent:
        """Count it."""
        return cls(sum(len(session.turns) for session in case.conversation.sessions), len(case.questions))


@dataclass(frozen=True)
class Speed:
    """How long a memory takes for what it is asked."""

    start_s: float
    """Until its process is there, once a worker."""
    open_s: float
    """For a conversation, whatever its length."""
    turn_s: float
    """For a turn, with all that comes with writing it."""
    question_s: float

    def seconds(self, extent: Extent) -> float:
        """Say how long a conversation takes."""
        return self.open_s + self.turn_s * extent.turns + self.question_s * (extent.questions + AGAIN)


@dataclass(frozen=True)
class SpeedTrial:
    """What a beginning showed."""

    speed: Speed | None
    """``None`` where it did not come to its end."""
    problem: str = ""
    """Why not; or why no question of it was answered."""
    reasons: Mapping[str, int] = field(default_factory=dict)
    """Calls that failed, by their reasons, the commonest first."""
    late: str = ""
    """The call that did not return in time, if there was one."""


def speed_of(
    cell: PlannedRun, case: Case, *, within_s: float, turns: int = TURNS, questions: int = QUESTIONS
) -> SpeedTrial:
    """Play the beginning of a conversation in a process of its own, for so many seconds at most."""
    stream = _beginning(cell.stream.order(case), turns, questions)
    allowed = {"timeout_s": min(cell.manifest.limits.timeout_s, within_s), "retries": 0}
    limits = cell.manifest.limits.model_copy(update=allowed)
    manifest = cell.manifest.model_copy(update={"probes": 0, "limits": limits})
    task = Task(0, 0, case.conversation.id, stream, manifest)
    began = time.monotonic()
    patience = within_s + 4 * GRACE_S  # a call that is late is named before its process is ended
    with _bounded(Troupe(Hidden(folders_of(())), manifest.system.ref), patience) as troupe:
        try:
            played = troupe.play(task)
        except PlayerDied:
            is_late = time.monotonic() - began >= patience
            what = f"took longer than {within_s:.0f} s" if is_late else "ended its process"
            return SpeedTrial(None, what, late=what if is_late else "")
    return _paced(task, rows_of(bytes(played.lines)), played.seconds, time.monotonic() - began)


@contextmanager
def _bounded(troupe: Troupe, within_s: float) -> Iterator[Troupe]:
    """Let a troupe play for so many seconds, and end it."""
    clock = threading.Timer(within_s, troupe.close)
    clock.start()
    try:
        yield troupe
    finally:
        clock.cancel()
        troupe.close()


def _beginning(stream: Stream, turns: int, questions: int) -> Stream:
    """Return the first turns, and the first questions after them."""
    writes = itertools.islice((event for event in stream if isinstance(event, Write)), turns)
    asks = itertools.islice((event for event in stream if isinstance(event, Ask)), questions)
    written: list[Event] = list(writes)
    last = written[-1].turns[-1].session if written and isinstance(written[-1], Write) else ""
    return (*written, SessionEnd(last), *asks)


def _paced(task: Task, rows: list[Row], seconds: float, wall: float) -> SpeedTrial:
    """DatasetShare the time out among opening, turns and questions, and say what failed."""
    turns = sum(len(event.turns) for event in task.stream if isinstance(event, Write))
    asked = [row for row in rows if row["t"] == "question"]
    searching = sum(row["ms"] or 0.0 for row in asked) / 1000
    calls = [row for row in rows if row.get("reason") and row.get("outcome") not in {None, "ok", "empty"}]
    reasons = dict(Counter(str(row["reason"]) for row in calls).most_common())
    unanswered = all(row["outcome"] not in {"ok", "empty"} for row in asked)
    problem = f"answered none of {len(asked)} questions" if asked and unanswered else ""
    writes = [row.get("ms") or 0.0 for row in rows if row["t"] == "write"]
    first = max(writes[0] - median(writes), 0.0) / 1000 if writes else 0.0  # what starts late starts here
    timed = sum(row.get("ms") or 0.0 for row in rows if row["t"] in {"write", "flush"}) / 1000 - first
    rest = max(seconds - searching - timed - first, 0.0)
    promises = task.manifest.system.capabilities
    dumps = not (promises.get("reports_changes") or promises.get("declares_sources"))  # all, at every write
    opening, writing = (first, timed + rest) if dumps else (first + rest, timed)
    made = Speed(max(wall - seconds, 0.0), opening, writing / max(turns, 1), searching / max(len(asked), 1))
    late = next((str(row["reason"]) for row in rows if row.get("outcome") == Outcome.TIMEOUT), "")
    return SpeedTrial(made, problem, reasons, late)
