"""A leaderboard: every run on one dataset under one contract, with tie groups, floors and ceilings."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import ConfigError
from memgauge.measures import Measure, Rows
from memgauge.records import Lineage
from memgauge.runs.store import load
from memgauge.scoring.align import NOT_RUN, JudgedRun, align
from memgauge.scoring.board import Board, Entry, Exclusion, Latency
from memgauge.scoring.card import MISSING, card_of
from memgauge.scoring.compare import detectable, differences, require_comparable, setting
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.score import Sampling, column, summarise, write_scores
from memgauge.stats import rank_sets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from memgauge.runs.store import Columns, Run
    from memgauge.scoring.card import Card
    from memgauge.scoring.score import Settings
    from memgauge.stats import RankSet

CURVE = (1, 2, 3, 5, 10, 20, 30, 60)
"""Cutoffs of the score-by-k curve."""


def read_gold(runs: Iterable[Run], *, allow_unpinned: bool = False) -> dict[str, GoldTable]:
    """Open every dataset that *runs* were made on, by its ref."""
    refs = dict.fromkeys(run.manifest.dataset.ref for run in runs)
    return {ref: GoldTable.read(open_dataset(ref, allow_unpinned=allow_unpinned)) for ref in refs}


@dataclass(frozen=True, eq=False)
class Built:
    """A board and what it was built from."""

    board: Board
    gold: GoldTable
    judged: tuple[JudgedRun, ...]
    """In the order of the board."""
    settings: Settings

    def write_scores(self) -> None:
        """Write the score file of every run beside it."""
        for judged in self.judged:
            write_scores(judged.run, self.gold, self.settings)


def leaderboards(folders: Iterable[Path], settings: Settings, *, allow_unpinned: bool = False) -> list[Built]:
    """Build one board for all runs that differ in their system alone."""
    groups: list[list[Run]] = []
    for run in map(load, folders):
        for group in groups:
            if not differences(group[0].manifest, run.manifest, "system"):
                group.append(run)
                break
        else:
            groups.append([run])
    gold = read_gold((run for runs in groups for run in runs), allow_unpinned=allow_unpinned)
    return [_build(runs, gold[runs[0].manifest.dataset.ref], settings, groups) for runs in groups]


def _build(runs: Sequence[Run], gold: GoldTable, settings: Settings, groups: Sequence[Sequence[Run]]) -> Built:
    judged = [align(run, gold, settings.contract, settings.depth) for run in runs]
    board = leaderboard(judged, gold, settings)
    board = replace(board, notes=(*_apart(runs[0], [group[0] for group in groups]), *board.notes))
    order = {entry.run: place for place, entry in enumerate(board.entries)}
    return Built(board, gold, tuple(sorted(judged, key=lambda j: order[str(j.run.folder)])), settings)


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
    sampling = Sampling.of(gold)
    primary = settings.parsed[0]
    entries = [_entry(j, gold, settings, sampling) for j in judged]
    systems = [j for j, e in zip(judged, entries, strict=True) if e.role == "system"]
    ranks = _ranks(systems, primary, sampling)
    entries = [
        replace(entry, rank=place, rank_low=held.low, rank_high=held.high)
        if (placed := ranks.get(entry.run)) and (place := placed[0]) and (held := placed[1])
        else entry
        for entry in entries
    ]
    first = judged[0]
    return Board(
        dataset=gold.identity,
        contract=settings.contract,
        measures=tuple(str(measure) for measure in settings.parsed),
        k=settings.k,
        conversations=len({c for j in judged for c in np.unique(j.run.questions["conversation"]).tolist()}),
        questions=sum(reason != NOT_RUN for reason in first.reasons),
        entries=tuple(sorted(entries, key=_standing)),
        exclusions=_exclusions(judged, gold),
        minimum_detectable=_detectable(systems, primary, sampling),
        notes=_notes(judged, gold),
    )


def _standing(entry: Entry) -> tuple[int, float, str]:
    """Order systems first, then ceilings, then floors, each best first."""
    score = next(iter(entry.scores.values()))
    return ("system", "ceiling", "floor").index(entry.role), -(score.value or 0.0), entry.label


def _entry(judged: JudgedRun, gold: GoldTable, settings: Settings, sampling: Sampling) -> Entry:
    run, primary = judged.run, settings.parsed[0]
    questions, system = run.questions, run.manifest.system
    of_question = np.array([question.category for question in gold.questions])
    categories = sorted(set(of_question[judged.run_mask].tolist()))
    curve = [k for k in CURVE if k <= settings.depth]
    scores = summarise(
        [column(judged, measure) for measure in settings.parsed]
        + [column(judged, primary, of_question == category) for category in categories]
        + [column(judged, Measure("Recall", k)) for k in curve],
        sampling,
    )
    whole, rest = scores[: len(settings.parsed)], scores[len(settings.parsed) :]
    card = card_of(run, settings.contract)
    return Entry(
        label=run.label,
        system=system.name,
        version=system.version,
        role=str(system.capabilities.get("role", "system")),
        run=str(run.folder),
        scores={score.measure: score for score in whole},
        rank=None,
        rank_low=None,
        rank_high=None,
        marks=(),
        outcomes=dict(sorted(Counter(questions["outcome"].tolist()).items())),
        coverage=_mean(questions["coverage"]),
        context_tokens=_mean(questions["tokens"]),
        latency=_latency(run),
        by_category=dict(zip(categories, rest, strict=False)),
        by_k=dict(zip(curve, rest[len(categories) :], strict=True)),
        notes=(*_run_notes(run), *_evidence(judged, gold, settings), *_gaps(run, card)),
        card=tuple(said or MISSING for said in card.answers),
    )


def _evidence(judged: JudgedRun, gold: GoldTable, settings: Settings) -> Iterator[str]:
    """Say what of a score rests on lineage that is declared or inferred, where some does."""
    run, measure = judged.run, settings.parsed[0]
    classes = Counter(run.memories["lineage"][run.memories["counts"]].tolist())
    weaker = {name: n for name, n in classes.most_common() if name not in {Lineage.EXACT, Lineage.ABSENT}}
    rows = judged.rows(measure)
    if weaker and rows.defined.any():
        strict = align(run, gold, settings.contract, settings.depth, (Lineage.EXACT,)).rows(measure)
        known = ", ".join(f"{n:,} {name}" for name, n in weaker.items())
        yield f"{measure} is {_level(strict):.3f} on exact lineage alone, {_level(rows):.3f} with {known}"


def _gaps(run: Run, card: Card) -> Iterator[str]:
    """Name what the reporting card of a run lacks; one that stored nothing has no card to speak of."""
    if card.missing and len(run.memories["form"]):
        yield f"its reporting card has no answer to: {', '.join(card.missing)}"


def _ranks(systems: Sequence[JudgedRun], measure: Measure, sampling: Sampling) -> dict[str, tuple[int, RankSet]]:
    """Rank the systems, with the set of ranks each may hold; one without any scored question has none."""
    rows = {str(judged.run.folder): judged.rows(measure) for judged in systems}
    rows = {name: row for name, row in rows.items() if row.defined.any()}
    if not rows:
        return {}
    values = np.stack([row.values for row in rows.values()], axis=1)
    defined = np.stack([row.defined for row in rows.values()], axis=1)
    sets = rank_sets(list(rows), values, sampling.clusters, defined)
    return {name: (place, held) for place, (name, held) in enumerate(sets.items(), 1)}


def _detectable(systems: Sequence[JudgedRun], measure: Measure, sampling: Sampling) -> float | None:
    """Return the minimum detectable difference between the two best systems."""
    rows = sorted((j.rows(measure) for j in systems), key=lambda row: -_level(row))[:2]
    if len(rows) < 2:
        return None
    return detectable(rows[0], rows[1], sampling, len(systems) * (len(systems) - 1) // 2)


def _level(row: Rows) -> float:
    """Return the mean over what is defined: a sum would set back whoever has fewer questions."""
    return float(row.values[row.defined].mean()) if row.defined.any() else 0.0


def _exclusions(judged: Sequence[JudgedRun], gold: GoldTable) -> tuple[Exclusion, ...]:
    """List the questions that no run is scored on, by reason."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for place, reasons in enumerate(zip(*(j.reasons for j in judged), strict=True)):
        if all(reasons) and reasons[0] != NOT_RUN:
            found[reasons[0]].append(gold.questions[place].id)
    return tuple(Exclusion(reason, tuple(ids)) for reason, ids in sorted(found.items()))


def _latency(run: Run) -> Latency:
    searches = run.questions["ms"]
    writes = run.writes["ms"][run.writes["kind"] == "write"]
    return Latency(
        _percentile(searches, 50), _percentile(searches, 95), _percentile(writes, 50), _percentile(writes, 95)
    )


def _percentile(column: NDArray[np.float64], q: float) -> float | None:
    known = column[~np.isnan(column)]
    return float(np.percentile(known, q)) if len(known) else None


def _mean(column: NDArray[np.float64]) -> float | None:
    values = np.asarray(column, dtype=np.float64)
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None


def _run_notes(run: Run) -> tuple[str, ...]:
    """Gather what a reader of this row must know: failures, breaches, interventions."""
    notes = [f"intervention: {text}" for text in run.manifest.system.capabilities.get("interventions", ())]
    failed = Counter(o for o in run.questions["outcome"].tolist() if o not in {"ok", "empty"})
    notes += [f"{n} questions ended as {outcome}" for outcome, n in sorted(failed.items())]
    lost = _lost_writes(run.writes)
    notes += [f"{lost} writes failed"] if lost else []
    said = Counter(note for each in run.questions["notes"].tolist() for note in each)
    return tuple(notes + [f"{note} ({n} questions)" for note, n in sorted(said.items())])


def _lost_writes(writes: Columns) -> int:
    return int(((writes["outcome"] != "ok") & (writes["kind"] == "write")).sum())


def _notes(judged: Sequence[JudgedRun], gold: GoldTable) -> tuple[str, ...]:
    notes = []
    if not gold.identity.pinned:
        notes.append(
            "The data is not known to be the published file: its scores compare only with those on the same file."
        )
    if (limit := judged[0].run.manifest.conversations) is not None:
        notes.append(f"Only the first {limit} conversations were run.")
    clusters = len({question.conversation for question in gold.questions})
    if 1 < clusters < 20:
        notes.append(f"{clusters} conversations are few: intervals over conversations come out too short.")
    return tuple(notes)
