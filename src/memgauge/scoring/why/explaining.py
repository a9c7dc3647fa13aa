"""Everything that a record says of why one search did, or did not, return what was expected."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memgauge.errors import UnknownNameError
from memgauge.records import Evidence
from memgauge.runs.record.searches import StoredMemory, StoredState
from memgauge.scoring.causes import explain
from memgauge.scoring.trails import followed
from memgauge.scoring.why.cuts import cut_by_ranks, cut_by_tokens
from memgauge.scoring.why.likeness import TextLikeness, likeness
from memgauge.scoring.why.named import why_not
from memgauge.text.witness import plain

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from memgauge.measures import Measure
    from memgauge.runs.record.searches import RankedMemory, SearchMoment
    from memgauge.scoring.causes import ExplainedFailure
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.run_reading import RunReading
    from memgauge.scoring.why.cuts import ContextCut
    from memgauge.scoring.why.deeper import DeepRanking

ABOVE = 5
"""First hits that are laid beside what was expected."""


@dataclass(frozen=True)
class ExplainedSearch:
    """One search, and why what was expected of it did or did not come back."""

    moment: SearchMoment
    turns: tuple[str, ...] = ()
    """Turns that should have come back."""
    memories: tuple[str, ...] = ()
    """Memories that should have."""
    reason: ExplainedFailure | None = None
    """What was lost first; ``None`` where everything reached a reader, or nothing is expected."""
    missed: bool = False
    """Whether nothing that counts reached a reader."""
    expected: tuple[RankedMemory, ...] = ()
    """What came back of it, best first."""
    above: tuple[RankedMemory, ...] = ()
    """All that stands before what was lost, in order; all that came back where it did not."""
    wanted: tuple[StoredMemory, ...] = ()
    """What was stored of it."""
    cuts: tuple[ContextCut, ...] = ()
    likeness: TextLikeness = field(default_factory=TextLikeness)
    deep: DeepRanking | None = None
    """``None`` where no system was named."""

    @property
    def asks(self) -> bool:
        """Whether anything is expected."""
        return bool(self.turns or self.memories)

    def compared(self, embedder: str) -> ExplainedSearch:
        """Lay the question beside what was expected and what outranked it."""
        near = [hit.text for hit in (*self.above[:ABOVE], *self.expected[:ABOVE])]
        near += [stored.text for stored in self.wanted[:ABOVE]]
        texts = dict.fromkeys(text for text in near if text is not None)
        return replace(self, likeness=likeness(self.moment.query, list(texts), embedder))


def explained_by_memories(
    moment: SearchMoment, memories: Sequence[str], measure: Measure | None = None
) -> ExplainedSearch:
    """Say why *memories* did not come back, where nobody knows gold; none expects nothing."""
    cuts = cuts_of(moment.hits, measure)
    reasons = [reason for memory in memories if (reason := why_not(moment, memory, cuts)) is not None]
    reason = next(iter(reasons), None)
    expected = moment.hits_on(memories)
    known = tuple(stored for stored in moment.stored if stored.memory in memories)
    unseen = dict.fromkeys(memories, None) | {stored.memory: stored for stored in known}
    first = moment.hits_on([reason.turn] if reason else memories)
    return ExplainedSearch(
        moment,
        memories=tuple(memories),
        reason=reason,
        missed=bool(memories) and len(reasons) == len(memories),
        expected=expected,
        above=_above(moment.hits, first) if memories else (),
        wanted=(
            *known,
            *(StoredMemory(name, StoredState.UNDATED) for name, seen in unseen.items() if seen is None),
        ),
        cuts=cuts,
    )


def explained_by_gold(reading: RunReading, moment: SearchMoment) -> ExplainedSearch:
    """Say why the evidence of a question did not come back: the cause is that of its failure."""
    judged, gold, measure = reading.judged, reading.gold, reading.measure
    place, home = gold.number[moment.name], moment.scope
    turns = gold.golds[place].anchors(judged.contract.evidence)
    moment = _as_judged(moment, reading, place)
    cuts = cuts_of(moment.hits, measure)
    if not turns:
        return ExplainedSearch(moment, cuts=cuts)
    (trails,) = followed(reading, [place]).values()
    rows = judged.rows(measure)
    missed = bool(rows.defined[place] and judged.run_mask[place] and rows.values[place] == 0)
    lost = any(not reading.arrived(place, turn) for turn in turns)
    reason = explain(trails) if missed or lost else None
    bears = {
        hit.rank: {turn for turn in turns if (home, turn) in reading.shares.get(hit.row, {})}
        for hit in moment.hits
    }
    expected = tuple(hit for hit in moment.hits if bears[hit.rank])
    first = [hit for hit in expected if reason is None or reason.turn in bears[hit.rank]]
    return ExplainedSearch(
        moment,
        turns=turns,
        reason=reason,
        missed=missed,
        expected=expected,
        above=_above(moment.hits, first),
        wanted=tuple(stored for stored in moment.stored if set(turns).intersection(stored.sources)),
        cuts=cuts,
    )


def expecting(gold: GoldTable, question: str, turns: Collection[str]) -> GoldTable:
    """Return the gold with *turns* for the evidence of one question, as somebody expects who knows no better.

    Raises:
        UnknownNameError: The conversation has no such turn.
    """
    place = gold.number[question]
    home = gold.questions[place].conversation
    spoken = dict(gold.conversations.said([home]))[home].turns
    for turn in turns:
        if turn not in spoken:
            raise UnknownNameError(
                f"Conversation {home} has no turn {turn!r}.", f"The first is {next(iter(spoken))}."
            )
    named = replace(gold.golds[place], evidence=tuple(Evidence(turn, exact=True, turns=(turn,)) for turn in turns))
    words: Mapping[tuple[str, str], str] = {(home, turn): plain(spoken[turn].text) for turn in turns}
    return replace(
        gold,
        golds=(*gold.golds[:place], named, *gold.golds[place + 1 :]),
        conversations=replace(gold.conversations, evidence={**gold.conversations.evidence, **words}),
    )


def cuts_of(hits: Sequence[RankedMemory], measure: Measure | None) -> tuple[ContextCut, ...]:
    """Say where a measure stops reading; nowhere without one."""
    if measure is None:
        return ()
    ranks = () if measure.depth is None else (cut_by_ranks(hits, measure.depth),)
    tokens = (cut_by_tokens(hits, budget) for budget in sorted(measure.budgets)[-1:])
    return (*ranks, *(cut for cut in tokens if cut is not None))


def _as_judged(moment: SearchMoment, reading: RunReading, place: int) -> SearchMoment:
    """Rank the hits as a contract does that orders equal scores by a hash."""
    ranks = {reading.memory(hit): rank for rank, hit in enumerate(reading.hits(place), 1)}
    hits = (replace(hit, rank=ranks.get(hit.row, hit.rank)) for hit in moment.hits)
    return replace(moment, hits=tuple(sorted(hits, key=lambda hit: hit.rank)))


def _above(hits: Sequence[RankedMemory], expected: Sequence[RankedMemory]) -> tuple[RankedMemory, ...]:
    """Return the hits before the first that is expected; all of them where none is."""
    until = min((hit.rank for hit in expected), default=None)
    return tuple(hit for hit in hits if until is None or hit.rank < until)
