"""Whether what a reader names as its sources, and what its log says that it recalled, is what moved its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING

from memgauge.results import result
from memgauge.studies.attribution.cells import AGREE, AnswerSource
from memgauge.studies.attribution.labels import FollowedSource
from memgauge.studies.attribution.rates import changes, depends, differs
from memgauge.studies.attribution.share import CountedShare, clustered
from memgauge.studies.attribution.wirings import UNREAD

if TYPE_CHECKING:
    from memgauge.studies.attribution.cells import Intervention
    from memgauge.studies.attribution.question import SlotQuestion
    from memgauge.studies.attribution.run import Observed

NO_CITATION = "the reader names no sources"
NONE_CITED = "no source was cited"
NO_LOG = "the reader keeps no log of what it recalls"
_BEHIND = {
    FollowedSource.MEMORY,
    FollowedSource.DOCUMENT,
    FollowedSource.STATE,
    FollowedSource.AGREED,
    FollowedSource.SHARED,
}


@result
@dataclass(frozen=True)
class Citations:
    """What citations are worth; undefined where a reader names nothing."""

    faithfulness: CountedShare
    """Of sources that are cited where all agree: those whose swap or absence changes the answer."""
    recall: CountedShare
    """Of sources that the answer depends on: those that are cited."""
    correctness: CountedShare
    """Of citations in all cells: those of a source that holds the value that is answered."""
    phantoms: int
    """Citations of what was never given."""


@result
@dataclass(frozen=True)
class LogCheck:
    """What is logged beside what has an effect, by question and source; the five counts add up."""

    logged_and_moving: int
    logged_but_inert: int
    """Logged where all sources agree, and there the answer is the same without it."""
    unlogged_influence: int
    """It moves the answer in some pair of cells that differ in nothing else, and a log of the two lacks it."""
    neither: int
    unknown: int
    """An intervention failed, so that nobody knows."""
    by_source: Mapping[str, Mapping[str, int]]
    witnesses: tuple[str, ...]
    """Questions of which an answer was moved by what no log shows."""
    reason: str = ""
    """Why nothing was checked."""

    @property
    def failed(self) -> bool:
        """Whether anything had an effect without an entry: a hard failure."""
        return self.unlogged_influence > 0


def citations(observed: Observed) -> Citations:
    """Judge what was cited by what happens when it is changed or taken away."""
    faithful, recalled, correct = [], [], []
    phantoms = unknown = 0
    cites = any(seen.cited is not None for seen in observed.seen.values())
    for question in observed.questions:
        base = observed.of(question, AGREE)
        if base is not None and base.cited is not None:
            for source in _given(observed):
                moved = changes(observed, question, source)
                if source in base.cited:
                    unknown += moved is None
                    faithful += [(moved, question.slot)] if moved is not None else []
                if depends(observed, question, source):
                    recalled.append((source in base.cited, question.slot))
            unknown += len(base.cited - set(AnswerSource) - {"?"})  # other memories: nobody took them away
            faithful += [(False, question.slot)] * ("?" in base.cited)
        hits, missing = _correct(observed, question)
        correct += hits
        phantoms += missing
    empty = NONE_CITED if cites else NO_CITATION
    return Citations(
        clustered(faithful, empty, unknown),
        clustered(recalled, "no answer depends on a single source" if cites else NO_CITATION),
        clustered(correct, empty),
        phantoms,
    )


def _given(observed: Observed) -> tuple[AnswerSource, ...]:
    return tuple(source for source in AnswerSource if source in observed.carries)


def _correct(observed: Observed, question: SlotQuestion) -> tuple[list[tuple[bool, str]], int]:
    """Check every citation of a question against what the cited source holds."""
    rows, phantoms = [], 0
    for cell in observed.distinct:
        seen = observed.seen[question.id, cell.name]
        if seen.cited is None or seen.follows in UNREAD:
            continue
        for name in seen.cited:
            holds = name in set(AnswerSource) and question.held(AnswerSource(name), cell) == seen.value != ""
            rows.append((holds and seen.follows in _BEHIND, question.slot))
            phantoms += name == "?"
    return rows, phantoms


_ENTRIES = ("logged_and_moving", "logged_but_inert", "unlogged_influence", "neither", "unknown")


def log_check(observed: Observed) -> LogCheck:
    """Hold the log against effects: everything that moves an answer must stand in it."""
    sources = [source for source in AnswerSource if source in observed.logs & observed.carries]
    counts = {str(source): dict.fromkeys(_ENTRIES, 0) for source in sources}
    witnesses = []
    for question in observed.questions:
        for source in sources:
            unseen = _unlogged(observed, question, source)
            counts[source][_entry(observed, question, source) if not unseen else "unlogged_influence"] += 1
            witnesses += [
                f"{source} moves the answer to {question.text!r} and is not logged, {unseen} ({question.id})"
            ] * bool(unseen)
    totals = {name: sum(row[name] for row in counts.values()) for name in _ENTRIES}
    return LogCheck(**totals, by_source=counts, witnesses=tuple(witnesses), reason="" if counts else NO_LOG)


def _unlogged(observed: Observed, question: SlotQuestion, source: AnswerSource) -> str:
    """Name the cell whose log lacks a source that moves its answer; empty where there is none."""
    for pair in twins(observed.distinct, source):
        first, second = (observed.seen[question.id, cell.name] for cell in pair)
        if differs(first, second):
            for cell, seen in zip(pair, (first, second), strict=True):
                if question.held(source, cell) and seen.logged is not None and source not in seen.logged:
                    return f"cell {cell.name}"
    return ""


@cache
def twins(cells: tuple[Intervention, ...], source: AnswerSource) -> tuple[tuple[Intervention, Intervention], ...]:
    """Return the pairs of cells that differ in one source and in nothing else."""
    return tuple(
        (first, second)
        for first, second in combinations(cells, 2)
        if {s for s in AnswerSource if first.of(s) is not second.of(s)} == {source}
    )


def _entry(observed: Observed, question: SlotQuestion, source: AnswerSource) -> str:
    """Say what is known of a source where all agree."""
    base, moved = observed.of(question, AGREE), changes(observed, question, source)
    if base is None or base.logged is None or moved is None:
        return "unknown"
    if source in base.logged:
        return "logged_and_moving" if moved else "logged_but_inert"
    return "neither"
