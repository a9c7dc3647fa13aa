"""What every executor shares: a task is data, a result is bytes, and how one becomes the other."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from memgauge.errors import IdentityError
from memgauge.runs.play.disclosure import Disclosed
from memgauge.runs.play.engine import note_case, refuse_case
from memgauge.runs.play.opening import Opening
from memgauge.runs.play.player.assignment import chosen
from memgauge.runs.play.probing import Probing
from memgauge.runs.record.row_log import JournalLines, RowLog
from memgauge.runs.record.rows import AttemptRows, failures
from memgauge.runs.record.spelling import encode
from memgauge.systems.catalogue import opens_ours

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memgauge.runs.play.player.walls import Hidden
    from memgauge.runs.record.isolation import Isolation
    from memgauge.runs.record.manifest import Manifest
    from memgauge.runs.record.rows import Row
    from memgauge.streams import Stream

DIED = "the process died while running this conversation"
"""Why a conversation has no result whose worker dies whenever it is run."""


@dataclass(frozen=True)
class Task:
    """One conversation through one system; everything in it can be pickled."""

    cell: int
    number: int
    conversation: str
    stream: Stream
    manifest: Manifest
    attempt: int = 1
    relevant: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def probing(self) -> Probing:
        """Say what is probed: in every conversation the same searches, in the first other names too."""
        return Probing(f"{self.manifest.seed}/{self.conversation}", self.manifest.probes, self.number == 0)


@dataclass(frozen=True)
class TaskResult:
    """What came of a task, written down where it was done."""

    lines: JournalLines
    """Of the journal."""
    failed: int
    """Questions that ended without a result."""

    @classmethod
    def of(cls, rows: Sequence[Row]) -> TaskResult:
        """Write *rows* down."""
        return cls(JournalLines.of(encode(rows)), failures(rows))


@dataclass(frozen=True)
class Done:
    """A task with its result."""

    task: Task
    result: TaskResult

    @classmethod
    def after(cls, deaths: int, task: Task, result: TaskResult) -> Done:
        """Note in the record of a task how often its process died before."""
        if not deaths:
            return cls(task, result)
        row = encode([AttemptRows(task.conversation, task.attempt).lost(deaths)])
        return cls(task, replace(result, lines=result.lines.before_last(row)))


@runtime_checkable
class Isolating(Protocol):
    """An executor that keeps what it plays from what would be right, as far as it can, and says how far."""

    def isolate(self, hidden: Hidden, expected: str = "") -> Isolation:
        """Hide what is named from everything that is performed from now on, *expected* first."""
        ...


@runtime_checkable
class Resting(Protocol):
    """An executor that holds something between two passes over the tasks."""

    def close(self) -> None:
        """Let go of it."""
        ...


class Executor(Protocol):
    """Anything that performs tasks, in any order."""

    def run(self, tasks: Iterable[Task]) -> Iterator[Done]:
        """Yield every task when it is done; take no more tasks than can be worked on soon."""
        ...


def perform(task: Task) -> TaskResult:
    """Do one task, here.

    Raises:
        IdentityError: The code of the system is not what the manifest names, so nothing is recorded.
    """
    opening = Opening(chosen(task.manifest), task.manifest.seed)
    result = attempt(task, opening)
    if isinstance(opening.problem, IdentityError):
        raise opening.problem
    return result


def attempt(task: Task, opening: Opening) -> TaskResult:
    """Do one task with a system that *opening* opens; what cannot be opened fails every question."""
    rows = RowLog()
    note_case(
        task.conversation,
        task.stream,
        opening,
        task.manifest.limits,
        rows,
        number=task.number,
        attempt=task.attempt,
        evidence=Disclosed(task.relevant),
        probing=task.probing,
        transparent=opens_ours(task.manifest.system.ref),
        label=task.manifest.system.label,
    )
    return TaskResult(rows.lines(), rows.failed)


def refuse(task: Task, reason: str) -> TaskResult:
    """Record a task that cannot be done: every question an error with the same reason."""
    limits = task.manifest.limits
    return TaskResult.of(refuse_case(task.conversation, task.stream, limits, reason, task.number, task.attempt))
