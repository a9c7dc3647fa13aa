"""Rates of one reader: whom it follows, what it does without any source, and why its right answers were right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from memgauge.results import result
from memgauge.studies.attribution.cells import ABSENT, AGREE, ALONE, JOINT, SWAPS, WITHOUT, AnswerSource
from memgauge.studies.attribution.labels import FollowedSource
from memgauge.studies.attribution.run import right
from memgauge.studies.attribution.share import CountedShare, clustered, rate, undefined
from memgauge.studies.attribution.wirings import UNREAD

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memgauge.studies.attribution.cells import Intervention
    from memgauge.studies.attribution.question import SlotQuestion
    from memgauge.studies.attribution.run import CellAnswer, Observed

UNCOUNTED = undefined("it was not counted when this card was made")
UNSUPPORTED = "the reader cannot be given that source"


class End(StrEnum):
    """Why a question ended as it did where all sources agree; every question has exactly one end."""

    MEMORY = "right, from memory"
    OTHER = "right, from another source"
    TOGETHER = "right, from sources that agree"
    NOTHING = "right, from no source"
    UNKNOWN = "right, from what is not known"
    ABSTAINED = "abstained"
    WRONG = "wrong"
    FAILED = "failed"


WRONG_REASON = (End.OTHER, End.TOGETHER, End.NOTHING)
RIGHT = (End.MEMORY, *WRONG_REASON, End.UNKNOWN)


def changes(observed: Observed, question: SlotQuestion, source: AnswerSource) -> bool | None:
    """Whether an answer changes when a source is swapped or taken away; ``None`` where that is not known."""
    base = observed.of(question, AGREE)
    return _any(differs(base, observed.of(question, cell)) for cell in _about(source))


def depends(observed: Observed, question: SlotQuestion, source: AnswerSource) -> bool | None:
    """Whether an answer follows a swapped source, or changes without it; ``None`` where that is not known."""
    swap, without = (observed.of(question, cell) for cell in _about(source))
    follows = None if swap is None or swap.follows in UNREAD else swap.follows == FollowedSource(source.value)
    return _any((follows, differs(observed.of(question, AGREE), without)))


def _about(source: AnswerSource) -> tuple[Intervention, Intervention]:
    place = tuple(AnswerSource).index(source)
    return SWAPS[place], WITHOUT[place]


def differs(first: CellAnswer | None, second: CellAnswer | None) -> bool | None:
    """Whether two answers state different things; ``None`` where one of them states nothing that can be read."""
    if first is None or second is None or first.follows in UNREAD or second.follows in UNREAD:
        return None
    return first.value != second.value


def _any(answers: Iterable[bool | None]) -> bool | None:
    """Return whether anything says yes; ``None`` where something is not known.

    One yes would be enough, and is not taken: questions of which asks failed would be left out but for those.
    """
    known = list(answers)
    return None if None in known else True in known


def is_whole(observed: Observed, question: SlotQuestion) -> bool:
    """Whether every ask from which it follows why a question ended as it did was answered."""
    about = (cell for source in AnswerSource if source in observed.carries for cell in _about(source))
    seen = (observed.of(question, cell) for cell in (AGREE, *about, *JOINT))
    return all(answer is None or answer.follows not in UNREAD for answer in seen)


def end_of(observed: Observed, question: SlotQuestion) -> End:
    """Say how a question ended; where an ask that would say why it is right failed, it is right all the same."""
    base = observed.of(question, AGREE)
    if base is None or base.follows is FollowedSource.FAILED:
        return End.FAILED
    if right(question, base):
        return _reason(observed, question)
    return End.ABSTAINED if base.follows is FollowedSource.ABSTAINED else End.WRONG


def _reason(observed: Observed, question: SlotQuestion) -> End:
    """Say why a right answer was right; unknown as soon as one ask is, whatever the others say."""
    if not is_whole(observed, question):
        return End.UNKNOWN
    dependent = {
        source: depends(observed, question, source) for source in AnswerSource if source in observed.carries
    }
    if dependent.get(AnswerSource.MEMORY):
        return End.MEMORY
    if any(dependent.values()):
        return End.OTHER
    joint = [seen.follows for cell in JOINT if (seen := observed.of(question, cell)) is not None]
    return End.TOGETHER if FollowedSource.SHARED in joint else End.NOTHING


@result
@dataclass(frozen=True)
class ReaderRates:
    """Everything that is counted of one reader; nothing is added up over sources or cells."""

    accuracy: CountedShare
    accuracy_guessable: CountedShare
    """Of questions whose truth is what anybody would guess."""
    accuracy_made_up: CountedShare
    attributed_accuracy: CountedShare
    right_for_wrong_reason: CountedShare
    follows: Mapping[str, CountedShare]
    """By source: swapped while the others hold the truth."""
    alone: Mapping[str, CountedShare]
    """By source: followed where it alone holds anything."""
    together: Mapping[str, CountedShare]
    """By pair: followed where both hold the same against the truth."""
    parametric: CountedShare
    abstention: CountedShare
    invention: CountedShare
    """Where no source holds anything: a guess, no answer, or something made up; beside them leaks and ties."""
    lure: CountedShare
    memorisation: CountedShare
    """Guesses of all answers that are either the guess or what memory holds (Longpre 2021)."""
    stability: CountedShare
    """Cells in which all repeats agree."""
    leak: CountedShare = UNCOUNTED
    """Where no source holds anything: a value that was given in other scopes alone."""


def rates(observed: Observed, ends: Mapping[str, End]) -> ReaderRates:
    """Count everything."""
    ended = [(question, ends[question.id]) for question in observed.questions]
    whole = [(question, end if is_whole(observed, question) else End.FAILED) for question, end in ended]
    return ReaderRates(
        accuracy=_ended(ended, RIGHT),
        accuracy_guessable=_ended([pair for pair in ended if pair[0].guessable], RIGHT),
        accuracy_made_up=_ended([pair for pair in ended if not pair[0].guessable], RIGHT),
        attributed_accuracy=_ended(whole, (End.MEMORY,)),
        right_for_wrong_reason=_ended(whole, WRONG_REASON),
        follows={
            str(s): _said(observed, cell, FollowedSource(s.value))
            for s, cell in zip(AnswerSource, SWAPS, strict=True)
        },
        alone={
            str(s): _said(observed, cell, FollowedSource(s.value))
            for s, cell in zip(AnswerSource, ALONE, strict=True)
        },
        together={
            cell.name.removeprefix("joint-"): _said(observed, cell, FollowedSource.SHARED) for cell in JOINT
        },
        parametric=_said(observed, ABSENT, FollowedSource.GUESS),
        abstention=_said(observed, ABSENT, FollowedSource.ABSTAINED),
        invention=_said(observed, ABSENT, FollowedSource.OTHER, FollowedSource.SEVERAL),
        lure=_lured(observed),
        memorisation=_lured(observed, among_both=True),
        stability=_stable(observed),
        leak=_said(observed, ABSENT, FollowedSource.ELSEWHERE),
    )


def _ended(ended: Iterable[tuple[SlotQuestion, End]], wanted: Sequence[End]) -> CountedShare:
    """Count questions by how they ended."""
    return rate([(None if end is End.FAILED else end in wanted, question.slot) for question, end in ended])


def _said(observed: Observed, cell: Intervention, *wanted: FollowedSource) -> CountedShare:
    column = observed.column(cell)
    if not column:
        return undefined(UNSUPPORTED)
    return rate(
        [
            (None if seen.follows is FollowedSource.FAILED else seen.follows in wanted, question.slot)
            for question, seen in zip(observed.questions, column, strict=True)
        ]
    )


def _lured(observed: Observed, *, among_both: bool = False) -> CountedShare:
    """Count guesses where memory holds something else and no source holds the guess.

    *among_both* leaves out answers that are neither the guess nor what memory holds.
    """
    rows, failed = [], 0
    for question in observed.questions:
        for cell in observed.distinct:
            seen, memory = observed.seen[question.id, cell.name], question.held(AnswerSource.MEMORY, cell)
            if not memory or question.lure in {question.held(source, cell) for source in AnswerSource}:
                continue
            failed += seen.follows is FollowedSource.FAILED
            if seen.follows is not FollowedSource.FAILED and (
                not among_both or seen.value in {memory, question.lure}
            ):
                rows.append((seen.follows is FollowedSource.GUESS, question.slot))
    return clustered(rows, "memory was never seen to hold what nobody would guess", failed)


def _stable(observed: Observed) -> CountedShare:
    if observed.repeats < 2:
        return undefined("every ask was made once")
    seen = [
        (question.slot, observed.seen[question.id, cell.name])
        for question in observed.questions
        for cell in observed.distinct
    ]
    rows = [(answer.agreed, slot) for slot, answer in seen if answer.follows is not FollowedSource.FAILED]
    return clustered(rows, "nothing was answered", len(seen) - len(rows))
