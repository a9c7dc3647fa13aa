"""The documents' own harness with measures that hold: code written for it needs another import line and no more.

Attributes and keys are our measures, NaN where undefined; ``scores`` has their intervals and denominators,
``published`` what the documents' definitions make of the same lists. Sources: "Evaluating Agent Memory Beyond
Context Length" (``MemoryEvaluator``), "Measuring What the System Remembers" (``memory_eval``).
"""

from __future__ import annotations

import traceback
from collections import Counter
from dataclasses import dataclass, field, fields
from functools import partial
from math import inf, nan
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from memgauge.errors import ConfigError
from memgauge.foreign import Raised, call_foreign
from memgauge.measures.published import case_as_published
from memgauge.measures.writing import accounted, fits, plain
from memgauge.records import Denominator
from memgauge.scoring.board import Score
from memgauge.stats import Clusters, Interval, estimates
from memgauge.stats.proportion import wilson

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

Cell = float | str
"""The value of one case, or why it has none."""

LIMIT = 10
"""Entries that a search is asked for; our measures look at no more."""
MEMORY_BUDGET = 2000
"""What may be recalled, in the unit that ``recall`` counts in."""
_ERROR = "error"


@dataclass
class MemoryEntry:
    """One returned memory; mutable, as code for the document may expect."""

    content: str
    topic: str
    timestamp: datetime
    session_id: str
    metadata: dict[str, Any] = field(default_factory=dict)
    """``id`` is what relevance is decided by."""


@dataclass
class EvalCase:
    """One query and what would be right; mutable, as code for the document may expect."""

    query: str
    relevant_ids: list[str]
    topic: str
    temporal_ground_truth: str | None = None
    """The content that is current; what says so in other words stands in *relevant_ids*."""
    contradictory_ids: list[str] = field(default_factory=list)
    """Versions that do not hold, even if they are named as relevant too."""


@dataclass(frozen=True)
class EvalResult:
    """Means over the cases that have a value."""

    precision_at_3: float
    """Share of relevant ones among the first 3 distinct entries, or among all where fewer were returned."""
    precision_at_5: float
    recall_at_5: float
    """Share of the relevant ids that are among the first 5 distinct entries."""
    recall_at_10: float
    temporal_accuracy: float
    """Share of cases with a truth that return the current version, and before every contradictory one."""
    contradiction_rate: float
    """Of cases with contradictory ids that return any version, the share that return both kinds."""
    total_cases: int
    scores: Mapping[str, Score] = field(default_factory=dict)
    """By attribute; also ``returned`` (distinct entries a case) and ``duplicates`` (share of repeated ids)."""
    published: Mapping[str, float] = field(default_factory=dict)
    """By attribute, over the cases whose search did not fail."""
    errors: tuple[str, ...] = ()
    """What failed, and what was raised."""


_NAMES = tuple(each.name for each in fields(EvalResult) if each.type == "float")


class MemoryEval(dict[str, float]):
    """The four numbers of ``memory_eval``; *scores* and *published* have the same keys."""

    def __init__(
        self, scores: Mapping[str, Score], published: Mapping[str, float], errors: tuple[str, ...]
    ) -> None:
        super().__init__({name: _number(score) for name, score in scores.items()})
        self.scores = scores
        self.published = published
        self.errors = errors


class MemoryEvaluator:
    """Asks ``memory_store.search(query, limit=10)`` and scores the entries that come back."""

    def __init__(self, memory_store: Any) -> None:
        self.store = memory_store

    def evaluate(self, cases: Sequence[EvalCase]) -> EvalResult:
        """Score the store; a search that fails is a recorded error, excluded and counted."""
        lists = [(case, *_foreign(f"search {case.query!r}", partial(self._search, case.query))) for case in cases]
        own_values = [{} if error else _ours(case, entries[:LIMIT]) for case, entries, error in lists]
        published_values = [case_as_published(entries, case) for case, entries, error in lists if not error]
        names = (*_NAMES, "returned", "duplicates")
        scores = _scores({name: [values.get(name, _ERROR) for values in own_values] for name in names})
        return EvalResult(
            **{name: _number(scores[name]) for name in _NAMES},
            total_cases=len(cases),
            scores=scores,
            published={name: _mean([values[name] for values in published_values]) for name in _NAMES},
            errors=tuple(error for *_, error in lists if error),
        )

    def _search(self, query: str) -> list[MemoryEntry]:
        entries = [
            MemoryEntry(memory.content, memory.topic, memory.timestamp, "", {"id": memory.metadata.get("id")})
            for memory in self.store.search(query, limit=LIMIT)
        ]
        _distinct(_ids(entries))  # so that an id that cannot be compared is an error of this search
        return entries


def memory_eval(
    store: Any,
    golden: Any,
    query_set: Iterable[Any],
    *,
    recall: Callable[[Any, Any, Any, int, Any, Any], Iterable[Any]] | None = None,
    is_correct: Callable[[Any, Any], bool] | None = None,
    matches: Callable[[Any, Any], bool] | None = None,
    budget: int = MEMORY_BUDGET,
) -> MemoryEval:
    """Score what a store holds (``all_for_eval()``) against ``golden.facts``, and what it recalls for each query.

    Items and facts are matched one to one; an item that says only what others were counted for is not precise.
    Queries have ``subject, scopes, text, now, expected_memory_ids``. What the store or *recall* raises is noted;
    without *recall*, ``store.recall(subject, scopes, text, budget, now)`` is called. Unless given, *matches*, of a
    fact and an item, is that subject, slot, value, validity and scope agree, or texts; *is_correct*, of an item
    and *golden*, is that the item matches a fact.

    Raises:
        ConfigError: No *recall* and none in the store, or something that only *matches* could compare.
    """
    if recall is None and not hasattr(store, "recall"):
        raise ConfigError("The store has no method recall.", "Write memory_eval(…, recall=your_function).")
    items, failure = _foreign("all_for_eval", store.all_for_eval)
    facts = tuple(golden.facts)
    table = fits(items, facts, matches)
    is_right = (
        [bool(is_correct(item, golden)) for item in items] if is_correct else [bool(row.any()) for row in table]
    )
    precise, n_stated = accounted(table, is_right)
    reads = [(set(query.expected_memory_ids), *_recalled(store, query, recall, budget)) for query in query_set]
    exclusions = Counter(error=len(facts)) if failure else Counter[str]()
    scores = {
        "write_precision": _score("write_precision", wilson(precise, len(items)), Counter()),
        "write_recall": _score("write_recall", wilson(n_stated, len(facts) - exclusions.total()), exclusions),
        **_scores(
            {
                "read_precision": [
                    _ERROR if error else _precision(returned, want) for want, returned, error in reads
                ],
                "read_recall": [_ERROR if error else _recall(returned, want) for want, returned, error in reads],
            }
        ),
    }
    overlaps = [
        (len(want.intersection(returned)), len(returned), len(want))
        for want, returned, error in reads
        if not error
    ]
    as_published = {
        "write_precision": _mean(is_right),
        "write_recall": nan if failure else _mean([bool(column.any()) for column in table.T]),
        "read_precision": _mean([n_both / max(returned, 1) for n_both, returned, _ in overlaps]),
        "read_recall": _mean([n_both / max(want, 1) for n_both, _, want in overlaps]),
    }
    return MemoryEval(scores, as_published, tuple(filter(None, (failure, *(error for *_, error in reads)))))


def _foreign(method: str, call: Callable[[], Iterable[Any]]) -> tuple[tuple[Any, ...], str]:
    """Return what foreign code gives, or what it raised."""
    values = call_foreign(lambda: tuple(call()))
    if isinstance(values, Raised):
        return (), f"{method}: {' '.join(''.join(traceback.format_exception_only(values.error)).split())}"
    return values, ""


def _recalled(
    store: Any, query: Any, recall: Callable[..., Iterable[Any]] | None, budget: int
) -> tuple[tuple[Any, ...], str]:
    """Return the distinct ids that are recalled for a query, or what was raised."""
    arguments = (query.subject, query.scopes, query.text, budget)
    call = (
        partial(recall, *arguments, store, query.now) if recall else partial(store.recall, *arguments, query.now)
    )
    return _foreign(f"recall {query.text!r}", lambda: {memory.memory_id for memory in call()})


def _distinct(ids: Iterable[Any]) -> list[Any]:
    """Drop repeated ids; what has no id repeats nothing."""
    return list({(place if key is None else 0, key): key for place, key in enumerate(ids)}.values())


def _precision(ids: Iterable[Any], want: set[Any], k: int | None = None) -> Cell:
    first_ids = _distinct(ids)[:k]
    if not want:
        return "nothing to find"
    return sum(key in want for key in first_ids) / len(first_ids) if first_ids else "nothing returned"


def _recall(ids: Iterable[Any], want: set[Any], k: int | None = None) -> Cell:
    return len(want.intersection(_distinct(ids)[:k])) / len(want) if want else "nothing to find"


def _temporal(case: EvalCase, entries: Sequence[MemoryEntry]) -> Cell:
    if not case.temporal_ground_truth:
        return "no temporal truth"
    truth, stale, current = plain(case.temporal_ground_truth), inf, inf
    for rank, entry in enumerate(entries):
        if entry.metadata["id"] in case.contradictory_ids:
            stale = min(rank, stale)
        elif entry.metadata["id"] in case.relevant_ids or plain(str(entry.content)) == truth:
            current = min(rank, current)
    return float(current < stale)


def _contradiction(case: EvalCase, ids: set[Any]) -> Cell:
    stale = set(case.contradictory_ids)
    versions = ids & (stale | set(case.relevant_ids))
    if not stale:
        return "no contradictory ids"
    return float(bool(versions & stale and versions - stale)) if versions else "no version returned"


def _ids(entries: Sequence[MemoryEntry]) -> list[Any]:
    return [entry.metadata["id"] for entry in entries]


def _ours(case: EvalCase, entries: Sequence[MemoryEntry]) -> dict[str, Cell]:
    """Value one case by our definitions."""
    ids, want = _ids(entries), set(case.relevant_ids)
    distinct = len(_distinct(ids))
    return {
        "precision_at_3": _precision(ids, want, 3),
        "precision_at_5": _precision(ids, want, 5),
        "recall_at_5": _recall(ids, want, 5),
        "recall_at_10": _recall(ids, want, 10),
        "temporal_accuracy": _temporal(case, entries),
        "contradiction_rate": _contradiction(case, set(ids)),
        "returned": float(distinct),
        "duplicates": 1 - distinct / len(ids) if ids else "nothing returned",
    }


def _scores(columns: Mapping[str, Sequence[Cell]]) -> dict[str, Score]:
    """Average columns of as many cases each, with intervals over cases, which are independent."""
    table = np.array([[nan if isinstance(cell, str) else cell for cell in cells] for cells in columns.values()]).T
    intervals = [Interval(None, None, None, 0)] * len(columns)
    if len(table):
        is_defined = ~np.isnan(table)
        means = estimates(np.nan_to_num(table), Clusters.of(np.arange(len(table))), is_defined, shares=True)
        intervals = [mean.interval for mean in means]
    return {
        name: _score(name, interval, Counter(cell for cell in cells if isinstance(cell, str)))
        for (name, cells), interval in zip(columns.items(), intervals, strict=True)
    }


def _score(name: str, interval: Interval, excluded: Counter[str]) -> Score:
    """Put an interval beside its denominator; one case alone shows no spread."""
    n = interval.n
    denominator = Denominator(n + excluded.total(), n, dict(excluded))
    low, high = (interval.low, interval.high) if n > 1 else (None, None)
    reason = "" if n > 1 else "one case has no interval" if n else "no case has a value"
    return Score(name, interval.mean, low, high, None, None, denominator, reason)


def _number(score: Score) -> float:
    return nan if score.value is None else score.value


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else nan
