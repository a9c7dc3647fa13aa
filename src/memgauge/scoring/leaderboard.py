"""A leaderboard: every run on one dataset under one contract, with ranks, floors and ceilings."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING
from unicodedata import normalize

import numpy as np

from memgauge.errors import ConfigError, RunError
from memgauge.measures import parse
from memgauge.measures.budgets import DECLARED
from memgauge.runs.record.store import load
from memgauge.scoring.board import Board, Exclusion
from memgauge.scoring.board_order import place_on_board
from memgauge.scoring.cost_fronts import RunCosts, cost_fronts
from memgauge.scoring.entries import Candidate, candidate_of
from memgauge.scoring.factors import differences, require_comparable, setting
from memgauge.scoring.findable import nothing_to_find
from memgauge.scoring.gold import NOT_RUN
from memgauge.scoring.judged_runs import JudgedRuns, alike, apart_from_copies, judge_runs, read_gold
from memgauge.scoring.letting_go import MANY, let_go
from memgauge.scoring.ranks import detectable_between, ranked_entries
from memgauge.scoring.score import DEFAULT_MEASURES, DatasetSampling, write_judged

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memgauge.runs.record.store import Run
    from memgauge.scoring.align import JudgedRun
    from memgauge.scoring.board import Entry
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.score import Settings

_MARK = re.compile(r"\(\s*(floor|ceiling|unranked|marked)\s*\)", re.IGNORECASE)
"""What a board itself says behind a name: a name that says it stands in quotation marks."""


@dataclass(frozen=True, eq=False)
class Built(JudgedRuns):
    """A board and what it was built from, in its order."""

    board: Board

    def write_scores(self) -> list[RunError]:
        """Write the score file of every run beside it; return why not, where that could not be done.

        A sealed run is only read, and may lie where nobody can write.
        """
        refused = []
        for judged in self.judged:
            try:
                write_judged(judged, self.settings)
            except RunError as error:
                refused.append(error)
            if len(self.judged) * len(self.gold.questions) > MANY:
                let_go(judged)
        return refused


def leaderboards(folders: Iterable[Path], settings: Settings, *, allow_unpinned: bool = False) -> list[Built]:
    """Build one board for all runs that differ in their system alone."""
    copies = apart_from_copies(map(load, folders))
    groups = alike(copies)
    gold = read_gold(copies, allow_unpinned=allow_unpinned)
    firsts = [group[0] for group in groups]
    judged = (judge_runs(runs, gold[runs[0].manifest.dataset.ref], settings) for runs in groups)
    return [
        _build(each, (*_copied(runs, copies), *_apart(runs[0], firsts)))
        for each, runs in zip(judged, groups, strict=True)
    ]


def _build(runs: JudgedRuns, notes: Sequence[str]) -> Built:
    board = leaderboard(runs.judged, runs.gold, runs.settings)
    board = replace(board, notes=(*notes, *board.notes))
    order = {entry.run: place for place, entry in enumerate(board.entries)}
    listed = tuple(sorted(runs.judged, key=lambda each: order[str(each.run.folder)]))
    return Built(runs.gold, listed, runs.settings, board)


def _copied(runs: Iterable[Run], copies: Mapping[Run, Sequence[Path]]) -> Iterator[str]:
    """Say which folders hold copies of the runs of a board."""
    for run in runs:
        if copies[run]:
            folders = ", ".join(map(str, copies[run]))
            yield f"{run.manifest.system.label} counts once: the same run lies in {run.folder} and {folders}."


def _apart(own: Run, firsts: Sequence[Run]) -> Iterator[str]:
    """Say what sets the runs of a board apart from others on the same data, which stand on boards of their own."""
    for other in firsts:
        differing = differences(own.manifest, other.manifest, "system")
        if differing and "dataset" not in differing:
            shown = "; ".join(
                f"{p} {setting(own.manifest, p)}, not {setting(other.manifest, p)}" for p in differing
            )
            yield f"Runs of another kind stand on a board of their own: here {shown}."


def leaderboard(judged: Sequence[JudgedRun], gold: GoldTable, settings: Settings) -> Board:
    """Rank runs on one dataset.

    Raises:
        IdentityError: They differ in more than the system; a board of unlike runs would mean nothing.
    """
    if not judged:
        raise ConfigError("A board needs at least one run.")
    for other in judged[1:]:
        require_comparable(judged[0].run.manifest, other.run.manifest, "system")
    sampling = DatasetSampling.of(gold)
    asked = np.logical_or.reduce([j.scored for j in judged])
    first, primary = judged[0], settings.parsed[0]
    k = min(settings.k, first.run.manifest.limits.k)
    candidates, costs, conversations, questions = list[Candidate](), dict[str, RunCosts](), set[str](), 0
    for each in judged:
        candidates.append(candidate_of(each, gold, settings, sampling, asked))
        costs[str(each.run.folder)] = RunCosts.of(each, gold, primary, k)
        conversations.update(each.run.questions["conversation"].tolist())
        questions = max(questions, sum(reason != NOT_RUN for reason in each.reasons))
        if len(judged) * len(gold.questions) > MANY:
            let_go(each)
    nothing = nothing_to_find(judged, (c.rows for c in candidates), settings)
    unranked = settings.contract.why_no_ranks or primary.why_no_ranks or nothing
    rankable = [] if unranked else [c for c in candidates if c.rankable]
    ranked = ranked_entries(rankable, sampling, primary)
    entries = _told_apart(sorted((ranked.get(c.entry.run, c.entry) for c in candidates), key=_place))
    return Board(
        dataset=gold.identity,
        contract=settings.contract,
        measures=tuple(str(measure) for measure in settings.parsed),
        k=k,
        conversations=len(conversations),
        questions=questions,
        entries=entries,
        exclusions=_exclusions(judged, gold),
        minimum_detectable=detectable_between(rankable, sampling, primary),
        notes=_notes(judged, gold, settings),
        fronts=cost_fronts(entries, costs, primary, k, sampling),
        nothing=nothing,
    )


def _told_apart(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Let entries of one label say their version, and where that is one too, the end of their run's name."""
    labels = Counter(entry.label for entry in entries)
    versions = Counter((entry.label, entry.version) for entry in entries)

    def named(entry: Entry) -> str:
        label = f'"{entry.label}"' if _MARK.search(normalize("NFKC", entry.label)) else entry.label
        if labels[entry.label] == 1:
            return label
        alike = versions[entry.label, entry.version] > 1
        return f"{label} ({Path(entry.run).name[-8:] if alike else f'version {entry.version}'})"

    return tuple(replace(entry, label=named(entry)) for entry in entries)


def _place(entry: Entry) -> tuple[int, bool, float, str]:
    score = next(iter(entry.scores.values()))
    return place_on_board(
        entry.role, score.value, entry.label, parse(score.measure), ranked=entry.rank is not None
    )


def _exclusions(judged: Sequence[JudgedRun], gold: GoldTable) -> tuple[Exclusion, ...]:
    """List the questions that no run is scored on, by reason."""
    excluded: defaultdict[str, list[str]] = defaultdict(list)
    for place, reasons in enumerate(zip(*(j.reasons for j in judged), strict=True)):
        if all(reasons) and reasons[0] != NOT_RUN:
            excluded[reasons[0]].append(gold.questions[place].id)
    return tuple(Exclusion(reason, tuple(ids)) for reason, ids in sorted(excluded.items()))


def _notes(judged: Sequence[JudgedRun], gold: GoldTable, settings: Settings) -> tuple[str, ...]:
    notes = []
    budget, sizes = settings.parsed[0].budget, gold.conversations.sizes.values()
    if budget is not None and budget < DECLARED and settings.measures[1:] == DEFAULT_MEASURES[1:] and sizes:
        usual = median(size.tokens for size in sizes)
        notes.append(
            f"The budget is {budget:,} tokens and not {DECLARED:,}, because half of the conversations have "
            f"no more than {usual:,.0f}."
        )
    if not gold.identity.pinned:
        notes.append(
            "The data is not known to be the published file: its scores compare only with those on the same file."
        )
    if (limit := judged[0].run.manifest.conversations) is not None:
        notes.append(f"Only the first {limit} conversations were run.")
    return tuple(notes)
