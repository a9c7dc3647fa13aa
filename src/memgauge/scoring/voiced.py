"""What the hits of a run say, hit by hit: which facts, and whether the system calls them history.

A hit says a fact when it descends from a turn that states it. Where it descends from several turns (a chunk, a
summary, a fact that was rewritten), its text has to hold the value; without texts lineage alone decides.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from memgauge.datasets.base import HasTruth
from memgauge.measures.facts import Voiced
from memgauge.text.denials import is_denied, may_deny

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from memgauge.datasets.base import Dataset
    from memgauge.records import Fact
    from memgauge.runs.record.store import Run


@dataclass(frozen=True)
class Truth:
    """The facts of a dataset, by conversation and turn."""

    by_turn: Mapping[tuple[str, str], tuple[Fact, ...]]
    known: bool
    """Whether the dataset says what is true at all."""

    @classmethod
    def of(cls, dataset: Dataset | None) -> Truth:
        """Read what *dataset* knows; most know nothing."""
        if dataset is None or not isinstance(dataset, HasTruth):
            return cls({}, known=False)
        by_turn: defaultdict[tuple[str, str], list[Fact]] = defaultdict(list)
        for fact in dataset.truth():
            for turn in fact.turns:
                by_turn[fact.conversation, turn].append(fact)
        return cls({key: tuple(facts) for key, facts in by_turn.items()}, known=True)

    def voiced(self, row: Mapping[str, Any], conversation: str, asked_at: datetime | None) -> Voiced:
        """Say what one hit, as a run gives it, speaks for."""
        sources: Sequence[str] = row["sources"]
        stated = [(turn, fact) for turn in sources for fact in self.by_turn.get((conversation, turn), ())]
        text, past = row["text"], set[str]()
        named = borne = stated
        if len(sources) > 1 and text is not None:
            values = values_in(text, {fact.value for _, fact in stated})
            named = [(turn, fact) for turn, fact in stated if not fact.spoken or fact.value in values]
            borne = [(turn, fact) for turn, fact in named if not fact.spoken or values[fact.value]]
            past = {turn for turn, _ in named} - {turn for turn, _ in borne}
        dropped = {turn for turn, _ in stated} - {turn for turn, _ in borne}
        ended = row["valid_to"]
        marked = ended is not None and asked_at is not None and datetime.fromisoformat(ended) <= asked_at
        still = frozenset(turn for turn in sources if turn not in dropped)
        return Voiced(still, tuple(fact for _, fact in borne), marked, frozenset(past))

    def of_run(
        self, run: Run, asked: Mapping[str, tuple[str, datetime | None]], k: int
    ) -> dict[str, list[Voiced]]:
        """Return the first *k* hits of each question that *asked* names, with its conversation and time."""
        hits = run.hits_of(list(asked), k)
        return {question: [self.voiced(row, *asked[question]) for row in rows] for question, rows in hits.items()}

    def stored(self, run: Run) -> dict[str, list[Voiced]]:
        """Return what everything stored says, by conversation; nothing counts as marked."""
        by_conversation: defaultdict[str, list[Voiced]] = defaultdict(list)
        for row in run.stored_texts():
            bare = {**row, "valid_to": None}
            by_conversation[row["conversation"]].append(self.voiced(bare, row["conversation"], None))
        return by_conversation


def values_in(text: str, values: Collection[str]) -> dict[str, bool]:
    """Return which of *values* stand in *text*, and not only within a longer one; false: denied."""
    composed = unicodedata.normalize("NFC", text)
    by_span = defaultdict[tuple[int, int], list[str]](list)
    for value in values:
        for match in _pattern(value).finditer(composed):
            by_span[match.span()].append(value)
    affirmed, doubtful = dict[str, bool](), may_deny(composed)
    reach = 0
    for (start, end), spelt_alike in sorted(by_span.items(), key=lambda place: (place[0][0], -place[0][1])):
        if end > reach:
            so = not (doubtful and is_denied(composed, start, end))
            affirmed.update({value: so or affirmed.get(value, False) for value in spelt_alike})
        reach = max(reach, end)
    return affirmed


def holds(text: str, value: str) -> bool:
    """Whether *value* stands in *text* as itself, in any case, and not as a part of a longer word."""
    return bool(_pattern(value).search(unicodedata.normalize("NFC", text)))


@lru_cache(maxsize=16_384)
def _pattern(value: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(unicodedata.normalize('NFC', value))}(?!\w)", re.IGNORECASE)
