"""Run one conversation through one system and record everything that happened.

The unit of work: a pure function from (stream, manifest) to journal lines, so that any executor on any machine
gives the same record. What fails is recorded as failed; nothing is invented and nothing is skipped silently.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, TypedDict

from memgauge.long_values import LongSequence
from memgauge.runs.play.call import Caller
from memgauge.runs.play.disclosure import Disclosed, Disclosure
from memgauge.runs.play.probing import asked_under_other_names
from memgauge.runs.play.session import LivedConversation
from memgauge.runs.record.lineage import LineageLedger
from memgauge.runs.record.phases import REST
from memgauge.runs.record.row_log import HeldRows
from memgauge.streams import Ask, SessionEnd, Write, in_units
from memgauge.systems.models.counting import counted_models

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Unpack

    from memgauge.llm.metering.calls import CallMarks
    from memgauge.runs.play.probing import Probing
    from memgauge.runs.record.manifest import Limits
    from memgauge.runs.record.row_log import RowLog
    from memgauge.streams import Event, Stream
    from memgauge.systems.protocol import MemorySystem

_COSTLY = frozenset({"llm", "server", "network"})
"""Needs of systems of which no second instance is opened for a probe."""


class CaseDetails(TypedDict, total=False):
    """What may be said of a case besides; see :func:`note_case`."""

    number: int
    attempt: int
    evidence: Disclosure | None
    probing: Probing | None
    transparent: bool
    label: str


def run_case(
    conversation: str,
    stream: Stream,
    open_system: Callable[[], MemorySystem],
    limits: Limits,
    **details: Unpack[CaseDetails],
) -> HeldRows:
    """Play the stream of one conversation, and return the rows of this attempt in order."""
    rows = HeldRows()
    note_case(conversation, stream, open_system, limits, rows, **details)
    return rows


def note_case(
    conversation: str,
    stream: Stream,
    open_system: Callable[[], MemorySystem],
    limits: Limits,
    rows: HeldRows | RowLog,
    *,
    number: int = 0,
    attempt: int = 1,
    evidence: Disclosure | None = None,
    probing: Probing | None = None,
    transparent: bool = False,
    label: str = "",
) -> None:
    """Play the stream of one conversation, and note the *rows* of this attempt in order.

    *number* is the place of the conversation in its dataset; *evidence* is handed only to a system that declares
    itself a ceiling, and one that learns is told of each of its own answers whether it held any. *probing* is done
    when everything that counts is frozen. *transparent* is a system that asks models through this package alone.
    *label* names the system to proxies that meter what it asks.
    """
    disclosure = evidence or Disclosed()
    session = LivedConversation(conversation, Caller(), limits, attempt, number, disclosure, probing, rows)
    if isinstance(stream, LongSequence):
        session.ledger = LineageLedger(many=True)
    session.meter.transparent = transparent
    unit = unit_of(conversation, attempt)

    def marks() -> CallMarks:
        from memgauge.llm.metering.calls import CallMarks

        return CallMarks(label, session.meter.phase, unit)

    with counted_models(marks, noting=not transparent):
        probed = _played(session, stream, open_system)
        if probed and probing is not None and probing.renamed:
            with session.meter.during(REST):
                in_order = not session.capabilities.read_only_search
                compared = asked_under_other_names(
                    stream, open_system, limits, probing, conversation, in_order=in_order
                )
            rows.before_end([session.sheet.probe(each) for each in compared])
    rows.before_end(session.meter.rows(session.sheet))


def _played(session: LivedConversation, stream: Stream, open_system: Callable[[], MemorySystem]) -> bool:
    """Play a stream; say whether the system is one that a fresh instance may be probed of."""
    try:
        session.start(open_system, stream)
        for kind, events in groupby(in_units(stream, session.unit), key=_kind):
            if kind is Write:
                session.fill(event for event in events if isinstance(event, (Write, SessionEnd)))
            elif kind is Ask:
                session.ask([event.question for event in events if isinstance(event, Ask)])
            else:
                for event in events:
                    session.disturb(event)
        session.finish()
        return session.probed and _COSTLY.isdisjoint(session.capabilities.needs)
    finally:
        session.close()
        session.caller.close()


def _kind(event: Event) -> type | None:
    """Say what follows each other without anything that lies between: writing, or asking."""
    return Write if isinstance(event, (Write, SessionEnd)) else Ask if isinstance(event, Ask) else None


def unit_of(conversation: str, attempt: int) -> str:
    """Name an attempt at a conversation to proxies."""
    return f"{conversation}#{attempt}"


def refuse_case(
    conversation: str, stream: Stream, limits: Limits, reason: str, number: int, attempt: int
) -> HeldRows:
    """Record a conversation that could not be run at all: every question an error with the same reason."""
    caller = Caller()
    rows = HeldRows()
    session = LivedConversation(conversation, caller, limits, attempt, number, rows=rows, broken=reason)
    caller.close()
    session.open()
    session.ask([event.question for event in stream if isinstance(event, Ask)])
    session.finish()
    return rows
