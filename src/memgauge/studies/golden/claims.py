"""Claims: what a memory says of itself, of its origin and of when it holds, beside what was said and when."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING

from memgauge.records import Memory, Ranking
from memgauge.studies.golden.anomalies import Anomaly
from memgauge.studies.golden.ledger import Mood
from memgauge.studies.golden.lines import stands_as_line
from memgauge.studies.golden.spellings import written
from memgauge.studies.golden.tokens import found_in

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from memgauge.records import Scope
    from memgauge.studies.golden.driver import Returned
    from memgauge.studies.golden.ledger import LedgerWrite, ScenarioLedger

_SLACK = timedelta(seconds=1)


def false_claims(returned: Returned, ledger: ScenarioLedger) -> Iterator[tuple[Anomaly, str]]:
    """Yield what returned memories say of themselves and is not so."""
    if returned.call not in {"search", "dump"} or returned.scope is None:
        return
    for memory in _memories(returned.plain):
        if any(not _own(ledger.writes_of(token), returned.scope) for token in ledger.tokens.found(memory.text)):
            continue  # it is another's, which is worse
        if wrong := false_sources(memory, returned.scope, ledger):
            yield Anomaly.FALSE_SOURCE, f"The memory {memory.id} names as its source {wrong}."
        if wrong := false_times(memory, returned.scope, ledger):
            yield Anomaly.FALSE_TIME, f"The memory {memory.id} says of itself {wrong}."


def _memories(value: object) -> list[Memory]:
    if isinstance(value, Ranking):
        return [hit.memory for hit in value.hits]
    return [memory for memory in value if isinstance(memory, Memory)] if isinstance(value, list) else []


def false_sources(memory: Memory, scope: Scope, ledger: ScenarioLedger) -> str:
    """Say what is wrong with the turns that a memory names; empty where nothing is, or it names none."""
    if not memory.sources or not ledger.turns:
        return ""
    for source in memory.sources:
        if (scope, source) not in ledger.turns:
            others = any(turn == source for _, turn in ledger.turns)
            return f"{source!r}, which {'somebody else said' if others else 'nobody said'}"
    tokens = ledger.tokens.found(memory.text)
    if any(
        write.restated and write.turn in memory.sources for token in tokens for write in ledger.writes_of(token)
    ):
        return ""  # it was put by its id in the place of what that turn said
    values = {token for token in tokens if _own(ledger.writes_of(token), scope)}
    if values and not any(found_in(ledger.turns[scope, source].text, values) for source in memory.sources):
        return f"{', '.join(map(repr, memory.sources))}, which does not bear its text"
    return _of_something_else(memory, scope, ledger, values)


def _of_something_else(memory: Memory, scope: Scope, ledger: ScenarioLedger, values: Collection[str]) -> str:
    """Name a source that says something else alone, in another session than all that bear the text.

    A session may be the source of what was said in it, and so may whatever was once said of the same thing.
    """
    turns = [ledger.turns[scope, source] for source in memory.sources]
    slots = {write.slot for value in values for write in _own(ledger.writes_of(value), scope)}
    home = {turn.session for turn in turns if found_in(turn.text, values)}
    for turn in turns if slots else ():
        others = ledger.tokens.found(turn.text) - set(values)
        said_of = {write.slot for value in others for write in ledger.writes_of(value)}
        if others and not said_of & slots and turn.session not in home and not found_in(turn.text, values):
            return f"{turn.id!r}, which is about {', '.join(sorted(said_of))}"
    return ""


def false_times(memory: Memory, scope: Scope, ledger: ScenarioLedger) -> str:
    """Say what is wrong with the times that a memory states; empty where nothing is, or it states none.

    A time at midnight states a day. Where a text bears several values, the time of any will do.
    """
    tokens = ledger.tokens.found(memory.text)
    writes = [write for token in tokens for write in _own(ledger.writes_of(token), scope)]
    facts = [write for write in writes if write.mood is Mood.FACT and write.erased is None]
    if not facts or len(facts) != len(writes):
        return ""
    begins = [moment for write in facts for moment in _begins(write)]
    ends = [moment for write in facts for moment in _ends(write)]
    happened = [moment for write in facts for moment in (write.said_at, *_begins(write), *_ends(write))]
    days = {place.key[1:] for write in facts for place in written(write.text).places if place.key[0] == "@"}
    for name, stated, true in (
        ("valid_from", memory.valid_from, begins),
        ("valid_to", memory.valid_to, ends),
        ("event_at", memory.event_at, happened),
    ):
        if stated is None or _is_one_of(stated, true) or _said(stated, days):
            continue
        times_of_values = () if name == "valid_to" else _repeated(tokens, scope, ledger)
        times_of_lines = _times_of_lines(memory, scope, ledger) if name == "event_at" else ()
        if not _is_one_of(stated, [*times_of_values, *times_of_lines]):
            return f"{name} {stated:%Y-%m-%d %H:%M}, which is true of nothing in it"
    return ""


def _times_of_lines(memory: Memory, scope: Scope, ledger: ScenarioLedger) -> list[datetime]:
    """Return when the turns were said that are lines of a memory: each is true of something in it.

    A turn without words is no line; of one that it names as its source the time is believed.
    """
    turns = ((name, turn) for (own, name), turn in ledger.turns.items() if own == scope and turn.at is not None)
    return [
        turn.at
        for name, turn in turns
        if turn.at is not None
        and (stands_as_line(turn, memory.text) if turn.text.strip() else name in memory.sources)
    ]


def _repeated(tokens: Collection[str], scope: Scope, ledger: ScenarioLedger) -> list[datetime]:
    """Return when any of *tokens* was said, by whomever and whatever it meant."""
    turns = (turn for (owner, _), turn in ledger.turns.items() if owner == scope and turn.at is not None)
    return [turn.at for turn in turns if turn.at and ledger.tokens.found(turn.text) & set(tokens)]


def _said(stated: datetime, days: Collection[str]) -> bool:
    """Whether a midnight is that of a day that was said, or the one that ends it."""
    midnights = (stated, stated - timedelta(days=1)) if stated.time() == time() else ()
    return any(f"{moment:%Y-%m-%d}" in days for moment in midnights)


def _own(writes: Iterable[LedgerWrite], scope: Scope) -> list[LedgerWrite]:
    """Return the writes of *scope* of which turns bear witness."""
    return [write for write in writes if write.scope == scope and not write.restated]


def _begins(write: LedgerWrite) -> Iterator[datetime]:
    """Yield when a value may be said to begin; what was announced does not begin when it is said."""
    if write.valid_from is None or write.valid_from <= write.said_at:
        yield write.said_at
    if write.valid_from is not None:
        yield write.valid_from


def _ends(write: LedgerWrite) -> Iterator[datetime]:
    """Yield when a value may be said to end; a day ends at either midnight, or with its last second.

    What was to run out may be said to, though something else took its place before.
    """
    if write.expires is not None:
        yield write.expires
    if write.valid_to is None:
        return
    yield write.valid_to
    if write.valid_to.time() == time():
        yield from (write.valid_to - timedelta(seconds=1), write.valid_to - timedelta(days=1))
        yield from (write.valid_to + timedelta(days=1), write.valid_to + timedelta(days=1, seconds=-1))


def _is_one_of(stated: datetime, true: Sequence[datetime]) -> bool:
    stated = stated.replace(tzinfo=None)
    if stated.time() == time() and any(stated.date() == moment.date() for moment in true):
        return True
    return any(abs(stated - moment) <= _SLACK for moment in true)
