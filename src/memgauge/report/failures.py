"""What failures say: how often each cause, and the most telling questions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memgauge.scoring.causes import FailureCause
from memgauge.show import (
    Cell,
    Column,
    Document,
    Fold,
    Kind,
    Note,
    Notes,
    Section,
    Step,
    Steps,
    Table,
    Tone,
    embedded,
)
from memgauge.show.numbers import number, percent, plural

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memgauge.scoring.failures import FailureList, RetrievalFailure

    CauseLinks = Callable[[str, str], object]

ADVICE = {
    FailureCause.SEARCH_FAILED: "make the search answer; a failed search is a miss",
    FailureCause.NOT_STORED: "look at what is written: no memory says that it comes from the evidence",
    FailureCause.LOST: "look at what is evicted, overwritten or not saved: the evidence was stored and is gone",
    FailureCause.ALTERED: "look at the words that are stored or handed over: they no longer say what was said",
    FailureCause.OTHER_SCOPE: "look at whose memory is written and asked: user, agent and session of each call",
    FailureCause.OLD_VERSION: "look at updates: what was true before comes back in the place of what is true",
    FailureCause.NOT_RETURNED: "look at the index and at k: the evidence is stored and does not come back",
    FailureCause.TOO_DEEP: "look at the ranking: the evidence stands below what is looked at",
    FailureCause.CUT: "look at the ranking and at long memories: the evidence is behind what a reader pays for",
    FailureCause.UNKNOWN: "the record does not say: report changes, declare sources, list what is stored",
}
"""Where to look for each cause."""
FEW = 2
"""Systems whose categories are told apart on paper; as data they all are."""


def document(lists: Sequence[FailureList]) -> Document:
    """Say what systems failed on every dataset, and why."""
    blocks = tuple(block for place, each in enumerate(lists, 1) for block in _blocks(each, place))
    commonest = {
        FailureCause(next(iter(counts))): None for each in lists for counts in each.causes.values() if counts
    }
    return Document(
        title="Failures",
        lead=" ".join(sentence for each in lists for sentence in _sentences(each)),
        blocks=blocks,
        notes=tuple(Note(ADVICE[cause], str(cause)) for cause in commonest),
        noted="What to do about it",
        next="A question whole, with all that was returned: memgauge runs show RUNS QUESTION",
        data=list(lists),
    )


def section(lists: Sequence[FailureList]) -> Section:
    """Say it behind a title of a larger document."""
    return replace(embedded(document(lists), "failures", "Why questions were missed"), fold=Fold.CLOSED)


def _sentences(each: FailureList) -> list[str]:
    if each.scored and not any(each.scored.values()):
        return [f"No question of {each.dataset} is scored, so none can be missed: memgauge score says why."]
    sentences = []
    for system, counts in each.causes.items():
        missed, scored = sum(counts.values()), each.scored[system]
        why = f", most often: {next(iter(counts))}" if counts else ""
        sentences.append(f"{system} misses {missed:,} of {scored:,} questions of {each.dataset}{why}.")
    return sentences


def _blocks(each: FailureList, place: int) -> list[Notes | Table | Steps]:
    blocks: list[Notes | Table | Steps] = [causes_table(each, f"causes-{place}"), *retried_notes(each)]
    if len(each.causes) <= FEW:
        blocks += [
            categories_table(each, system, f"categories-{place}-{n}") for n, system in enumerate(each.causes)
        ]
    steps = tuple(_step(failure, rank) for rank, failure in enumerate(each.shown, 1))
    shown = f"The {len(steps):,} most telling" if len(steps) < each.fitting else "All"
    return [*blocks, Steps(steps, f"{shown} of {plural(each.fitting, 'failure')} of {each.dataset}")]


def retried_notes(each: FailureList) -> list[Notes]:
    """Say which searches succeeded only when they were tried again: they are no misses, and were failures."""
    notes = tuple(Note(sentence, system, Tone.WARN) for system, sentence in each.retried.items())
    return [Notes(notes)] if notes else []


def causes_table(each: FailureList, key: str, leads: CauseLinks = lambda *_: None) -> Table:
    """Say how often each cause is, system by system; *leads* to the failures of both."""
    columns = (
        Column("system", Kind.PROSE),
        "cause",
        Column("misses", Kind.COUNT),
        Column("share", Kind.SHARE),
    )
    rows = [
        (
            system,
            Cell(cause, leads=leads(system, cause)),
            n,
            Cell(percent(share := each.share(system, cause)), value=share),
        )
        for system, counts in each.causes.items()
        for cause, n in counts.items()
    ]
    caption = f"A miss is a question whose {each.measure} is 0. Shares are of a system's misses."
    return Table.of(key, f"Misses of {each.dataset} by cause", columns, rows, caption)


def categories_table(each: FailureList, system: str, key: str) -> Table:
    """Say which categories a system misses, and the commonest cause in each."""
    columns = (
        Column("category"),
        *Column.each(Kind.COUNT, "scored", "misses"),
        Column("most often"),
        Column("share", Kind.SHARE),
    )
    rows = [
        (
            category,
            each.scored_categories[system].get(category, 0),
            sum(counts.values()),
            cause := next(iter(counts)),
            Cell(percent(share := each.share(system, cause, category)), value=share),
        )
        for category, counts in each.categories[system].items()
    ]
    return Table.of(key, f"Misses of {system} by category", columns, rows)


def _step(failure: RetrievalFailure, rank: int) -> Step:
    why = f"{failure.cause}, {failure.detail}" if failure.detail else str(failure.cause)
    other = f"; {failure.best} reaches {number(failure.value)}" if failure.best else "; nobody finds it"
    gold = " | ".join(failure.answers) or "no answer text"
    return Step(
        f"{failure.text} ({gold})",
        str(rank),
        badges=(failure.system,),
        beside=f"{failure.question}, {failure.category}: {why}{other}",
    )
