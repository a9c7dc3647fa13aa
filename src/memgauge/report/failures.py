"""What failures say: how often each cause, and the most telling questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.scoring.failures import FailureCause
from memgauge.show import Column, Document, Kind, Note, Step, Steps, Table
from memgauge.show.numbers import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.scoring.failures import FailureList, RetrievalFailure

_ADVICE = {
    FailureCause.SEARCH_FAILED: "make the search answer; a failed search is a miss",
    FailureCause.NOT_STORED: "look at what is written: no memory says that it comes from the evidence",
    FailureCause.ALTERED: "look at the words that are stored: they no longer bear what was said",
    FailureCause.BEYOND: "look at the ranking: the evidence is there, below what a reader can pay for",
    FailureCause.NOT_RETURNED: "look at the search: the evidence is stored and does not come back",
}


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
        notes=tuple(Note(_ADVICE[cause], str(cause)) for cause in commonest),
        noted="What to do about it",
        next="A question whole, with all that was returned: memgauge runs show RUNS QUESTION",
        data=list(lists),
    )


def _sentences(each: FailureList) -> list[str]:
    sentences = []
    for system, counts in each.causes.items():
        failed, scored = sum(counts.values()), each.scored[system]
        why = f", most often: {next(iter(counts))}" if counts else ""
        sentences.append(f"{system} misses {failed:,} of {scored:,} questions of {each.dataset}{why}.")
    return sentences


def _blocks(each: FailureList, place: int) -> tuple[Table, Steps]:
    causes = [cause for cause in FailureCause if any(cause in counts for counts in each.causes.values())]
    columns = (
        Column("system", Kind.PROSE),
        Column("misses", Kind.COUNT),
        *(Column(str(cause), Kind.COUNT) for cause in causes),
    )
    rows: list[tuple[str | int, ...]] = [
        (system, sum(counts.values()), *(counts.get(cause, 0) for cause in causes))
        for system, counts in each.causes.items()
    ]
    table = Table.of(
        f"causes-{place}", f"Misses of {each.dataset} by cause", columns, rows, f"{each.measure} is 0."
    )
    steps = tuple(_step(failure, rank) for rank, failure in enumerate(each.shown, 1))
    return table, Steps(steps, f"The most telling of {each.dataset}")


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
