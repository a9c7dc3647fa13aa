"""Rates of one reader: whom it follows, what it does without any source, and why its right answers were right."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from memgauge.studies.attribution.cells import ABSENT, AGREE, ALONE, JOINT, SWAPS, WITHOUT, Source
from memgauge.studies.attribution.labels import Said
from memgauge.studies.attribution.run import right
from memgauge.studies.attribution.share import Rate, clustered, rate, undefined
from memgauge.studies.attribution.wirings import UNREAD

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memgauge.studies.attribution.cells import Cell
    from memgauge.studies.attribution.question import Question
    from memgauge.studies.attribution.run import Observed, Seen

UNSUPPORTED = "the reader cannot be given that source"


class End(StrEnum):
    """Why a question ended as it did where all sources agree; every question has exactly one end."""

    MEMORY = "right, from memory"
    OTHER = "right, from another source"
    TOGETHER = "right, from sources that agree"
    NOTHING = "right, from no source"
    ABSTAINED = "abstained"
    WRONG = "wrong"
    FAILED = "failed"


RIGHT = (End.MEMORY, End.OTHER, End.TOGETHER, End.NOTHING)
WRONG_REASON = RIGHT[1:]


def changes(observed: Observed, question: Question, source: Source) -> bool | None:
    """Whether an answer changes when a source is swapped or taken away; ``None`` where that is not known."""
    base = observed.of(question, AGREE)
    return _any(differs(base, observed.of(question, cell)) for cell in _about(source))


def depends(observed: Observed, question: Question, source: Source) -> bool | None:
    """Whether an answer follows a swapped source, or changes without it; ``None`` where that is not known."""
    swap, without = (observed.of(question, cell) for cell in _about(source))
    follows = None if swap is None or swap.said in UNREAD else swap.said == Said(source.value)
    return _any((follows, differs(observed.of(question, AGREE), without)))


def _about(source: Source) -> tuple[Cell, Cell]:
    place = tuple(Source).index(source)
    return SWAPS[place], WITHOUT[place]


def differs(one: Seen | None, other: Seen | None) -> bool | None:
    """Whether two answers state different things; ``None`` where one of them states nothing that can be read."""
    if one is None or other is None or one.said in UNREAD or other.said in UNREAD:
        return None
    return one.value != other.value


def _any(found: Iterable[bool | None]) -> bool | None:
    """Return yes where anything says yes, no where everything says no."""
    known = list(found)
    return True if True in known else None if None in known else False


def end_of(observed: Observed, question: Question) -> End:
    """Say how a question ended; where an intervention that would decide it failed, it failed."""
    base = observed.of(question, AGREE)
    if base is None or base.said is Said.FAILED:
        return End.FAILED
    if right(question, base):
        return _reason(observed, question)
    return End.ABSTAINED if base.said is Said.ABSTAINED else End.WRONG


def _reason(observed: Observed, question: Question) -> End:
    """Say why a right answer was right."""
    found = {source: depends(observed, question, source) for source in Source if source in observed.carries}
    if found.get(Source.MEMORY):
        return End.MEMORY
    if None in found.values():
        return End.FAILED
    if any(found.values()):
        return End.OTHER
    joint = [seen.said for cell in JOINT if (seen := observed.of(question, cell)) is not None]
    if Said.SHARED in joint:
        return End.TOGETHER
    return End.FAILED if UNREAD & set(joint) else End.NOTHING


@dataclass(frozen=True)
class Rates:
    """Everything that is counted of one reader; nothing is added up over sources or cells."""

    accuracy: Rate
    accuracy_guessable: Rate
    """Of questions whose truth is what anybody would guess."""
    accuracy_made_up: Rate
    attributed_accuracy: Rate
    right_for_wrong_reason: Rate
    follows: Mapping[str, Rate]
    """By source: swapped while the others hold the truth."""
    alone: Mapping[str, Rate]
    """By source: followed where it alone holds anything."""
    together: Mapping[str, Rate]
    """By pair: followed where both hold the same against the truth."""
    parametric: Rate
    abstention: Rate
    invention: Rate
    """All three where no source holds anything: a guess, no answer, or something else; the rest is undecided."""
    lure: Rate
    memorisation: Rate
    """Guesses of all answers that are either the guess or what memory holds (Longpre 2021)."""
    stability: Rate
    """Cells in which all repeats agree."""


def rates(observed: Observed, ends: Mapping[str, End]) -> Rates:
    """Count everything."""
    guessable = {question.id: question.guessable for question in observed.questions}
    return Rates(
        accuracy=_ended(ends, RIGHT),
        accuracy_guessable=_split(ends, guessable, wanted=True),
        accuracy_made_up=_split(ends, guessable, wanted=False),
        attributed_accuracy=_ended(ends, (End.MEMORY,)),
        right_for_wrong_reason=_ended(ends, WRONG_REASON),
        follows={str(s): _said(observed, cell, Said(s.value)) for s, cell in zip(Source, SWAPS, strict=True)},
        alone={str(s): _said(observed, cell, Said(s.value)) for s, cell in zip(Source, ALONE, strict=True)},
        together={cell.name.removeprefix("joint-"): _said(observed, cell, Said.SHARED) for cell in JOINT},
        parametric=_said(observed, ABSENT, Said.GUESS),
        abstention=_said(observed, ABSENT, Said.ABSTAINED),
        invention=_said(observed, ABSENT, Said.OTHER, Said.SEVERAL, Said.ELSEWHERE),
        lure=_lured(observed),
        memorisation=_lured(observed, among_both=True),
        stability=_stable(observed),
    )


def _ended(ends: Mapping[str, End], wanted: Sequence[End]) -> Rate:
    return rate([None if end is End.FAILED else end in wanted for end in ends.values()])


def _split(ends: Mapping[str, End], guessable: Mapping[str, bool], *, wanted: bool) -> Rate:
    return _ended({name: end for name, end in ends.items() if guessable[name] is wanted}, RIGHT)


def _said(observed: Observed, cell: Cell, *wanted: Said) -> Rate:
    column = observed.column(cell)
    if not column:
        return undefined(UNSUPPORTED)
    return rate([None if seen.said is Said.FAILED else seen.said in wanted for seen in column])


def _lured(observed: Observed, *, among_both: bool = False) -> Rate:
    """Count guesses where memory holds something else and no source holds the guess.

    Args:
        observed: What was said.
        among_both: Leave out answers that are neither the guess nor what memory holds.
    """
    rows, failed = [], 0
    for question in observed.questions:
        for cell in observed.distinct:
            seen, memory = observed.seen[question.id, cell.name], question.held(Source.MEMORY, cell)
            if not memory or question.lure in {question.held(source, cell) for source in Source}:
                continue
            failed += seen.said is Said.FAILED
            if seen.said is not Said.FAILED and (not among_both or seen.value in {memory, question.lure}):
                rows.append((seen.said is Said.GUESS, question.id))
    return clustered(rows, "memory was never seen to hold what nobody would guess", failed)


def _stable(observed: Observed) -> Rate:
    if observed.repeats < 2:
        return undefined("every ask was made once")
    seen = [
        (question.id, observed.seen[question.id, cell.name])
        for question in observed.questions
        for cell in observed.distinct
    ]
    rows = [(one.agreed, name) for name, one in seen if one.said is not Said.FAILED]
    return clustered(rows, "nothing was answered", len(seen) - len(rows))
