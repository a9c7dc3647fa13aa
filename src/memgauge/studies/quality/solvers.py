"""Solvers that look at words and places only, and how what they pick is judged."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.datasets.synthetic.asked import QuestionKind
from memgauge.datasets.synthetic.dice import Dice
from memgauge.measures.answers.typed import typed_match
from memgauge.retrieval import BM25, TermMatrix
from memgauge.studies.quality.difficulty import content
from memgauge.text.normalise import fold
from memgauge.text.values import days, identifiers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memgauge.records import Case, Gold, Question, Turn

    Pick = Sequence[Turn] | str | None
    """Turns, best first, or an answer; nothing is found, or nothing said, where it is empty."""

WHOLE = frozenset(
    {
        QuestionKind.LIST,
        QuestionKind.COUNT,
        QuestionKind.SUM,
        QuestionKind.CHANGES,
        QuestionKind.DURATION,
        QuestionKind.CONSTRAINTS,
    }
)
"""Kinds that follow from all of their evidence together."""
NAMED = frozenset({QuestionKind.DATE, QuestionKind.ORDER})
"""Kinds whose answer does not stand in its turn: a day is reckoned, an event is called otherwise."""
_MOST = 12
"""More turns than any question has evidence."""
_NAME = re.compile(r"(?<![.:!?\"'] )(?<!^)(?<!^[\"'])\b(?:The )?[A-Z][a-z]+\b")


@dataclass(frozen=True)
class SolverScene:
    """One conversation as solvers see it: what its user said."""

    turns: Sequence[Turn]
    words: Sequence[frozenset[str]]
    """Content words of each turn."""
    search: BM25
    frequent: str
    """The name or identifier that is said most often, the latest of several."""


def look_around(case: Case) -> SolverScene:
    """Read a conversation once for all solvers; the assistant and tools are left out, which helps them."""
    turns = [turn for turn in case.conversation.turns() if turn.role == "user"]
    words = [frozenset(content(turn.text)) for turn in turns]
    values = [value for turn in turns for value in (*_NAME.findall(turn.text), *_codes(turn.text))]
    counts = Counter(values)
    frequent = max(reversed(values), key=counts.__getitem__, default="")
    search = BM25(TermMatrix.build((turn.text for turn in turns), content))
    return SolverScene(turns, words, search, frequent)


def _codes(text: str) -> list[str]:
    return [code.upper() for code in identifiers(text)]


def bm25(scene: SolverScene, question: Question) -> Pick:
    """Take what BM25 over content words finds; days named in the question are left out, which helps it."""
    ranking, _ = scene.search.search(_undated(question.text), len(scene.turns))
    return [scene.turns[item] for item in ranking.tolist()]


def last_match(scene: SolverScene, question: Question) -> Pick:
    """Take the latest of the turns that share most content words with the question."""
    question_words = frozenset(content(_undated(question.text)))
    overlaps = [len(words & question_words) for words in scene.words]
    order = sorted(range(len(overlaps)), key=lambda n: (overlaps[n], n), reverse=True)
    return [scene.turns[n] for n in order if overlaps[n]]


def _sharing(scene: SolverScene, question: Question) -> list[Turn]:
    """Return the turns that share a content word with the question."""
    question_words = frozenset(content(_undated(question.text)))
    return [turn for turn, words in zip(scene.turns, scene.words, strict=True) if words & question_words]


SOLVERS: Mapping[str, Callable[[SolverScene, Question], Pick]] = {
    "bm25": bm25,
    "recency-only": lambda scene, _: scene.turns[::-1],
    "random": lambda scene, question: Dice("shortcuts", question.id).sample(
        scene.turns, min(_MOST, len(scene.turns))
    ),
    "last-mention": lambda scene, question: _sharing(scene, question)[::-1],
    "last-match": last_match,
    "first-mention": _sharing,
    "majority": lambda scene, _: scene.frequent,
    "echo-all": lambda scene, _: " ".join(turn.text for turn in scene.turns),
    "always-abstain": lambda _scene, _: None,
}
"""Everything that should not be able to answer, by name: it looks at words, places or counts only."""


def mentions(scene: SolverScene, gold: Gold) -> list[Turn]:
    """Return every turn about what is asked, in the order of telling: found by somebody who is blind to time."""
    about = {*gold.anchors(), *(gold.stale or ()), *gold.decoys}
    return [turn for turn in scene.turns if turn.id in about]


def is_right(pick: Pick, question: Question, gold: Gold) -> bool:
    """Judge a pick.

    An answer has to state the right value and no other. Of turns the first one has to state it, and not be stale;
    where the answer follows from several turns, the first so many have to be these. Nothing picked is right where
    nothing can be answered.
    """
    if gold.abstain or not pick:
        return gold.abstain and not pick
    if isinstance(pick, str):
        return states(pick, gold)
    anchors = gold.anchors()
    if question.category in WHOLE:
        return {turn.id for turn in pick[: len(anchors)]} == set(anchors)
    if question.category in NAMED:
        return pick[0].id == anchors[0]
    return pick[0].id not in (gold.stale or ()) and _stands(gold.answers[0], pick[0].text)


def states(answer: str, gold: Gold) -> bool:
    """Whether *answer* is an accepted one, or states its value and no other of its kind."""
    return fold(answer) in set(map(fold, gold.answers)) or typed_match(answer, gold.answers) == 1.0


def _stands(value: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text) is not None


def _undated(text: str) -> str:
    for day in reversed(days(text)):
        text = text[: day.span.start] + text[day.span.end :]
    return text
