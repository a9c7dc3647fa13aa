"""What a run recorded of one conversation: its writes, its memories, and which of them ever came back."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from memgauge.records import Outcome
from memgauge.runs.record.stored import StoredVersion

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.runs.record.store import Run

RecordRow = dict[str, Any]
"""One row of the table of writes."""
RARE = 0.01
"""How seldom what looks like an index that is behind may come about by chance."""
SEARCHES = 3
"""Searches of a conversation from which it can be told that an index is behind."""
AT_ONCE = 32
"""Conversations whose rows are held at once."""


@dataclass(frozen=True, eq=False)
class ConversationRecord:
    """Writes and memories of the attempt at one conversation that counts."""

    name: str
    versions: Mapping[int, StoredVersion]
    """Every memory version by its row."""
    writes: Sequence[RecordRow]
    searches: int
    """How many searches came to a result."""
    given_up: bool
    """Whether the system was given up, so that nobody listed what it stored."""

    @cached_property
    def claims(self) -> Mapping[str, Sequence[int]]:
        """The rows that claim each turn, the version seen first in front."""
        rows = defaultdict[str, list[int]](list)
        for row, version in self.versions.items():
            for turn in version.sources:
                rows[turn].append(row)
        return rows

    @cached_property
    def rows(self) -> Mapping[str, Sequence[int]]:
        """The rows of all versions of each memory."""
        rows = defaultdict[str, list[int]](list)
        for row, version in self.versions.items():
            rows[version.memory].append(row)
        return rows

    @cached_property
    def handed(self) -> Mapping[str, RecordRow]:
        """The last write that handed over each turn, one that worked before one that did not."""
        last: dict[str, RecordRow] = {}
        for write in self._turns:
            for turn in write["turns"]:
                if write["outcome"] == Outcome.OK or turn not in last:
                    last[turn] = write
        return last

    @cached_property
    def untold(self) -> str:
        """Say why it cannot be told what is stored; empty where it can."""
        if not self._turns:
            return "the run recorded no writes"
        if self.versions and not any(version.sources for version in self.versions.values()):
            return "nothing ties memories to turns"
        unseen = any(not version.returned for version in self.versions.values())
        unlisted = any(
            write["kind"] == "flush" and write["session"] == "" and write["outcome"] != Outcome.OK
            for write in self.writes
        )
        return "" if unseen or not (unlisted or self.given_up) else "nobody could list what is stored"

    @cached_property
    def ends(self) -> bool:
        """Whether any memory says until when it is true."""
        return any(version.valid_to for version in self.versions.values())

    @cached_property
    def names(self) -> frozenset[str]:
        """The ids of all memories that are known."""
        return frozenset(version.memory for version in self.versions.values())

    @cached_property
    def reported(self) -> frozenset[str]:
        """The ids of all memories that writes said they changed."""
        return frozenset(memory for write in self._turns for memory in write["changed"] or ())

    def missing(self, turn: str) -> tuple[str, str]:
        """Say what took the memories that the write of *turn* reported, and else where they may be."""
        write = self.handed.get(turn)
        changed = write["changed"] if write else None
        if write is None or not changed:
            return "", ""
        if present := self.names.intersection(changed):
            return f"memory {min(present)} holds other turns now", ""
        memory, event = changed[0], write["event"]
        if later := [each for each in self._turns if each["event"] > event and memory in (each["changed"] or ())]:
            return f"memory {memory} is gone since the write of {later[0]['turns'][0]}", ""
        return self._taken(memory, event)

    def _taken(self, memory: str, event: int) -> tuple[str, str]:
        """Say which part of what was written is gone, where a part is; else it may be in another scope."""
        held = [bool(self.names.intersection(each["changed"])) for each in self._turns if each["changed"]]
        here = [each["event"] for each in self._turns if each["changed"]].index(event)
        if any(held):
            first, last = held.index(True), len(held) - held[::-1].index(True)
            if here < first and all(held[first:last]):
                return f"nothing written before {self._first_held} is left", ""
            if here >= last and all(held[first:last]):
                return f"nothing written after {self._last_held} is left", ""
            if self._loses_endings:
                return f"memory {memory} is gone, as all that was written last before a flush", ""
        return "", f"reported as memory {memory}, which the scope that is asked does not hold"

    @cached_property
    def behind(self) -> tuple[int, str]:
        """Return after which event nothing came back in any search, with its last turn; -1 where all came back.

        What was stored later must be so much that chance would hardly have left it all out.
        """
        events = {turn: int(write["event"]) for turn, write in self.handed.items()}
        places = {
            row: max([events.get(turn, -1) for turn in version.sources], default=-1)
            for row, version in self.versions.items()
        }
        placed = {row: place for row, place in places.items() if place >= 0}
        newest = max((place for row, place in placed.items() if self.versions[row].returned), default=-1)
        before = [row for row, place in placed.items() if place <= newest]
        after = len(placed) - len(before)
        if newest < 0 or self.searches < SEARCHES or not after:
            return -1, ""
        often = sum(bool(self.versions[row].returned) for row in before) / len(before)
        if (1 - often) ** after >= RARE:
            return -1, ""
        return newest, next(write["turns"][-1] for write in self._turns if write["event"] == newest)

    def event_of(self, turn: str) -> int:
        """Return the number of the write that handed over *turn*; -1 where there is none."""
        write = self.handed.get(turn)
        return -1 if write is None else int(write["event"])

    @cached_property
    def _turns(self) -> Sequence[RecordRow]:
        return [write for write in self.writes if write["kind"] == "write"]

    @cached_property
    def _loses_endings(self) -> bool:
        """Whether between any two flushes nothing that was reported is left after something that is gone."""
        held = list[bool]()
        for write in self.writes:
            if write["kind"] == "flush":
                held.clear()
            elif write["changed"]:
                held.append(bool(self.names.intersection(write["changed"])))
                if held[-2:] == [False, True]:
                    return False
        return True

    @cached_property
    def _first_held(self) -> str:
        return self._holding(self._turns)

    @cached_property
    def _last_held(self) -> str:
        return self._holding(self._turns[::-1])

    def _holding(self, writes: Sequence[RecordRow]) -> str:
        return next(str(w["turns"][0]) for w in writes if self.names.intersection(w["changed"] or ()))


def conversation_records(run: Run, wanted: Sequence[str]) -> Iterator[ConversationRecord]:
    """Read what *run* recorded of the conversations *wanted*, a few at a time."""
    ended = defaultdict[str, list[tuple[str, str]]](list)
    columns = (run.questions[name].tolist() for name in ("conversation", "outcome", "reason"))
    for conversation, outcome, reason in zip(*columns, strict=True):
        ended[conversation].append((outcome, reason or ""))
    valid = {str(outcome) for outcome in Outcome if outcome.valid}
    for start in range(0, len(wanted), AT_ONCE):
        names = wanted[start : start + AT_ONCE]
        versions = defaultdict[str, dict[int, StoredVersion]](dict)
        writes = defaultdict[str, list[RecordRow]](list)
        for version in run.versions_in(names):
            versions[version.conversation][version.row] = version
        for row in run.writes_in(names):
            writes[row["conversation"]].append(row)
        for name in names:
            yield ConversationRecord(
                name,
                versions[name],
                writes[name],
                sum(outcome in valid for outcome, _ in ended[name]),
                any(
                    outcome == Outcome.TIMEOUT or (outcome not in valid and reason.startswith("not asked"))
                    for outcome, reason in ended[name]
                ),
            )
