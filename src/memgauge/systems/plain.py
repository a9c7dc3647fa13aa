"""What a system returned, as values of our own: read once, checked and copied while the clock still runs.

A ranking may compute its hits while somebody reads them, and a memory may be a class whose text is a property:
whatever that takes is time of the call, and what is read afterwards cannot change any more.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from numbers import Real
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from memgauge.errors import ContractBreach
from memgauge.foreign import kind_of
from memgauge.records import Change, Form, Hit, Memory, Operation, Ranking, Receipt, ScoreKind
from memgauge.systems.protocol import AuditEntry, Capabilities, Consistency, EventTime, Role, Unit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Copy = Callable[[object, str], Memory | ContractBreach]
    """Copies a memory that a call returned, which is named."""

_FORMS = frozenset(Form)
_OPERATIONS = frozenset(Operation)
_COPIES = 1 << 16
"""Memories whose copies are known at a time."""


def plain_ranking(value: object, copy: Copy | None = None) -> Ranking | ContractBreach:
    """Copy a ranking, its memories by *copy*, or say why it is none; what its own code raises is passed on."""
    copy = copy or plain_memory
    if not isinstance(value, Ranking):
        return ContractBreach(f"search returned {kind_of(value)}, not a Ranking")
    hits: object = value.hits
    notes: object = value.notes
    for name, read in (("hits", hits), ("notes", notes)):
        if not isinstance(read, (tuple, list)):
            return ContractBreach(f"search returned a Ranking whose {name} are {kind_of(read)}, not a tuple")
    copied: list[Hit] = []
    for hit in hits:  # type: ignore[attr-defined] # looked at above, in a loop
        if not isinstance(hit, Hit):
            return ContractBreach(f"search returned {kind_of(hit)} among its hits, not a Hit")
        memory = copy(hit.memory, "search")
        if isinstance(memory, ContractBreach):
            return memory
        score: object = hit.score
        copied.append(Hit(memory, score if type(score) is float or score is None else _score(score)))
    kind: object = value.score_kind
    words = tuple(str.__str__(str(note)) for note in notes)  # type: ignore[attr-defined] # as above
    return Ranking(tuple(copied), kind if isinstance(kind, ScoreKind) else ScoreKind.NONE, words)


def wrong_score(ranking: Ranking) -> str:
    """Name a score that is no number, of a ranking as it came; empty where each is one, or none."""
    for hit in ranking.hits:
        score: object = hit.score
        number = _score(score)
        if number is None or (isinstance(score, Real) and math.isfinite(number)):
            continue
        shown = str(number) if isinstance(score, Real) else kind_of(score)
        return f"search returned a Hit whose score is {shown}, not a finite number or None"
    return ""


def plain_memories(values: Iterable[object], copy: Copy | None = None) -> list[Memory] | ContractBreach:
    """Copy what a dump lists, its memories by *copy*, or say why it is no list of memories."""
    copy = copy or plain_memory
    copied: list[Memory] = []
    for value in values:
        memory = copy(value, "dump")
        if isinstance(memory, ContractBreach):
            return memory
        copied.append(memory)
    return copied


def plain_memory(value: object, what: str) -> Memory | ContractBreach:
    """Copy one memory, every field read once, or name the fields that cannot be written down."""
    if not isinstance(value, Memory):
        return ContractBreach(f"{what} returned {kind_of(value)} where a Memory belongs")
    name, text, channel = _text(value.id), _text(value.text), _text(value.channel)
    form: object = value.form
    sources = _texts(value.sources)
    read: tuple[object, ...] = (value.event_at, value.valid_from, value.valid_to, value.stored_at)
    version: object = value.version
    times = all(moment is None or isinstance(moment, datetime) for moment in read)
    known = form if type(form) is Form else Form(form) if isinstance(form, str) and form in _FORMS else None
    if name is None or text is None or channel is None or sources is None or not times or known is None:
        return ContractBreach(f"{what} returned a Memory with a wrong {_wrong(value)}")
    event_at, valid_from, valid_to, stored_at = map(_moment, read)
    number = version if type(version) is int else int(version) if isinstance(version, int) else 1
    return Memory(
        name, text, known, sources, number, event_at, valid_from, valid_to, stored_at, channel
    )  # every field by its place: a search returns many


class PlainCopies:
    """Copies memories, each object once for as long as none of its fields changes.

    Whoever keeps memories returns the same ones again and again. Every field is still read, while the clock runs;
    only fields that no code of others stands behind, and that cannot change, are recognised.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[object, Memory]] = {}

    def ranking(self, value: object) -> Ranking | ContractBreach:
        """Copy a ranking, or say why it is none."""
        return plain_ranking(value, self.memory)

    def memories(self, values: Iterable[object]) -> list[Memory] | ContractBreach:
        """Copy what a dump lists, or say why it is no list of memories."""
        return plain_memories(values, self.memory)

    def memory(self, value: object, what: str) -> Memory | ContractBreach:
        """Copy one memory, or return its copy."""
        if type(value) is not Memory:
            return plain_memory(value, what)
        known = self._known.get(id(value))
        if known is not None and known[0] is value and _same(value, known[1]):
            return known[1]
        copied: Memory | None = _copied(value)
        copy: Memory | ContractBreach = copied or plain_memory(value, what)
        if isinstance(copy, Memory) and (copied or _same(value, copy)):
            if len(self._known) >= _COPIES:  # of a system that makes new ones for every search
                self._known.clear()
            self._known[id(value)] = value, copy
        return copy


def _copied(value: Memory) -> Memory | None:
    """Copy a memory of which every field is of a plain class, as most are; ``None`` where one is not."""
    name, text, channel, form, version = value.id, value.text, value.channel, value.form, value.version
    if not (type(name) is type(text) is type(channel) is str and type(form) is Form and type(version) is int):
        return None
    sources = value.sources
    if type(sources) is not tuple:
        return None
    for turn in sources:
        if type(turn) is not str:
            return None
    times = value.event_at, value.valid_from, value.valid_to, value.stored_at
    for moment in times:
        if moment is not None and (type(moment) is not datetime or moment.tzinfo is not None):
            return None
    return Memory(name, text, form, sources, version, *times, channel)


def _same(value: Memory, copy: Memory) -> bool:
    """Whether the fields of a memory are the very objects that its copy has."""
    return (
        value.id is copy.id
        and value.text is copy.text
        and value.sources is copy.sources
        and value.form is copy.form
        and value.version is copy.version
        and value.event_at is copy.event_at
        and value.valid_from is copy.valid_from
        and value.valid_to is copy.valid_to
        and value.stored_at is copy.stored_at
        and value.channel is copy.channel
    )


def _wrong(memory: Memory) -> str:
    """Name the fields of a memory that cannot be written down, each with what stands there and what should."""
    texts = {"id": memory.id, "text": memory.text, "channel": memory.channel}
    times = {name: getattr(memory, name) for name in ("event_at", "valid_from", "valid_to", "stored_at")}
    wrong = [f"{name} ({kind_of(value)}, not a str)" for name, value in texts.items() if _text(value) is None]
    form: object = memory.form
    if not (isinstance(form, str) and form in _FORMS):
        wrong.append(f"form ({_shown(form)}, not a Form)")
    if _texts(memory.sources) is None:
        wrong.append(f"sources ({_listed(memory.sources)}, not a tuple of str)")
    wrong += [
        f"{name} ({kind_of(value)}, not a datetime)"
        for name, value in times.items()
        if value is not None and not isinstance(value, datetime)
    ]
    return ", ".join(wrong)


def _listed(values: object) -> str:
    """Name a value, and what is no text in it where it is a list."""
    if not isinstance(values, (tuple, list)):
        return kind_of(values)
    return f"{kind_of(values)} with {kind_of(next(value for value in values if not isinstance(value, str)))}"


def plain_receipt(value: object, what: str = "ingest") -> tuple[Receipt, str]:
    """Copy a receipt, or return none with the reason where it is not one; ``None`` says nothing, and may."""
    if value is None:
        return Receipt(), ""
    if not isinstance(value, Receipt):
        return Receipt(), f"{what} returned {kind_of(value)}, not a Receipt or None"
    changes: object = value.changes
    if changes is None:
        return Receipt(), ""
    if not isinstance(changes, (tuple, list)):
        whose = f"{what} returned a Receipt whose changes are {kind_of(changes)}"
        return Receipt(), f"{whose}, not a tuple of Changes"
    copied: list[Change] = []
    for change in changes:
        if type(change) is Change and type(change.op) is Operation and type(change.memory) is str:
            copied.append(Change(change.op, change.memory))  # as nearly all are
            continue
        named = _text(change.memory) if isinstance(change, Change) else None
        op: object = change.op if named is not None else None
        if named is None or not isinstance(op, str) or op not in _OPERATIONS:
            return Receipt(), f"{what} returned {_no_change(change)}"
        copied.append(Change(Operation(op), named))
    return Receipt(tuple(copied)), ""


def _no_change(change: object) -> str:
    if not isinstance(change, Change):
        return f"{kind_of(change)} among its changes, not a Change"
    if _text(change.memory) is None:
        return f"a Change whose memory is {kind_of(change.memory)}, not a str"
    return f"a Change whose op is {change.op!r}, not an Operation"


def plain_capabilities(value: object) -> Capabilities | ContractBreach:
    """Check what a system declares of itself as far as the harness relies on it."""
    if not isinstance(value, Capabilities):
        return ContractBreach(f"capabilities returned {kind_of(value)}, not Capabilities")
    if value.unit not in tuple(Unit):
        return ContractBreach(f"capabilities ask for the unit {value.unit!r}; there are {', '.join(Unit)}")
    for name, kind in _GRADES.items():
        grade: object = getattr(value, name)
        if not isinstance(grade, kind):
            whose = f"capabilities returned Capabilities whose {name} is {_shown(grade)}"
            return ContractBreach(f"{whose}, not {kind_of(next(iter(kind)))}")
    for name in _LISTS:
        if _texts(getattr(value, name)) is None:
            whose = f"capabilities returned Capabilities whose {name} are {_listed(getattr(value, name))}"
            return ContractBreach(f"{whose}, not a tuple of str")
    cap: object = value.k_cap
    if not (cap is None or (isinstance(cap, int) and cap >= 1)):
        shown = cap if isinstance(cap, int) else kind_of(cap)
        return ContractBreach(
            f"capabilities returned Capabilities whose k_cap is {shown}, not an int above 0 or None"
        )
    return value


_GRADES = {"consistency": Consistency, "event_time": EventTime, "score_kind": ScoreKind, "role": Role}
"""What is declared by one word of a few."""
_LISTS = ("needs", "interventions", "stand_ins", "models")
"""What is declared by texts."""


def _shown(value: object) -> str:
    return repr(value) if isinstance(value, str) else kind_of(value)


def plain_listing(value: object) -> Iterable[object] | ContractBreach:
    """Return what a dump lists, which is read while the clock runs, or say why it lists nothing."""
    return _listing(value, "dump", "Memories")


def _listing(value: object, what: str, kind: str) -> Iterable[object] | ContractBreach:
    listed = hasattr(type(value), "__iter__") or hasattr(type(value), "__getitem__")
    if not listed or isinstance(value, (str, bytes, Mapping)):
        return ContractBreach(f"{what} returned {kind_of(value)}, not a list of {kind}")
    return value  # type: ignore[return-value] # it can be gone through


def plain_text(value: object, what: str) -> str | ContractBreach:
    """Copy a text, or say why it is none."""
    text = _text(value)
    return ContractBreach(f"{what} returned {kind_of(value)}, not a text") if text is None else text


def plain_count(value: object, what: str) -> int | ContractBreach:
    """Copy a number of memories, or say why it is none."""
    if not isinstance(value, int):
        return ContractBreach(f"{what} returned {kind_of(value)}, not an int")
    return int(value)


def plain_history(value: object) -> tuple[AuditEntry, ...] | ContractBreach:
    """Copy the history of a memory, or say why it is none."""
    listed = _listing(value, "history", "AuditEntries")
    if isinstance(listed, ContractBreach):
        return listed
    entries: list[AuditEntry] = []
    for entry in listed:
        if not isinstance(entry, AuditEntry):
            return ContractBreach(f"history returned {kind_of(entry)} where an AuditEntry belongs")
        copied = _entry(entry)
        if isinstance(copied, ContractBreach):
            return copied
        entries.append(copied)
    return tuple(entries)


def _entry(entry: AuditEntry) -> AuditEntry | ContractBreach:
    op: object = entry.op
    at: object = entry.at
    text: object = entry.text
    if not (isinstance(op, str) and op in _OPERATIONS):
        wrong = f"op ({_shown(op)}, not an Operation)"
    elif not (at is None or isinstance(at, datetime)):
        wrong = f"at ({kind_of(at)}, not a datetime or None)"
    elif not (text is None or isinstance(text, str)):
        wrong = f"text ({kind_of(text)}, not a str or None)"
    else:
        return AuditEntry(Operation(op), _moment(at), _text(text))
    return ContractBreach(f"history returned an AuditEntry with a wrong {wrong}")


def plain_paths(value: object) -> tuple[Path, ...] | ContractBreach:
    """Copy the places of a store, or say why they are none."""
    listed = _listing(value, "storage_paths", "Paths")
    if isinstance(listed, ContractBreach):
        return listed
    paths: list[Path] = []
    for path in listed:
        if not isinstance(path, (str, PurePath)):
            return ContractBreach(f"storage_paths returned {kind_of(path)} where a Path belongs")
        if "\0" in str(path):
            return ContractBreach("storage_paths returned a Path with a null character, which no file has")
        paths.append(Path(path))
    return tuple(paths)


def _text(value: object) -> str | None:
    return str.__str__(value) if isinstance(value, str) else None


def _texts(values: object) -> tuple[str, ...] | None:
    if not isinstance(values, (tuple, list)):
        return None
    if type(values) is tuple and all(type(value) is str for value in values):
        return values
    read = tuple(map(_text, values))
    return None if None in read else read  # type: ignore[return-value] # no None is left


def _moment(value: object) -> datetime | None:
    """Copy a time, with its offset where it has a zone: zones may be code too."""
    if not isinstance(value, datetime):
        return None
    if type(value) is datetime and value.tzinfo is None:
        return value
    return datetime.fromisoformat(datetime.isoformat(value))


def _score(value: object) -> float | None:
    """Read a score: whatever is no number, but something, becomes one that is not finite."""
    if value is None:
        return None
    try:
        return float(value) if isinstance(value, Real) else math.nan
    except OverflowError:  # a whole number may be larger than any float
        return math.inf
