"""One run beside its gold, as causes are read from it: each part worked out once, when it is asked for."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from memgauge.records import Outcome
from memgauge.runs.record.lineage import digest, spelled
from memgauge.scoring.targets import credited

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memgauge.measures import Measure
    from memgauge.scoring.align import JudgedRun
    from memgauge.scoring.gold import GoldTable

_MANY = 50_000
"""Turns above which nobody looks in which other conversation a text was said."""


@dataclass(frozen=True, eq=False)
class RunReading:
    """One run as causes are read from it."""

    judged: JudgedRun
    gold: GoldTable
    measure: Measure

    @cached_property
    def ended(self) -> Mapping[str, tuple[str, str]]:
        """Outcome and reason of every question."""
        columns = (self.judged.run.questions[name].tolist() for name in ("question", "outcome", "reason"))
        return {question: (outcome, reason or "") for question, outcome, reason in zip(*columns, strict=True)}

    @cached_property
    def budget(self) -> int | None:
        """The most tokens that the measure pays for."""
        return max(self.measure.budgets, default=None)

    @cached_property
    def credited(self) -> Any:
        """(M,) which memories the target credits; ``None`` where it credits all."""
        return credited(self.judged.run, self.judged.contract.target)

    @cached_property
    def shares(self) -> Mapping[int, Mapping[tuple[str, str], float]]:
        """How much of which evidence turn each memory bears in a form that the target credits, by its row."""
        names, lineage = list(self.gold.turn_number), self.judged.borne
        mask = self.credited
        memories = np.repeat(np.arange(len(lineage.indptr) - 1), np.diff(lineage.indptr))
        shares = np.ones(len(lineage.turns)) if lineage.share is None else lineage.share
        borne = defaultdict[int, dict[tuple[str, str], float]](dict)
        for memory, turn, share in zip(memories.tolist(), lineage.turns.tolist(), shares.tolist(), strict=True):
            if share > 0 and (mask is None or mask[memory]):
                borne[memory][names[turn]] = share
        return borne

    @cached_property
    def bearers(self) -> Mapping[tuple[str, str], Sequence[int]]:
        """The memories that bear something of each evidence turn, by row."""
        bearers = defaultdict[tuple[str, str], list[int]](list)
        for row, borne in self.shares.items():
            for key in borne:
                bearers[key].append(row)
        return bearers

    @cached_property
    def fits(self) -> Any:
        """(H,) which share of each hit the measure looks at."""
        return self.judged.spending.fits(self.budget)

    @cached_property
    def cap(self) -> int | None:
        """The length at which most lists end, where it is less than what was asked for."""
        questions = self.judged.run.questions
        ends = {outcome: Outcome(outcome).valid for outcome in set(questions["outcome"].tolist())}
        columns = (questions[name].tolist() for name in ("outcome", "returned"))
        lengths = [int(n) for outcome, n in zip(*columns, strict=True) if ends[outcome]]
        most = max(lengths, default=0)
        usual = lengths.count(most) * 2 >= len(lengths)
        return most if usual and 0 < most < self.judged.run.manifest.limits.k else None

    @cached_property
    def digests(self) -> Mapping[str, Sequence[str]]:
        """The conversations that store each text, by its hash."""
        run = self.judged.run
        homes = run.memories["conversation"].tolist()
        stored = defaultdict[str, list[str]](list)
        for row, sha256 in run.hashes_of(list(range(len(homes)))).items():
            stored[sha256].append(homes[row])
        return stored

    @cached_property
    def silent(self) -> bool:
        """Whether no search returned anything."""
        return not len(self.judged.run.hits["memory"])

    @cached_property
    def neighbours(self) -> Mapping[str, str]:
        """The conversation in which each turn of the dataset was said, by the hash of its text; none of many."""
        sizes = self.gold.conversations.sizes
        if sum(size.turns for size in sizes.values()) > _MANY:
            return {}
        return {
            digest(text): name
            for name, spoken in self.gold.conversations.said(sizes)
            for turn in spoken.turns.values()
            for text in spelled([turn])
        }

    def arrived(self, place: int, turn: str) -> bool:
        """Whether a hit of a question bears all of an evidence turn, where the measure looks at all of it."""
        key = self.gold.questions[place].conversation, turn
        whole = [row for row in self.bearers.get(key, ()) if self.shares[row][key] == 1]
        hits = self.hits(place)[: self.measure.depth]
        return any(self.fits[hits[rank - 1]] == 1 for rank in self.ranks(hits, whole))

    def ranks(self, hits: range, rows: Iterable[int]) -> list[int]:
        """Return at which ranks *hits* are one of some memories, by row."""
        memories = self._memories[hits.start : hits.stop]
        return sorted(rank for row in set(rows) for rank in _places(memories, row))

    def hits(self, place: int) -> range:
        """Return where the hits of a question lie in the trace."""
        starts = self.judged.spending.evidence.trace.starts
        return range(int(starts[place]), int(starts[place + 1]))

    def memory(self, hit: int) -> int:
        """Return the row of the memory of one hit."""
        return self._memories[hit]

    @cached_property
    def _memories(self) -> list[int]:
        rows: list[int] = self.judged.spending.evidence.trace.memory.tolist()
        return rows

    def before(self, hit: int) -> int | None:
        """Return the tokens of the hits above one; ``None`` where a length is unknown."""
        tokens = self.judged.spending.lengths.before[hit]
        return None if np.isnan(tokens) else int(tokens)

    def tokens(self, hit: int) -> float:
        """Return what one hit costs; 0 where nobody knows."""
        return float(np.nan_to_num(self.judged.spending.lengths.tokens[hit]))


def _places(memories: Sequence[int], row: int) -> Iterator[int]:
    """Yield at which ranks a memory stands; a list is searched in C."""
    rank = 0
    for _ in range(memories.count(row)):
        rank = memories.index(row, rank) + 1
        yield rank
