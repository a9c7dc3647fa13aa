"""The attribution card in sentences: why right answers were right, what is broken, what tables do not say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.show.numbers import listed, number, plural
from memgauge.show.safety import name_line, visible
from memgauge.studies.attribution.cells import AnswerSource
from memgauge.studies.attribution.labels import CITATION, FollowedSource
from memgauge.studies.attribution.rates import RIGHT, End

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.studies.attribution.cards import CardSet
    from memgauge.studies.attribution.study import Attribution

_LONGEST = 80
"""Letters of an answer that are shown."""


def headline(card: Attribution) -> str:
    """Say in a sentence or two why right answers were right, and what is broken."""
    whole = card.questions - card.ends[End.FAILED]
    right = sum(card.ends.get(end, 0) for end in RIGHT)
    reasons = [f"{n} {end.removeprefix('right, ')}" for end in RIGHT if (n := card.ends.get(end, 0))]
    counted = f"{name_line(card.reader)}: {right} of {plural(whole, 'question')} right"
    sentences = [f"{counted} ({', '.join(reasons)})." if reasons else f"{counted}."]
    if card.ends[End.FAILED]:
        sentences.append(f"{plural(card.ends[End.FAILED], 'question')} failed.")
    return " ".join([*sentences, *(f"{visible(fault)}." for fault in card.broken)])


def verdict(cards: CardSet) -> str:
    """Say which of several readers fail a hard check."""
    broken = [name_line(card.reader) for card in cards.cards if card.broken or card.failures]
    readers = plural(len(cards.cards), "reader")
    return (
        f"{readers}; {listed(broken)} cannot be let through." if broken else f"{readers}; none fails a hard check."
    )


def measured(card: Attribution) -> str:
    """Say how often one reader was asked, and what it was given."""
    details = ", ".join(
        f"{key} {value}" for key, value in sorted(card.details.items()) if isinstance(value, str | int)
    )
    sources = "all three sources" if len(card.carries) > 1 else f"{listed(card.carries)} only"
    questions = plural(card.questions, "question") + (f" on {plural(card.slots, 'slot')}" if card.slots else "")
    counts = (questions, plural(card.asks, "ask"), plural(card.repeats, "repeat"))
    return visible(f"{', '.join(counts)}; given {sources}{f'; {details}' if details else ''}.")


def notes(card: Attribution) -> Iterator[str]:
    """Say what the tables do not."""
    if card.slots:
        yield (
            f"The sample is of {plural(card.slots, 'slot')}, however many questions are asked: intervals say what "
            "other slots would change, and more questions narrow them only as far as those of one slot differ."
        )
    beyond = sum(not row.followed for row in card.matrix)
    if beyond:
        missing = [source for source in map(str, AnswerSource) if source not in card.carries]
        cells = f"{plural(beyond, 'cell')} of {len(card.matrix)}"
        yield f"{cells} are about {listed(missing)}, which it cannot be given."
    for end in (end for end in End if end in card.examples):
        asked, answer = card.examples[end]
        yield f"For example, {end}: {asked} {_quoted(answer)}"
    if any(row.followed.get(FollowedSource.ELSEWHERE) for row in card.matrix):
        yield "It leaks: what counts as a guess may be of other users too, for many of whom it is the truth."
    yield from _logged(card)
    yield from _ordered(card)
    if card.leaving is not None:
        yield (
            f"Of {card.leaving.items} memories a question: {card.leaving.logged_but_inert} logged but inert, "
            f"{card.leaving.unlogged_influence} groups moving the answer unlogged."
        )
    if card.nearest:
        share = card.likeness[card.nearest[0]].mean
        same = len(card.nearest) > 1 and share == 1
        like = "cannot be told apart from" if same else f"answers, in {number(share)} of asks, most like"
        yield f"It {like} {listed(card.nearest)}."
    if card.citations.phantoms:
        yield f"{plural(card.citations.phantoms, 'citation')} of what was never given."
    yield from (f"Failed: {visible(reason)}" for reason in card.failures[:3])


def _logged(card: Attribution) -> Iterator[str]:
    log = card.log
    if log.reason:
        yield f"Log: {log.reason}."
        return
    yield (
        f"Log, by question and source: {log.logged_and_moving} logged and moving the answer, "
        f"{log.logged_but_inert} logged but inert, {log.unlogged_influence} moving it unlogged, "
        f"{log.neither} neither, {log.unknown} unknown."
    )
    yield from (visible(witness) + "." for witness in log.witnesses[:3])


def _ordered(card: Attribution) -> Iterator[str]:
    order = card.precedence
    if order.reason:
        yield f"Order of precedence: {order.reason}."
    elif order.declared:
        verdict = "kept" if order.kept else "NOT kept"
        seen = ", ".join(order.observed) or "none"
        yield f"Declared order {', '.join(order.declared)}: {verdict}; observed: {seen}."


def _quoted(text: str) -> str:
    """Quote what a reader answered, on one line and cut."""
    plain_text = " ".join(visible(CITATION.sub("", text)).split())
    cut = plain_text if len(plain_text) <= _LONGEST else f"{plain_text[:_LONGEST]}\N{HORIZONTAL ELLIPSIS}"
    return f"\N{LEFT DOUBLE QUOTATION MARK}{cut}\N{RIGHT DOUBLE QUOTATION MARK}"
