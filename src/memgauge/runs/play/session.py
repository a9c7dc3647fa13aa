"""One system living through one conversation: what it is called with, and what is recorded of it."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memgauge.errors import CallFailed, CallTimeout, ContractBreach, SystemFault
from memgauge.records import Outcome, Ranking, Scope
from memgauge.runs.play.call import Caller, let_go, shut
from memgauge.runs.play.disclosure import Disclosed, Disclosure
from memgauge.runs.play.meter import CostMeter
from memgauge.runs.play.probing import (
    Searched,
    asked_again,
    texts_of,
)
from memgauge.runs.play.watch import noticed
from memgauge.runs.record.answers import Frozen, freeze
from memgauge.runs.record.lineage import LineageLedger
from memgauge.runs.record.phases import INGEST, QUERY, REST
from memgauge.runs.record.probes import LOOKED, SearchProbe
from memgauge.runs.record.row_log import HeldRows, RowLog
from memgauge.runs.record.rows import AttemptRows
from memgauge.streams import Ask, Removal, Remove, Reset, SessionEnd, Write
from memgauge.systems.plain import PlainCopies, plain_capabilities, plain_listing, plain_receipt, plain_text
from memgauge.systems.protocol import (
    Answering,
    Capabilities,
    Closing,
    Durable,
    Erasable,
    Learning,
    MemorySystem,
    Metered,
    Mutable,
    Privileged,
    Role,
    implements,
)
from memgauge.systems.wire.usage import bytes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from memgauge.records import Memory, Question, Receipt, Turn
    from memgauge.runs.play.call import Timed
    from memgauge.runs.play.probing import Probing, Texts
    from memgauge.runs.record.manifest import Limits
    from memgauge.streams import Event, Stream

_WRITES, _SEARCHES = 64, 32
"""Calls that are handed over at a time: each of them holds what it returned until it is noted."""
_DUMPED = 1 << 16
"""Memories that one call lists at most."""


@dataclass
class LivedConversation:
    """One system instance living through one conversation."""

    conversation: str
    caller: Caller
    limits: Limits
    attempt: int
    number: int
    evidence: Disclosure = field(default_factory=Disclosed)
    probing: Probing | None = None
    rows: HeldRows | RowLog = field(default_factory=HeldRows)
    ledger: LineageLedger = field(default_factory=LineageLedger)
    copies: PlainCopies = field(default_factory=PlainCopies)
    meter: CostMeter = field(default_factory=CostMeter)
    unit: str = "turn"
    broken: str = ""
    """Why the system cannot be asked any more; empty while it can."""
    written: int = 0
    """Characters written so far."""
    _position: int = 0
    _running: str = ""
    """The session of the last write."""
    _unsettled: bool = False
    """Whether something was written since the last flush."""
    _searched: list[Searched] = field(default_factory=list)
    """What was searched since the last write: asked again it must be found again."""

    def __post_init__(self) -> None:
        self.scope = self.home = Scope(user=self.conversation)
        """In whose name questions are asked, and in whose name something was written last."""
        self.sheet = AttemptRows(self.conversation, self.attempt)

    def open(self) -> None:
        """Begin the record of this attempt."""
        self._row("case", number=self.number)

    def start(self, open_system: Callable[[], MemorySystem], stream: Stream) -> None:
        """Open the system and learn what it promises; what fails here fails every question with its reason."""
        self.open()
        try:
            with self.meter.during(REST):
                opened = self.caller.call("opening the system", open_system, self.limits.timeout_s, late=let_go)
            self.system = opened.value
            if implements(self.system, Metered):
                self.meter.telling = self._spent
            self.capabilities = _promises(self._call("capabilities", self.system.capabilities))
            self._call("reset", self.system.reset)
            if self.capabilities.role is Role.CEILING and implements(self.system, Privileged):
                privileged, truth = self.system, self._truth(stream)
                self._call("reveal", lambda: privileged.reveal(truth))
            self.unit = str(self.capabilities.unit)
        except SystemFault as fault:
            self.broken = str(fault)

    def _truth(self, stream: Stream) -> dict[str, tuple[str, ...]]:
        """Gather the evidence of each question by its text, which is all that a system is asked with."""
        truth: dict[str, tuple[str, ...]] = {}
        for event in stream:
            if isinstance(event, Ask):
                known = truth.get(event.question.text, ())
                turns = (*known, *self.evidence.turns(event.question.id))
                truth[event.question.text] = tuple(dict.fromkeys(turns))
        return truth

    def disturb(self, event: Event) -> None:
        """Do what is neither writing nor asking."""
        if isinstance(event, Reset):
            self.restart()
        elif isinstance(event, Remove):
            self.remove(event.how)

    def fill(self, events: Iterable[Write | SessionEnd]) -> None:
        """Hand over turns, and wait at the end of sessions; in batches where no dump lies between two writes."""
        step = _WRITES if not self.broken and self.capabilities.declares_sources else 1
        source = iter(events)
        waiting: list[Write | SessionEnd] = []
        while waiting := [*waiting, *islice(source, step - len(waiting))]:
            portion = waiting[: 1 if self.broken else step]
            ended = self._written(portion)
            for event, end in zip(portion, ended, strict=False):
                if isinstance(event, Write):
                    self._note_write(event, end)
                else:
                    self._note_flush(event.session, end)
            waiting = waiting[len(ended) :]

    def _written(self, events: Sequence[Write | SessionEnd]) -> Sequence[Timed[Any] | SystemFault | None]:
        """Make the calls of writes and ends of sessions, up to one that fails; ``None`` is one not made."""
        if self.broken:
            return [None]
        home = self.home
        calls: list[tuple[str, Callable[[], Any]]] = []
        for event in events:
            if isinstance(event, Write):
                home = self._home(event)
                calls.append(("ingest", partial(self._ingested, event.turns, home)))
            else:
                calls.append(("flush", partial(self.system.flush, home, self.limits.timeout_s)))
        with self.meter.during(INGEST):
            return self.caller.calls(calls, self.limits.timeout_s)

    def _home(self, event: Write) -> Scope:
        return Scope(user=event.user) if event.user else self.scope

    def _ingested(self, turns: Sequence[Turn], home: Scope) -> tuple[Receipt, str]:
        receipt, wrong = plain_receipt(self.system.ingest(turns, home))
        return receipt, f"no receipt: {wrong}" if wrong else ""

    def _note_write(self, event: Write, end: Timed[Any] | SystemFault | None) -> None:
        """Note what the system says became of turns that were handed over."""
        for turn in event.turns:
            self.written += len(turn.text)
        self._searched.clear()
        self._running, self._unsettled = event.turns[0].session, True
        self.home = self._home(event)
        turns = [turn.id for turn in event.turns]
        if end is None:
            self._row("write", turns=turns, outcome=Outcome.ERROR, reason=f"not written: {self.broken}")
            return
        if isinstance(end, SystemFault):
            self._lost(end)
            self._row("write", turns=turns, outcome=_outcome(end), reason=str(end))
            return
        receipt, reason = end.value
        self.ledger.wrote(event.turns, receipt)
        if not (self.capabilities.declares_sources or receipt.changes is not None):
            self._compare(event)
        changed = [change.memory for change in receipt.changes or ()]
        self._row("write", turns=turns, outcome=Outcome.OK, reason=reason, ms=end.ms, changed=changed)

    def _note_flush(self, session: str, end: Timed[Any] | SystemFault | None) -> None:
        """Note that what was written can be found from now on."""
        self._unsettled = False
        if isinstance(end, SystemFault):
            self._lost(end)
            self._row("flush", session=session, outcome=_outcome(end), reason=str(end))
        elif end is not None:
            self._row("flush", session=session, outcome=Outcome.OK, ms=end.ms)

    def settle(self, session: str) -> None:
        """Wait until what was written can be found."""
        (end,) = self._written([SessionEnd(session)])
        self._note_flush(session, end)

    def restart(self) -> None:
        """Make the system forget everything; what it is to know again is written again."""
        self.written = 0
        self._searched.clear()
        if self.broken:
            return
        try:
            self._call("reset", self.system.reset)
        except SystemFault as fault:
            self.broken = str(fault)  # what is found from here on would be of another protocol

    def remove(self, how: Removal) -> None:
        """Have everything of the scope removed; a system that does not offer this way cannot be asked any more."""
        if self._unsettled:
            self.settle(self._running)
        self.written, self._unsettled = 0, True
        self._searched.clear()
        if self.broken:
            return
        system = self.system
        try:
            if how is Removal.SCOPE and implements(system, Erasable):
                self._call("erase", lambda: system.erase(self.scope))
            elif how is Removal.MEMORIES and implements(system, Mutable):
                stored = [memory.id for memory in self._dump(self.scope)]
                self._call("delete", lambda: system.delete(stored, self.scope))
            else:
                self.broken = f"it offers no way to {how}"
        except SystemFault as fault:
            self.broken = str(fault)  # what is found from here on would be of another protocol

    def ask(self, questions: Sequence[Question]) -> None:
        """Search for questions; in batches where a system is told and asked nothing between two of them."""
        place = 0
        while place < len(questions):
            if self._unsettled:
                self.settle(self._running)  # a question in the middle of a session finds all said before it
            if self.broken:
                self._answer(questions[place], Outcome.ERROR, reason=f"not asked: {self.broken}", tries=0)
                place += 1
                continue
            alone = implements(self.system, Learning) or (self.limits.ask and implements(self.system, Answering))
            ended = self._found(questions[place : place + (1 if alone else _SEARCHES)])
            for question, end in zip(questions[place:], ended, strict=False):
                self._note_search(question, end)
            place += len(ended)

    def _found(self, questions: Sequence[Question]) -> Sequence[Timed[Ranking | ContractBreach] | SystemFault]:
        """Search for questions, up to one whose search is to be tried again."""
        calls = [("search", partial(self._ranked, question)) for question in questions]
        with self.meter.during(QUERY):
            return self.caller.calls(calls, self.limits.timeout_s, lambda value: isinstance(value, ContractBreach))

    def _ranked(self, question: Question) -> Ranking | ContractBreach:
        """Search once; the clock stops when the ranking is a value."""
        ranking = self.system.search(question.text, self.scope, self.limits.k, question.asked_at)
        return self.copies.ranking(ranking)

    def _note_search(self, question: Question, end: Timed[Ranking | ContractBreach] | SystemFault) -> None:
        """Note what a search returned, trying again where the system raised; its time is that of all tries."""
        ms = 0.0
        for tries in range(1, self.limits.retries + 2):
            if tries > 1:
                (end,) = self._found([question])
            ms += end.ms
            if isinstance(end, CallTimeout):
                self._lost(end)
                self._answer(question, Outcome.TIMEOUT, reason=str(end), tries=tries)
                return
            try:
                if isinstance(end, SystemFault):
                    raise end
                frozen = freeze(end.value, self.ledger, self.limits)
            except (CallFailed, ContractBreach) as fault:
                reason = str(fault)
                continue
            outcome = Outcome.OK if frozen.hits else Outcome.EMPTY
            self._answer(question, outcome, frozen=frozen, ms=ms, tries=tries)
            self._remember(question, end.value)
            self._reward(question, frozen)
            self._reply(question)
            return
        self._answer(question, Outcome.ERROR, reason=reason, tries=tries)

    def _reply(self, question: Question) -> None:
        """Let a system that answers by itself do so, where that is wanted; it is asked once."""
        if not self.limits.ask or not implements(self.system, Answering):
            return
        system = self.system
        try:
            with self.meter.during(QUERY):
                timed = self.caller.call(
                    "ask", lambda: system.ask(question.text, self.scope, question.asked_at), self.limits.timeout_s
                )
        except SystemFault as fault:
            self._lost(fault)
            self._row("reply", question=question.id, outcome=_outcome(fault), reason=str(fault))
            return
        text = plain_text(timed.value, "ask")
        if isinstance(text, ContractBreach):
            self._row("reply", question=question.id, outcome=Outcome.ERROR, reason=str(text))
            return
        outcome = Outcome.OK if text else Outcome.EMPTY
        self._row("reply", question=question.id, outcome=outcome, reason="", text=text, ms=timed.ms)

    def _reward(self, question: Question, frozen: Frozen) -> None:
        """Tell a system that learns whether what it found held evidence."""
        if not implements(self.system, Learning):
            return
        held = self.evidence.held(question.id, [turn for version, _ in frozen.hits for turn in version.sources])
        if held is None:
            return
        learner = self.system
        try:
            self._call("reward", lambda: learner.reward(float(held)))
        except SystemFault as fault:
            self.broken = str(fault)

    def finish(self) -> None:
        """List what is stored at the end and close the record of this attempt."""
        stored = None if self.broken else self._stored()
        if not self.broken:
            try:
                for memories in self._dumped(self.scope):
                    for memory in memories:
                        self.ledger.keep(memory)
            except SystemFault as fault:
                self._row("flush", session="", outcome=_outcome(fault), reason=str(fault))
        self.rows.keep(self.ledger.rows(), self.sheet)
        if self.probed and self.probing is not None:
            compared = asked_again(self._searched, self.probing, self._search_again)
            self.rows.extend(self.sheet.probe(each) for each in compared)
        self.rows.extend(
            self.sheet.probe(SearchProbe(f"{LOOKED}{what}", n, n, "")) for what, n in noticed().items()
        )
        self.rows.append(self.sheet.end(self.rows.failed, stored))
        self.meter.hear_last()

    def _stored(self) -> int | None:
        """Count the bytes of the store; ``None`` where the system names no files."""
        if not implements(self.system, Durable):
            return None
        system = self.system
        try:
            return int(self._call("storage_paths", lambda: bytes_of(map(Path, system.storage_paths()))))
        except SystemFault:
            return None

    @property
    def probed(self) -> bool:
        """Whether the system is one whose answers may not depend on what was asked before."""
        wanted = self.probing is not None and self.probing.searches > 0
        if self.broken or not wanted or self.capabilities.role is not Role.SYSTEM:
            return False
        return not implements(self.system, Learning)

    def _remember(self, question: Question, ranking: Ranking | ContractBreach) -> None:
        """Keep what a search returned, as long as it may be probed."""
        if self.probing is not None and isinstance(ranking, Ranking):
            self._searched.append(Searched.of(question, ranking, self.limits))

    def _search_again(self, question: Question) -> Texts | None:
        """Search for a question beside the record; ``None`` where nothing comes of it."""
        try:
            ranking = self._call(
                "search",
                lambda: self._ranked(question),
            )
        except SystemFault:
            return None
        return (
            texts_of(ranking, self.limits.k, self.limits.budget_tokens) if isinstance(ranking, Ranking) else None
        )

    def close(self) -> None:
        """Close the system, where it was opened and can be closed; its record is complete by now."""
        system = getattr(self, "system", None)
        if implements(system, Closing):
            shut(self.caller, system.close)

    def _compare(self, event: Write) -> None:
        """Find out by a dump what a write changed, for systems that do not say."""
        try:
            self._call("flush", lambda: self.system.flush(self.home, self.limits.timeout_s))
            stored = self._dump(self.home)
        except SystemFault as fault:
            reason = f"what the write changed could not be seen: {fault}"
            self._row("flush", session=event.turns[-1].session, outcome=_outcome(fault), reason=reason)
            self._lost(fault)
            return
        self.ledger.compared(event.turns, stored)

    def _dump(self, scope: Scope) -> list[Memory]:
        return [memory for memories in self._dumped(scope) for memory in memories]

    def _dumped(self, scope: Scope) -> Iterator[list[Memory]]:
        """List what is stored, in portions: each of them is one call, which may take as long as any."""
        source: list[Iterator[object]] = []

        def portion() -> list[Memory] | ContractBreach:
            if not source:
                listed = plain_listing(self.system.dump(scope))
                if isinstance(listed, ContractBreach):
                    return listed
                source.append(iter(listed))
            return self.copies.memories(islice(source[0], _DUMPED))

        while True:
            stored: list[Memory] | ContractBreach = self._call("dump", portion)
            if isinstance(stored, ContractBreach):
                raise stored
            yield stored
            if len(stored) < _DUMPED:
                return

    def _call(self, what: str, function: Callable[[], Any]) -> Any:
        with self.meter.during(REST):
            return self.caller.call(what, function, self.limits.timeout_s).value

    def _spent(self) -> object:
        """Let a system that counts say what it spent; one that cannot say so now says nothing."""
        if self.broken or not implements(self.system, Metered):
            return None
        system = self.system
        try:
            return self.caller.call("spent", lambda: copy.deepcopy(system.spent()), self.limits.timeout_s).value
        except SystemFault as fault:
            self._lost(fault)
            return None

    def _lost(self, fault: SystemFault) -> None:
        """Give up a system whose call is still out after its time once more; one that is late loses that call."""
        if isinstance(fault, CallTimeout) and not self.caller.came_back(self.limits.timeout_s):
            self.broken = str(fault)

    def _row(self, table: str, **values: Any) -> None:
        self.rows.append(self.sheet.row(table, **values))

    def _answer(
        self,
        question: Question,
        outcome: Outcome,
        *,
        frozen: Frozen | None = None,
        reason: str = "",
        ms: float | None = None,
        tries: int,
    ) -> None:
        self.rows.append(
            self.sheet.question(
                question,
                self._position,
                outcome,
                k=self.limits.k,
                frozen=frozen,
                written=self.written,
                reason=reason,
                ms=ms,
                tries=tries,
            )
        )
        self._position += 1


def _promises(value: object) -> Capabilities:
    """Check what a system declares of itself as far as the harness relies on it."""
    promises = plain_capabilities(value)
    if isinstance(promises, ContractBreach):
        raise promises
    return promises


def _outcome(fault: SystemFault) -> Outcome:
    return Outcome.TIMEOUT if isinstance(fault, CallTimeout) else Outcome.ERROR
