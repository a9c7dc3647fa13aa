"""What runs in a player: it is started bare, looks at what it can reach, and then does what frames ask for.

It imports as little as playing needs: each run starts one.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import pickle
import queue
import sys
import threading
import time
from collections import Counter
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import IdentityError, SystemFault, UserError
from memgauge.long_values import sequence_of
from memgauge.runs.play.engine import note_case
from memgauge.runs.play.opening import Opening
from memgauge.runs.play.player.assignment import Assignment, Chosen, Examination
from memgauge.runs.play.player.describing import describe
from memgauge.runs.play.player.frames import receive, send, spelt
from memgauge.runs.play.player.packing import unpacked
from memgauge.runs.play.player.sight import HiddenFiles, look
from memgauge.runs.play.watch import watch
from memgauge.runs.record.row_log import RowLog
from memgauge.runs.record.verbatim import VerbatimLog, turns_of
from memgauge.systems.catalogue import SYSTEMS, open_system, opens_ours
from memgauge.systems.models.counting import counted_models
from memgauge.systems.wire.confining import close_memory

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

    from memgauge.llm.metering.calls import CallMarks
    from memgauge.runs.play.disclosure import Disclosure
    from memgauge.runs.record.row_log import JournalLines
    from memgauge.streams import Event

_VALUES: Final = 50_000
"""New values after which circles are looked for: a conversation is tens of thousands of them, and has none."""
LOOKED_AT: Final = "check"
"""The phase of what a system asks before it is played."""


@dataclass
class OwnerLine:
    """The two pipes to the owner; what it asks for waits in a queue, and its end is the end of this process."""

    source: int
    target: int

    def __post_init__(self) -> None:
        self._waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._idle = threading.Event()
        threading.Thread(target=self._listen, name="memgauge-owner", daemon=True).start()

    def next(self) -> Any:
        """Wait for what the owner asks for.

        Raises:
            EOFError: It wants no more.
        """
        self._idle.set()
        asked = self._waiting.get()
        self._idle.clear()
        if asked is None:
            raise EOFError
        return asked

    def answer(self, header: dict[str, Any], body: bytes = b"") -> None:
        """Say something to the owner, who may hang up once it is heard."""
        self._idle.set()
        send(self.target, spelt(header, body))

    def _listen(self) -> None:
        while True:
            try:
                payload = receive(self.source)
            except EOFError:
                if not self._idle.is_set():
                    os._exit(1)  # nobody is left who wants the result
                self._waiting.put(None)
                return
            self._waiting.put(pickle.loads(payload))  # noqa: S301 - the owner's, whom we trust


@dataclass
class AskedEvidence:
    """Lets the owner say whether an answer held evidence; the player never sees which turns are."""

    line: OwnerLine
    task: Assignment

    def turns(self, question: str) -> Sequence[str]:
        """Return the evidence that a ceiling is told."""
        return self.task.truth.get(question, ())

    def held(self, question: str, returned: Sequence[str]) -> bool | None:
        """Ask the owner."""
        if not self.task.learns:
            return None
        self.line.answer({"returned": list(returned), "question": question})
        held: bool | None = self.line.next()
        return held


def main(source: int, target: int) -> None:
    """Serve one owner until it wants no more."""
    close_memory()  # to programs that a memory starts: behind walls they have no right to look past this
    line = OwnerLine(source, target)
    with contextlib.suppress(EOFError, OSError):
        wanted: HiddenFiles = line.next()
        line.answer({"ready": True, "sight": look(wanted)})
        _warm(wanted.expected)
        gc.freeze()  # what is loaded by now stays
        gc.set_threshold(_VALUES)
        watch()
        while True:
            serve(line, line.next())


def _warm(expected: str) -> None:
    """Import what the first system lives in, while the owner still reads the first conversation."""
    name = expected.partition(":")[0]
    if name in SYSTEMS.builtin:
        with contextlib.suppress(UserError):
            SYSTEMS.get(name)


def serve(line: OwnerLine, asked: object) -> None:
    """Do one thing and answer; what foreign code does wrong is in the answer."""
    try:
        if isinstance(asked, Assignment):
            rows = RowLog() if asked.more else VerbatimLog(turns_of(asked.stream))
            if asked.more:
                asked = replace(asked, stream=sequence_of(_heard(line)), more=False)
            header, lines = play(asked, AskedEvidence(line, asked), rows)
            body = _said(line, lines)
        elif isinstance(asked, Chosen):
            with _looked_at(asked):
                header, body = {"system": describe(asked)}, b""
        elif isinstance(asked, Examination):
            with _looked_at(asked.system):
                header, body = examined(asked, line), b""
        else:
            raise TypeError(type(asked).__name__)  # the owner is of another version
    except UserError as error:
        header, body = {"error": type(error).__name__, "what": error.what, "remedy": error.remedy}, b""
    except SystemFault as fault:
        header, body = {"fault": str(fault)}, b""
    line.answer(header, body)


def _looked_at(system: Chosen) -> AbstractContextManager[None]:
    """Name a system to proxies while it is looked at and not played."""

    def marks() -> CallMarks:
        from memgauge.llm.metering.calls import CallMarks

        return CallMarks(system.label or system.ref, LOOKED_AT)

    return counted_models(marks, noting=False)


def _heard(line: OwnerLine) -> Iterator[Event]:
    """Ask the owner for a long stream, portion by portion."""
    while True:
        line.answer({"more": True})
        portion = line.next()
        if not portion:
            return
        yield from unpacked(portion)


def _said(line: OwnerLine, lines: JournalLines) -> bytes:
    """Hand over all lines but the last portion, which is returned."""
    last = b""
    for number, portion in enumerate(lines, 1):
        if number == len(lines):
            last = portion
            break
        line.answer({"lines": True}, portion)
        line.next()
    return last


def play(task: Assignment, evidence: Disclosure, rows: RowLog) -> tuple[dict[str, Any], JournalLines]:
    """Play one conversation and note its *rows*; what cannot be opened fails every question.

    Raises:
        IdentityError: The code of the system is not what was planned.
    """
    opening = Opening(task.system, task.system.seed)
    began = time.perf_counter()
    note_case(
        task.conversation,
        task.stream,
        opening,
        task.bounds,
        rows,
        number=task.number,
        attempt=task.attempt,
        evidence=evidence,
        probing=task.probing,
        transparent=opens_ours(task.system.ref),
        label=task.system.label,
    )
    if isinstance(opening.problem, IdentityError):
        raise opening.problem
    return {"failed": rows.failed, "seconds": time.perf_counter() - began}, rows.lines()


def examined(asked: Examination, line: OwnerLine) -> dict[str, Any]:
    """Put every check to a system, and tell the owner of each, who may have heard enough; return what all used."""
    from memgauge.systems.conformance import checks
    from memgauge.systems.conformance.measure import MeasuredSystems

    opened = MeasuredSystems(lambda: open_system(asked.ref, seed=asked.system.seed))
    for check in checks(opened, timeout_s=asked.probe_s):
        line.answer({"check": [check.name, str(check.verdict), check.detail]})
        if line.next() is False:
            break
    used = opened.used()
    if used is None:
        return {"used": None}
    outside, used.outside = dict(used.outside), Counter()  # a counter is not taken apart by asdict
    return {"used": {**asdict(used), "outside": outside}}


def begin() -> None:
    """Start with the two pipes that the owner's command line names."""
    main(int(sys.argv[1]), int(sys.argv[2]))
    atexit._run_exitfuncs()  # noqa: SLF001 - what was opened ends with this process, and at once
    os._exit(0)  # threads of foreign code would hold up the end
