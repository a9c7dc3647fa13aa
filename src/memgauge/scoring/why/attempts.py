"""What one attempt of a run had stored when it asked a question: its writes, replayed from the record."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import UnknownNameError
from memgauge.records import Outcome
from memgauge.runs.record.journal import FILE as JOURNAL
from memgauge.runs.record.order import events_before
from memgauge.runs.record.searches import FailedWrite, RankedMemory, SearchMoment, StoredMemory, StoredState
from memgauge.streams import CLEAN
from memgauge.text.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.runs.record.store import Run

_ALL: Final = 10_000
"""Hits that a run keeps at most."""
_NAMED: Final = 3
"""Turns of a write that are named."""
_NO_ORDER: Final = "The journal is not here, so that nobody knows what was written before the question was asked."
_NO_REMOVALS: Final = "The run was imported and its traffic is not at hand: what was deleted is not known."
_CHANGED: Final = "The stream was {name}: what the harness had the memory forget left no line in the record."


def moment_in_run(run: Run, question: str, text: str | None = None) -> SearchMoment:
    """Read one question of a run, as the attempt asked it that counts; *text* is what was asked, if known.

    Raises:
        UnknownNameError: The run has no such question.
        TamperError: The journal is not as it was sealed.
    """
    attempts = run.attempts_of(question)
    if not attempts:
        raise UnknownNameError(f"{run.folder} has no question {question!r}.", "Choose one of its list.")
    asked = next((attempt for attempt in attempts if attempt["counts"]), attempts[-1])
    home = str(asked["conversation"]), int(asked["attempt"])
    run.refuse_altered(JOURNAL)
    versions, writes = run.lived(*home)
    before = events_before(run.folder, *home, question)
    hits = tuple(map(_ranked, run.hits_of([question], _ALL)[question])) if asked["counts"] else ()
    return SearchMoment(
        name=question,
        recorded=str(run.folder),
        scope=home[0],
        query=text,
        asked_at=asked["asked_at"] or "",
        outcome=asked["outcome"],
        reason=asked["reason"] or "",
        captured=asked["outcome"] != Outcome.EXCLUDED,
        k=asked["k"],
        returned=asked["returned"] + asked["capped"],
        context_tokens=asked["tokens"],
        hits=hits,
        stored=stored_by(versions, writes, before, hits),
        untold=tuple(_untold(run, before)),
        failed=tuple(_failed(writes, before)),
    )


def stored_by(
    versions: Sequence[Mapping[str, Any]],
    writes: Sequence[Mapping[str, Any]],
    before: int | None,
    hits: Sequence[RankedMemory] = (),
) -> tuple[StoredMemory, ...]:
    """Replay the writes before event *before*, and say of every memory of the attempt what was stored of it.

    A version lies at the write of the last turn that it descends from. What the search returned itself was there
    in that version, whatever else is known.
    """
    ok = [write for write in writes if write["kind"] == "write" and write["outcome"] == Outcome.OK]
    written = dict[str, int]()
    touched, placed = defaultdict[str, list[int]](list), defaultdict[str, list[tuple[int, int]]](list)
    for write in ok:
        for turn in write["turns"]:
            written.setdefault(turn, write["event"])
        for memory in write["changed"] or ():
            touched[memory].append(write["event"])
    for number, version in enumerate(versions):
        event = max((written.get(turn, -1) for turn in version["sources"]), default=-1)
        placed[version["memory"]].append((event, number))
    done = {write["event"]: write for write in ok}
    returned = {hit.memory: hit for hit in hits}
    ordered = sorted(
        dict.fromkeys((*placed, *touched)),
        key=lambda memory: min((*touched[memory], *(event for event, _ in placed[memory]))),
    )
    return tuple(
        _stored(memory, touched[memory], placed[memory], versions, done, before, returned.get(memory))
        for memory in ordered
    )


def _stored(
    memory: str,
    touched: Sequence[int],
    placed: Sequence[tuple[int, int]],
    versions: Sequence[Mapping[str, Any]],
    done: Mapping[int, Mapping[str, Any]],
    before: int | None,
    hit: RankedMemory | None,
) -> StoredMemory:
    """Say what was stored of one memory, from the writes that touched it and the versions that were seen."""
    events = sorted({*touched, *(event for event, _ in placed if event >= 0)})
    until = [event for event in events if before is not None and event < before]
    after = [event for event in events if before is not None and event >= before]
    last = until[-1] if until else -1
    seen = max((pair for pair in placed if 0 <= pair[0] <= last), default=None)
    known = versions[seen[1]] if seen is not None and seen[0] == last else None
    if hit is not None:
        known = next(version for version in versions if version["row"] == hit.row)
    shown = known if known is not None else (versions[placed[0][1]] if placed else None)
    wrote = done.get(last if until else after[0] if after else -1)
    sources = [turn for _, number in placed for turn in versions[number]["sources"]]
    return StoredMemory(
        memory=memory,
        state=_state(returned=hit is not None, before=bool(until), after=bool(after), seen=bool(placed)),
        version=None if known is None else known["version"],
        store="" if shown is None else shown["channel"] or "",
        by="" if wrote is None else _name(wrote),
        later=_name(done[after[0]]) if until and after else "",
        sources=tuple(dict.fromkeys(sources if placed or wrote is None else wrote["turns"])),
        form="" if shown is None else shown["form"],
        text=None if known is None else known["text"],
    )


def _state(*, returned: bool, before: bool, after: bool, seen: bool) -> StoredState:
    if returned:
        return StoredState.STORED
    if before:
        return StoredState.STORED if seen else StoredState.UNSEEN
    return StoredState.LATER if after else StoredState.UNDATED


def _ranked(hit: Mapping[str, Any]) -> RankedMemory:
    return RankedMemory(
        rank=hit["rank"],
        memory=hit["memory"],
        version=hit["version"],
        score=hit["score"],
        text=hit["text"],
        tokens=None if hit["text"] is None else count_tokens(hit["text"]),
        store=hit["channel"] or "",
        row=hit["memory_row"],
        sources=tuple(hit["sources"]),
    )


def _name(write: Mapping[str, Any]) -> str:
    turns = list(write["turns"])
    more = " …" if len(turns) > _NAMED else ""
    return f"the write of {', '.join(turns[:_NAMED])}{more}" if turns else f"write {write['event']}"


def _failed(writes: Sequence[Mapping[str, Any]], before: int | None) -> list[FailedWrite]:
    return [
        FailedWrite(_name(write), write["reason"] or write["outcome"])
        for write in writes
        if write["kind"] == "write"
        and write["outcome"] != Outcome.OK
        and (before is None or write["event"] < before)
    ]


def _untold(run: Run, before: int | None) -> list[str]:
    stream = run.manifest.stream.protocol
    return [
        *([_NO_ORDER] if before is None else []),
        *([_NO_REMOVALS] if run.manifest.system.ref.startswith("imported:") else []),
        *([] if stream == CLEAN.name else [_CHANGED.format(name=stream)]),
    ]
