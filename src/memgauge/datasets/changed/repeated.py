"""Every question three times: too early, in its place, and once more."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from memgauge.datasets.changed.entry import CaseWithGold
from memgauge.records import Case, Evidence, Gold

EARLY: Final = "~early"
AGAIN: Final = "~again"
"""What the ids of the questions end in that were added; the others keep theirs."""


@dataclass(frozen=True)
class QuestionsTwice:
    """Asks every question also after the first session, when little was said, and again when all were asked."""

    def entry(self, entry: CaseWithGold) -> CaseWithGold:
        """Ask three times; early, only what was said by then is evidence."""
        questions, first = entry.case.questions, entry.conversation.sessions[0]
        heard = {turn.id for turn in first.turns}
        early = tuple(replace(each, id=each.id + EARLY, after_session=first.id) for each in questions)
        again = tuple(replace(each, id=each.id + AGAIN) for each in questions)
        golds = (
            *(_heard(gold, heard, first.id) for gold in entry.golds),
            *entry.golds,
            *(replace(gold, question=gold.question + AGAIN) for gold in entry.golds),
        )
        return CaseWithGold(Case(entry.conversation, (*early, *questions, *again)), golds)


def _heard(gold: Gold, turns: set[str], session: str) -> Gold:
    evidence = tuple(each for each in gold.evidence if each.turns and turns.issuperset(each.turns))
    whole = len(evidence) == len(gold.evidence)
    return replace(
        gold,
        question=gold.question + EARLY,
        evidence=tuple(Evidence(each.raw, each.exact, each.turns) for each in evidence),
        answers=gold.answers if whole else (),
        raw_answer=gold.raw_answer if whole else None,
        points=gold.points if whole else (),
        sessions=tuple(each for each in gold.sessions if each == session),
        stale=None if gold.stale is None else tuple(turn for turn in gold.stale if turn in turns),
        decoys=tuple(turn for turn in gold.decoys if turn in turns),
    )
