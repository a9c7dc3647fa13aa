"""The lineage ledger: which turns each memory descends from, kept by the harness and not by the system.

Systems lose or rewrite their own metadata, so three witnesses are heard: what the system declares, what its
receipts say about writes that the harness made, and what changed between two dumps. Receipts only ever add
sources: an update does not erase where a memory came from.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memgauge.long_values import LongSequence
from memgauge.records import Form, Lineage, Operation
from memgauge.text.copies import copies
from memgauge.text.heard import spellings, spells

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memgauge.disk_map import DiskMap
    from memgauge.records import Memory, Receipt, Turn

    VersionKey = tuple[str, str, tuple[str, ...]]
    """The id of a memory, its text and its sources."""


_WRITTEN = Operation.ADD, Operation.UPDATE, Operation.NOOP
_RECENT = 1 << 16
"""Versions that are known by their objects at a time."""
_WAITING = 1 << 14
"""Writes of many whose turns are held until they are asked for."""


def _kept(*, many: bool) -> Any:
    """Begin a mapping, in memory or, for *many* turns, in a file."""
    if not many:
        return {}
    from memgauge.disk_map import DiskMap

    return DiskMap()


@dataclass(frozen=True, slots=True)
class TracedVersion:
    """One version of one memory as the harness knows it."""

    row: int
    memory: Memory
    version: int
    form: Form
    sources: tuple[str, ...]
    lineage: Lineage
    sha256: str = ""
    """Of the text, so that a record without texts can still be checked; empty is taken when it is written."""

    def __reduce__(self) -> tuple[type[TracedVersion], tuple[object, ...]]:
        """Travel as a turn does."""
        made = self.row, self.memory, self.version, self.form, self.sources, self.lineage, self.sha256
        return type(self), made


def digest(text: str) -> str:
    """Hash a memory's text as the journal can hold it: half a surrogate pair counts as a question mark."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _normal(text: str) -> str:
    return " ".join(text.split()).casefold()


def spelled(turns: Iterable[Turn]) -> list[str]:
    """Write turns line by line, in each form in which memories of ours keep what was said."""
    forms = (spellings(turn.text, turn.speaker, turn.at) for turn in turns)
    return ["\n".join(lines) for lines in zip(*forms, strict=True)]


def is_raw(text: str, turn: Turn, written: Sequence[Turn]) -> bool:
    """Whether *text* repeats *turn*, or the turns with which it was *written*: what a ledger calls raw."""
    repeated = {_normal(whole) for turns in ([turn], written) for whole in spelled(turns)}
    return _normal(text) in repeated or copies(text, [turn.text])


class _TurnTexts:
    """Which turns a text repeats, in any of the spellings of ours; normalised where that is asked for."""

    def __init__(self, *, many: bool) -> None:
        self._turns: dict[str, tuple[str, ...]] | DiskMap[str, tuple[str, ...]] = _kept(many=many)
        self._waiting: list[Sequence[Turn]] = []
        self._laid_by: LongSequence[Sequence[Turn]] | None = LongSequence() if many else None
        self._joined = False
        """Whether any write had several turns, which can take the place of a single one that reads the same."""

    def add(self, turns: Sequence[Turn]) -> None:
        """Take the turns of one write."""
        self._waiting.append(turns)
        self._joined = self._joined or len(turns) > 1
        if self._laid_by is not None and len(self._waiting) >= _WAITING:
            self._laid_by.extend(self._waiting)
            self._waiting.clear()

    def plainly(self, text: str, turn: Turn) -> bool:
        """Whether *text* is, to the letter, what was written of *turn*; where that is not so easily seen, not."""
        return not self._joined and spells(text, turn.text, turn.speaker, turn.at)

    def turns(self, text: str) -> tuple[str, ...]:
        """Return the turns that *text* repeats but for case and space."""
        self._settle()
        return self._turns.get(_normal(text)) or ()

    def _settle(self) -> None:
        for turns in self._laid_by or ():
            self._normalise(turns)
        for turns in self._waiting:
            self._normalise(turns)
        self._waiting.clear()
        self._laid_by = None if self._laid_by is None else LongSequence()

    def _normalise(self, turns: Sequence[Turn]) -> None:
        for turn in turns:
            for text in set(map(_normal, spelled([turn]))):
                self._turns[text] = (*(self._turns.get(text) or ()), turn.id)
        if len(turns) > 1:
            for whole in spelled(turns):
                self._turns[_normal(whole)] = tuple(t.id for t in turns)


class LineageLedger:
    """Everything known about the memories of one conversation."""

    def __init__(self, *, many: bool = False) -> None:
        """Know nothing yet; of *many* turns all is kept in files."""
        self._turns: dict[str, Turn] | DiskMap[str, Turn] = _kept(many=many)
        self._texts = _TurnTexts(many=many)
        self._receipts: dict[str, dict[str, None]] | DiskMap[str, dict[str, None]] = _kept(many=many)
        self._diffs: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._last_dump: dict[str, str] = {}
        self._rows: (
            dict[tuple[str, str, tuple[str, ...]], TracedVersion]
            | DiskMap[tuple[str, str, tuple[str, ...]], TracedVersion]
        ) = _kept(many=many)
        self._made = 0
        self._versions: dict[str, int] | DiskMap[str, int] = _kept(many=many)
        self._recent: dict[int, tuple[Memory, TracedVersion]] = {}
        """Versions by the object that they were last seen as; what is known of sources may change with a write."""

    def wrote(self, turns: Sequence[Turn], receipt: Receipt) -> None:
        """Note a write and what the system said about it."""
        self._recent.clear()
        for turn in turns:
            self._turns[turn.id] = turn
        self._texts.add(turns)
        for change in receipt.changes or ():
            if change.op in _WRITTEN:
                seen = self._receipts.get(change.memory) or {}
                self._receipts[change.memory] = seen | dict.fromkeys(t.id for t in turns)

    def compared(self, turns: Sequence[Turn], stored: Iterable[Memory]) -> None:
        """Credit *turns* with whatever is new or changed in *stored* since the last comparison."""
        self._recent.clear()
        now = {memory.id: digest(memory.text) for memory in stored}
        for memory, text in now.items():
            if self._last_dump.get(memory) != text:
                self._diffs[memory].update(dict.fromkeys(t.id for t in turns))
        self._last_dump = now

    def keep(self, memory: Memory) -> TracedVersion:
        """Return the row of this version of *memory*, making one for a version not seen before.

        A text that has gained sources is a new version: what was returned earlier keeps the sources of its time.
        """
        recent = self._recent.get(id(memory))
        if recent is not None and recent[0] is memory:
            return recent[1]
        version = self._version(memory)
        if len(self._recent) >= _RECENT:
            self._recent.clear()
        self._recent[id(memory)] = memory, version
        return version

    def _version(self, memory: Memory) -> TracedVersion:
        sources, lineage = self._sources(memory)
        key = (memory.id, memory.text, sources)
        if (version := self._rows.get(key)) is not None:
            return version
        number = (self._versions.get(memory.id) or 0) + 1
        self._versions[memory.id] = number
        version = TracedVersion(self._made, memory, number, self._form(memory, sources), sources, lineage)
        self._rows[key] = version
        self._made += 1
        return version

    def rows(self) -> Iterator[TracedVersion]:
        """Yield every version kept, in the order of first sight."""
        return iter(self._rows.values())

    def _sources(self, memory: Memory) -> tuple[tuple[str, ...], Lineage]:
        turns, sources = self._turns, memory.sources
        if not (len(sources) == 1 and sources[0] in turns):  # as most have it
            sources = tuple([turn for turn in dict.fromkeys(sources) if turn in turns])
        seen = self._receipts.get(memory.id)
        if sources:
            confirmed = seen is not None and all(map(seen.__contains__, sources))
            return sources, Lineage.EXACT if confirmed else Lineage.DECLARED
        if seen:
            return tuple(seen), Lineage.EXACT
        if diff := self._diffs.get(memory.id):
            return tuple(diff), Lineage.INFERRED
        if by_text := self._texts.turns(memory.text):
            return by_text, Lineage.INFERRED
        return (), Lineage.ABSENT

    def _form(self, memory: Memory, sources: tuple[str, ...]) -> Form:
        """Measure whether a memory is raw: a copy in other case, or with a word before or after, still is."""
        for turn in sources:
            if turn in self._turns and self._texts.plainly(memory.text, self._turns[turn]):
                return Form.RAW
        if set(sources) & set(self._texts.turns(memory.text)):
            return Form.RAW
        if copies(memory.text, (self._turns[turn].text for turn in sources if turn in self._turns)):
            return Form.RAW
        if memory.form in {Form.RAW, Form.UNKNOWN}:
            return Form.CANONICAL if sources else Form.UNKNOWN
        return memory.form
