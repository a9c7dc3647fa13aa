"""What is said of one search, on every surface: what was lost, what outranked it, what was stored and cut."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memgauge.scoring.why.explaining import ABOVE
from memgauge.show import Cell, Column, Document, Kind, Note, Prose, Table, Tone
from memgauge.show.numbers import number, plural
from memgauge.text.shell import typed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memgauge.runs.record.searches import RankedMemory, SearchMoment, StoredMemory
    from memgauge.scoring.why.cuts import ContextCut
    from memgauge.scoring.why.deeper import DeepRanking
    from memgauge.scoring.why.explaining import ExplainedSearch
    from memgauge.show.document import Block

    MemoryLinks = Callable[[str], object]

NO_TEXT = "(text not in this record)"
_SHOWN = 10
"""Memories of a deeper search, and stored ones, that a table holds."""


def document(why: ExplainedSearch) -> Document:
    """Say everything of one search."""
    moment = why.moment
    return Document(
        title=moment.query or moment.name,
        beside=moment.name if moment.query else "",
        lead=" ".join(_lead(why)),
        facts=tuple(_facts(moment)),
        blocks=blocks(why),
        notes=notes(why),
        noted="What cannot be known",
        origin=moment.recorded,
        identity={"search": moment.name, "record": moment.recorded},
        data=why,
    )


def blocks(why: ExplainedSearch, leads: MemoryLinks = lambda _: None, *, above: bool = True) -> tuple[Block, ...]:
    """Return what a page says of it.

    Args:
        why: What is known.
        leads: To the page of a memory.
        above: Whether what outranked the expected is shown.
    """
    return (*(_outranked(why, leads) if above else ()), *_stored(why, leads), *_cuts(why), *_deeper(why))


def notes(why: ExplainedSearch) -> tuple[Note, ...]:
    """Return what cannot be known of it."""
    return tuple(Note(sentence) for sentence in why.moment.untold)


def _lead(why: ExplainedSearch) -> Iterator[str]:
    if why.reason is not None:
        how = "Not injected" if why.missed else "Injected in part, and lost"
        yield f"{how}: {why.reason.cause}, {why.reason.detail}."
    elif why.asks:
        names = ", ".join(why.turns or why.memories)
        yield f"Injected: {names} came back at rank {', '.join(str(hit.rank) for hit in why.expected)}."
    else:
        yield "The data names no evidence: name what you expected with --memory or --turn."
    if why.deep is not None and not why.deep.problem and why.asks:
        ranks = [hit.rank for hit in _found(why, why.deep)]
        where = f"with it at rank {ranks[0]}" if ranks else "without it"
        yield f"Asked again for {why.deep.depth:,}, {why.deep.system} returns {len(why.deep.hits):,}, {where}."


def _facts(moment: SearchMoment) -> Iterator[str]:
    where = f"scope {moment.scope or 'unknown'}" + (f", store {moment.store}" if moment.store else "")
    when = f", asked at {moment.asked_at}" if moment.asked_at else ""
    yield f"{moment.recorded}: {where}{when}"
    k = "an unknown number" if moment.k is None else f"{moment.k:,}"
    why = f" ({moment.reason})" if moment.reason else ""
    yield f"{moment.outcome}{why}: {k} asked for, {len(moment.hits):,} in the record"


def _outranked(why: ExplainedSearch, leads: MemoryLinks) -> tuple[Table, ...]:
    """Set the first hits above what was expected beside it, as it came back or else as it was stored."""
    returned, above = {hit.memory for hit in why.expected}, (why.above if why.asks else why.moment.hits)[:ABOVE]
    absent = [stored for stored in why.wanted if stored.memory not in returned]
    bearing = {hit.rank for hit in why.expected}
    rows = [
        *(_hit(why, hit, leads, gold=hit.rank in bearing) for hit in above),
        *(_hit(why, hit, leads, gold=True) for hit in why.expected[:ABOVE] if hit not in above),
        *(_missing(why, stored, leads) for stored in absent[:ABOVE]),
    ]
    if not rows:
        return ()
    compared = bool(why.likeness.cosines)
    columns = [
        Column("rank"),
        Column("what"),
        Column("text", Kind.PROSE),
        Column("words of the question", Kind.PROSE),
        Column("score"),
        *([Column("cosine", means=why.likeness.embedder)] if compared else []),
    ]
    title = "What outranked the evidence" if why.turns else "What came back, and what was expected"
    return (
        Table.of("outranked", title if why.asks else "What came back", columns, rows, " ".join(_compared(why))),
    )


def _compared(why: ExplainedSearch) -> Iterator[str]:
    """Say how many stand above, and how texts were compared."""
    n = len(why.above if why.asks else why.moment.hits)
    what = "memory" if n == 1 else "memories"
    left = f", {n - ABOVE:,} of them not shown" if n > ABOVE else ""
    yield f"{n:,} {what} {'above' if why.asks else 'came back'}{left}."
    yield "Words are compared without their inflections."
    if why.likeness.cosines:
        yield f"Vectors are of {why.likeness.embedder}."
    else:
        yield f"Vectors are not compared: {why.likeness.why_no_cosines or 'nobody asked for it'}."


def _hit(why: ExplainedSearch, hit: RankedMemory, leads: MemoryLinks, *, gold: bool) -> tuple[Cell, ...]:
    version = "" if hit.version is None else f"version {hit.version}"
    mark = "gold" if gold else ""
    what = ("evidence" if why.turns else "expected") if gold else ("outranks it" if why.asks else "came back")
    score = Cell("" if hit.score is None else number(hit.score), value=hit.score)
    return (
        Cell(
            str(hit.rank),
            f"{hit.memory}, {version}" if version else hit.memory,
            leads=leads(hit.memory),
            mark=mark,
        ),
        Cell(what, mark=mark),
        *_texts(why, hit.text, score),
    )


def _missing(why: ExplainedSearch, stored: StoredMemory, leads: MemoryLinks) -> tuple[Cell, ...]:
    return (
        Cell("not returned", stored.memory, leads=leads(stored.memory), mark="gold"),
        Cell("evidence" if why.turns else "expected", mark="gold"),
        *_texts(why, stored.text, Cell("")),
    )


def _texts(why: ExplainedSearch, text: str | None, score: Cell) -> tuple[Cell, ...]:
    words = ", ".join(why.likeness.words.get(text or "", ())) or ("" if why.moment.query is None else "none")
    cosine = why.likeness.cosines.get(text or "")
    return (
        Cell(NO_TEXT if text is None else text, mark="text"),
        Cell(words, mark="text"),
        score,
        *([Cell("" if cosine is None else number(cosine), value=cosine)] if why.likeness.cosines else []),
    )


def _stored(why: ExplainedSearch, leads: MemoryLinks) -> tuple[Table | Prose, ...]:
    """Say what was stored of what was expected when the search began, and how much beside it."""
    shown = why.wanted if why.asks else why.moment.stored
    rows = [
        (
            Cell(stored.memory, _version(stored), leads=leads(stored.memory)),
            Cell(stored.state, _what_did(stored), mark="" if stored.live else "warn"),
            Cell(NO_TEXT if stored.text is None else stored.text, mark="text"),
            Cell(", ".join(stored.sources), stored.form, mark="text"),
            Cell(stored.scope or why.moment.scope, stored.store, mark="warn" if why.moment.apart(stored) else ""),
        )
        for stored in shown[:_SHOWN]
    ]
    columns = ("memory", "state", Column("text", Kind.PROSE), "from turns", "scope")
    about = "of it " if why.asks else ""
    title = f"What was stored {about}when it was asked"
    return (
        (Table.of("stored", title, columns, rows, _ledger(why)),) if rows else (Prose(f"{title}: {_ledger(why)}"),)
    )


def _ledger(why: ExplainedSearch) -> str:
    """Count the whole ledger, by what the record says of each memory."""
    states = Counter(stored.state for stored in why.moment.stored if not why.moment.apart(stored))
    counts = ", ".join(f"{n:,} {state}" for state, n in states.items()) or "nothing"
    nothing = "nothing that was stored descends from it. " if why.asks and not why.wanted else ""
    failed = f" {plural(len(why.moment.failed), 'write')} before it failed." if why.moment.failed else ""
    return f"{nothing}In this scope the record shows: {counts}.{failed}"


def _version(stored: StoredMemory) -> str:
    return "version unknown" if stored.version is None else f"version {stored.version}"


def _what_did(stored: StoredMemory) -> str:
    done = (
        f"by {stored.by}" if stored.by else "",
        f"removed by {stored.gone_by}" if stored.gone_by else "",
        f"then changed by {stored.later}" if stored.later else "",
    )
    return "; ".join(filter(None, done))


def _cuts(why: ExplainedSearch) -> tuple[Table, ...]:
    """Say where the list was cut: by a measure's ranks and tokens, and by the harness."""
    rows = [*map(_cut, why.cuts), *_kept_out(why.moment)]
    if not rows:
        return ()
    columns = ("limit", "read until rank", "first left out", "tokens read")
    return (Table.of("cuts", "Where the list was cut", columns, rows),)


def _cut(cut: ContextCut) -> tuple[Cell, ...]:
    return (
        Cell(f"{cut.limit:,} {cut.what}"),
        Cell("nothing" if cut.last is None else f"{cut.last}", "in part" if cut.in_part else "", cut.last),
        Cell("nothing" if cut.first_out is None else f"rank {cut.first_out}", value=cut.first_out),
        read(cut),
    )


def read(cut: ContextCut | None) -> Cell:
    """Count the tokens that are read; where the last rank is read in part, what is read of it too."""
    if cut is None or cut.tokens is None:
        return Cell("")
    if not cut.in_part:
        return Cell(f"{cut.tokens:,}", value=cut.tokens)
    part = f"{cut.limit - cut.tokens:,} of them of rank {cut.last}"
    return Cell(f"{cut.limit:,}", part, cut.limit)


def _kept_out(moment: SearchMoment) -> Iterator[tuple[Cell, ...]]:
    """Say what came back and is not in the record, and what all of it took."""
    n, came = len(moment.hits), moment.returned
    took = "" if moment.context_tokens is None else f"{moment.context_tokens:,}"
    if came is not None and came > n:
        yield Cell(f"{came:,} came back"), Cell(str(n)), Cell(f"rank {n + 1}", "not in the record"), Cell(took)
    elif took and n:
        yield Cell("the whole list"), Cell(str(n)), Cell("nothing"), Cell(took)


def _deeper(why: ExplainedSearch) -> tuple[Block, ...]:
    """Show where the expected stands when more is asked for, or say why nobody asked."""
    deep = why.deep
    if deep is None:
        command = f"memgauge runs why {typed(why.moment.recorded)} {typed(why.moment.name)} --system REF"
        return (Prose(f"No system was named to be asked deeper: {command}", Tone.SOFT),)
    if deep.problem:
        return (Prose(f"{deep.system} was not asked deeper: {deep.problem}.", Tone.WARN),)
    wanted = _found(why, deep)
    rows = [
        (
            Cell(str(hit.rank), value=hit.rank, mark="gold"),
            Cell(hit.memory, mark="text"),
            Cell("" if hit.score is None else number(hit.score), value=hit.score),
            Cell(hit.text or "", mark="text"),
        )
        for hit in wanted[:_SHOWN]
    ]
    agrees = (
        f"{deep.same:,} of the {deep.compared:,} ranks in the record come back the same before the first differs."
    )
    nothing = "" if wanted or not why.asks else f"It is not among the {len(deep.hits):,} that came back. "
    note = f"{nothing}{deep.played[0].upper()}{deep.played[1:]}; {len(deep.hits):,} came back. {agrees}"
    columns = ("rank", "memory", "score", Column("text", Kind.PROSE))
    title = f"Asked again of {deep.system}, {deep.depth:,} deep"
    return (Table.of("deeper", title, columns, rows, note),) if rows else (Prose(f"{title}: {note}"),)


def _found(why: ExplainedSearch, deep: DeepRanking) -> list[RankedMemory]:
    texts = [stored.text for stored in why.wanted if stored.text is not None]
    return deep.bearing([*why.turns, *why.memories], why.memories, texts)
