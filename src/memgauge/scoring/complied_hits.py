"""What hits say of a change: whether they show what was withheld, and whether they come again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.datasets.changed.repeated import AGAIN
from memgauge.runs.play.probing import shared
from memgauge.scoring.compliance import ComplianceVerdict, Complied
from memgauge.scoring.withheld import withheld_from

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from memgauge.scoring.compliance import ComplianceTest
    from memgauge.scoring.played_pair import PlayedPair, PlayedSide
    from memgauge.scoring.withheld import Withheld


def shows_nothing(test: ComplianceTest, pair: PlayedPair, depth: int, margin: float) -> ComplianceVerdict:
    """Count the questions whose hits show what was withheld, before the change and after it.

    Where the memory knows nothing at all, one is too many; where it knows a part, a word may be there by chance.
    """
    before, after, partial = dict[str, bool](), dict[str, bool](), False
    for case, golds, stream in pair.streams():
        withheld = {
            name: each
            for name, each in withheld_from(case, golds, stream).items()
            if each.countable and pair.changed.ended(name)
        }
        partial |= any(each.partial for each in withheld.values())
        after |= _shown(pair.changed, withheld, depth)
        before |= _shown(pair.original, withheld, depth)
    if not after:
        reason = "nothing that was withheld could be told from the rest"
        return ComplianceVerdict(test.name, test.expected, Complied.OPEN, reason=reason)
    mean, share = (sum(each.values()) / len(each) for each in (before, after))
    verdict, reason = Complied.NO if share > (margin if partial else 0.0) else Complied.YES, ""
    if partial and verdict is Complied.YES and not mean:
        verdict, reason = Complied.OPEN, "nothing of it was returned before it was withheld"
    low, high, units = pair.share({name: float(shown) for name, shown in after.items()})
    example = next((name for name, shown in after.items() if shown), "")
    return ComplianceVerdict(
        test.name, test.expected, verdict, mean, share, low, high, len(after), units, reason, example
    )


def _shown(side: PlayedSide, withheld: Mapping[str, Withheld], depth: int) -> dict[str, bool]:
    """Say of each question whether its hits show what they may not."""
    hits = side.hits(list(withheld), depth)
    return {name: each.shown(hits.get(name, ())) for name, each in withheld.items()}


def comes_again(test: ComplianceTest, pair: PlayedPair, depth: int, churn: float) -> ComplianceVerdict:
    """Measure how much of what a search returns first is something else when it is repeated."""
    lost: dict[str, float] = {}
    for case, _ in pair.original.cases():
        names = [question.id for question in case.questions if question.id in pair.original.gold.number]
        again = [name + AGAIN if name + AGAIN in pair.changed.gold.number else pair.name(name) for name in names]
        side = pair.changed if again[:1] == [f"{name}{AGAIN}" for name in names[:1]] else pair.original
        first, second = side.hits(names, depth), pair.changed.hits(again, depth)
        for name, repeated in zip(names, again, strict=True):
            if side.ended(name) and pair.changed.ended(repeated):
                lost[name] = 1.0 - shared(_texts(first.get(name, ())), _texts(second.get(repeated, ())))
    if not lost:
        return ComplianceVerdict(test.name, test.expected, Complied.OPEN, reason="no search was repeated")
    low, high, units = pair.share(lost)
    mean, worst = sum(lost.values()) / len(lost), max(lost, key=lambda name: lost[name])
    verdict, reason = _steady(mean, low, high, churn)
    example = worst if mean else ""
    return ComplianceVerdict(
        test.name, test.expected, verdict, None, mean, low, high, len(lost), units, reason, example
    )


def _steady(mean: float, low: float | None, high: float | None, churn: float) -> tuple[Complied, str]:
    if not mean:
        return Complied.YES, "the same for every question"
    if high is not None and high <= churn:
        return Complied.YES, ""
    if low is not None and low > churn:
        return Complied.NO, ""
    return Complied.OPEN, "too few conversations to tell"


def _texts(hits: Sequence[Mapping[str, Any]]) -> tuple[tuple[str, float | None], ...]:
    return tuple((str(hit["text"]), None) for hit in hits)
