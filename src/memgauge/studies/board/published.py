"""A published board, computed from its bundles and the dataset at hand, and from nothing else."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.errors import DataNotFoundError
from memgauge.measures import parse
from memgauge.records import BOARD, Outcome
from memgauge.registry import Ref, parse_ref
from memgauge.runs.record import journal
from memgauge.runs.record.bundle import unbundled
from memgauge.runs.record.files import opened
from memgauge.runs.record.store import load
from memgauge.scoring.compare import compare
from memgauge.scoring.fronts import FrontPlace, front
from memgauge.scoring.leaderboard import leaderboards
from memgauge.scoring.score import DatasetSampling, Settings, fitted
from memgauge.scoring.verification import Assurance
from memgauge.scoring.verify import VerificationRequest, verify
from memgauge.studies.board.machines import elsewhere
from memgauge.studies.board.notes import BUNDLE, REPEATED, WARMED, LaneNote, Warming, read_note
from memgauge.studies.board.spec import AbsentContender, BoardSpec, Lane
from memgauge.text.jsons import json_file, json_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from memgauge.runs.record.machine import Machine
    from memgauge.runs.record.store import Run
    from memgauge.scoring.align import JudgedRun
    from memgauge.scoring.board import Board, Entry, Latency, Score
    from memgauge.scoring.leaderboard import Built

FILE: Final = "results.json"
"""The numbers of the page, in the folder of the board."""
_SAID: Final = {"embedder", "as_heard"}
"""Options that a lane's key says, or that every product is played with."""
TOKENS, P95, WRITING = "tokens a question", "p95 of a search, ms", "writing, s a thousand turns"
_END: Final = b'{"t":"end"'


@dataclass(frozen=True)
class LaneRow:
    """Everything that one row of the page says."""

    key: str
    label: str
    name: str
    kind: str
    embedder: str
    version: str
    models: tuple[str, ...]
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    scores: Mapping[str, Score]
    tokens: float | None
    """That a reader is handed for a question, at the run's k."""
    latency: Latency
    writing_s: float | None
    """Seconds of writing and settling for a thousand turns, as the harness measured it."""
    stored_bytes: int | None
    """Of all conversations; ``None`` where the system names no files."""
    writes: int
    lost: int
    """Writes and settlings that failed."""
    searches: int
    failed: int
    """Searches that failed, each of which is a miss."""
    fronts: Mapping[str, FrontPlace]
    """By cost; by none in time where it was played on another machine than most."""
    unable: tuple[str, ...]
    """What it could not do, or promised and did not keep, a sentence each."""
    changed: tuple[str, ...]
    """What was done to it to run it here."""
    level: str
    """How far its bundle was verified; empty where it was not."""


@dataclass(frozen=True)
class RepeatedLane:
    """A lane that was played again from scratch, beside its first run."""

    key: str
    measure: str
    first: float
    again: float
    verdict: str
    equivalent: bool
    """Whether the two were shown to agree within the margin, or every question has the same value."""


@dataclass(frozen=True)
class PublishedBoard:
    """A board with all that its page says."""

    spec: BoardSpec
    board: Board
    rows: tuple[LaneRow, ...]
    """In the order of the board."""
    repeats: tuple[RepeatedLane, ...]
    absent: tuple[AbsentContender, ...]
    """Who is on no lane: declared, or without a bundle."""
    notes: Mapping[str, LaneNote]
    """By lane, repeated ones too."""
    elsewhere: Mapping[str, Machine]
    """Lanes that were played on another machine than most, with that machine: their times do not compare."""
    warmed: tuple[Warming, ...]
    bundles: int
    """Bytes of all bundles, with the hashes that they share."""
    versions: Mapping[str, str]
    """Of what played and what scored, as the runs say it."""


def publish(folder: Path, spec: BoardSpec | None = None, *, check: bool = False) -> PublishedBoard:
    """Compute every number of the board at *folder* from its bundles.

    The board is described by *spec*, or by what the folder holds. With *check* every bundle is verified too, which
    takes some seconds each.

    Raises:
        DataNotFoundError: There are no bundles, or the dataset is not at hand.
        RunError: A bundle is broken.
    """
    spec = spec or BoardSpec.read(folder)
    lanes = {lane.key: lane for lane in spec.lanes if (folder / f"{lane.key}{BUNDLE}").is_file()}
    if not lanes:
        raise DataNotFoundError(f"{folder} holds no bundles.", "Play it: memgauge study board play.")
    notes = dict(_notes(folder, spec))
    with ExitStack() as stack:
        places = {
            key: stack.enter_context(unbundled(folder / f"{key}{BUNDLE}"))
            for lane in lanes
            for key in (lane, f"{lane}{REPEATED}")
            if (folder / f"{key}{BUNDLE}").is_file()
        }
        levels = {key: _level(place) if check else "" for key, place in places.items()}
        (built,) = leaderboards([places[key] for key in lanes], Settings(BOARD))
        runs = {str(places[key]): lane for key, lane in lanes.items()}
        built = replace(built, board=_by_lane(built.board, runs))
        other_machines = elsewhere(notes, lanes)
        rows = _rows(built, runs, levels, other_machines)
        repeats = tuple(_repeat(key, places, built, spec.margin) for key in spec.repeated if _both(key, places))
        environment = built.judged[0].run.manifest.environment
    return PublishedBoard(
        spec,
        built.board,
        rows,
        repeats,
        (*spec.absent, *_unplayed(spec, lanes, notes)),
        notes,
        other_machines,
        _warmed(folder),
        sum(path.stat().st_size for path in folder.iterdir() if path.suffix in {BUNDLE, ".bin"}),
        dict(environment),
    )


def _notes(folder: Path, spec: BoardSpec) -> Iterator[tuple[str, LaneNote]]:
    for lane in spec.lanes:
        for key in (lane.key, f"{lane.key}{REPEATED}"):
            if note := read_note(folder, key):
                yield key, note


def _warmed(folder: Path) -> tuple[Warming, ...]:
    path = folder / WARMED
    warmings = json_file(path) if path.is_file() else {}
    return tuple(Warming.model_validate(warming) for _, warming in sorted(warmings.items()))


def _unplayed(
    spec: BoardSpec, lanes: Mapping[str, Lane], notes: Mapping[str, LaneNote]
) -> Iterator[AbsentContender]:
    for lane in spec.lanes:
        if lane.key not in lanes:
            problem = notes[lane.key].problem if lane.key in notes else ""
            yield AbsentContender(name=lane.key, why=problem or "it was not played yet")


def _by_lane(board: Board, runs: Mapping[str, Lane]) -> Board:
    """Call every row by its lane, which is short, and its system with the options that make it another one."""
    lane_entries = ((entry, runs[entry.run]) for entry in board.entries)
    return replace(
        board, entries=tuple(replace(entry, label=lane.key, system=optioned(lane)) for entry, lane in lane_entries)
    )


def optioned(lane: Lane) -> str:
    """Name a system with its options, without those that the lane's key says or that every product has."""
    ref = parse_ref(lane.system)
    own_options = {key: value for key, value in ref.params.items() if key not in _SAID}
    return str(Ref(ref.name, ref.variant, own_options))


def _level(place: Path) -> str:
    return str(verify(place, VerificationRequest(Assurance.RECOMPUTED)).level)


def _both(key: str, places: Mapping[str, Path]) -> bool:
    return key in places and f"{key}{REPEATED}" in places


def _rows(
    built: Built, lanes: Mapping[str, Lane], levels: Mapping[str, str], untimed: Collection[str]
) -> tuple[LaneRow, ...]:
    """Say what each lane did; those in *untimed* stand on no front of time."""
    board, sampling = built.board, DatasetSampling.of(built.gold)
    runs = {str(judged_run.run.folder): judged_run for judged_run in built.judged}
    costs = {entry.run: _costs(entry, runs[entry.run]) for entry in board.entries}
    ranked_runs = [entry.run for entry in board.entries if entry.rank is not None]
    fronts = {}
    for cost in (TOKENS, P95, WRITING):
        measure = parse(measure_of(board, cost))
        compared_runs = {
            name: value
            for name in ranked_runs
            if (value := costs[name][cost]) is not None and (cost == TOKENS or lanes[name].key not in untimed)
        }
        rows = {name: runs[name].rows(measure) for name in compared_runs}
        short = {entry.run for entry in board.entries if not entry.short_of.keys().isdisjoint(measure.budgets)}
        fronts[cost] = front(compared_runs, rows, sampling, short=short)
    labels = {entry.run: entry.label for entry in board.entries}
    return tuple(
        _row(
            entry,
            runs[entry.run].run,
            lanes[entry.run],
            {cost: _named(places[entry.run], labels) for cost, places in fronts.items() if entry.run in places},
            costs[entry.run][WRITING],
            levels[lanes[entry.run].key],
        )
        for entry in board.entries
    )


def measure_of(board: Board, cost: str) -> str:
    """Name what is held against a cost: of all that is returned, where it is handed to a reader in whole."""
    return f"Recall@{board.k}" if cost == TOKENS else board.measures[0]


def _named(place: FrontPlace, labels: Mapping[str, str]) -> FrontPlace:
    return FrontPlace(
        place.standing, place.cost, labels.get(place.beside, ""), place.difference, place.low, place.high
    )


def _costs(entry: Entry, judged: JudgedRun) -> dict[str, float | None]:
    ms, sizes = judged.run.writes["ms"], judged.spending.gold.conversations.sizes
    turns = sum(sizes[name].turns for name in set(judged.run.questions["conversation"].tolist()))
    durations = ms[~np.isnan(ms)]
    return {
        TOKENS: entry.context_tokens,
        P95: entry.latency.search_p95,
        WRITING: float(durations.sum()) / turns if len(durations) and turns else None,  # ms a turn: s a thousand
    }


def _row(
    entry: Entry, run: Run, lane: Lane, fronts: Mapping[str, FrontPlace], writing: float | None, level: str
) -> LaneRow:
    writes, promises = run.counted_writes, run.manifest.system.capabilities
    return LaneRow(
        key=lane.key,
        label=entry.label,
        name=lane.name,
        kind=lane.kind,
        embedder=lane.embedder,
        version=entry.version,
        models=tuple(promises.get("models") or ()),
        rank=entry.rank,
        rank_low=entry.rank_low,
        rank_high=entry.rank_high,
        scores=entry.scores,
        tokens=entry.context_tokens,
        latency=entry.latency,
        writing_s=writing,
        stored_bytes=_stored(run.folder),
        writes=len(writes["outcome"]),
        lost=int((writes["outcome"] != str(Outcome.OK)).sum()),
        searches=sum(entry.outcomes.values()),
        failed=sum(n for outcome, n in entry.outcomes.items() if not Outcome(outcome).valid),
        fronts=fronts,
        unable=tuple(entry.marks),
        changed=tuple(promises.get("interventions") or ()),
        level=level,
    )


def _stored(folder: Path) -> int | None:
    """Add up what the stores of all conversations held at their ends; ``None`` where one does not say."""
    sizes = list[int | None]()
    with opened(folder / journal.FILE) as file:
        sizes += [json_of(line).get("stored") for line in file if line.startswith(_END)]
    known_sizes = [size for size in sizes if size is not None]
    return sum(known_sizes) if sizes and len(known_sizes) == len(sizes) else None


def _repeat(key: str, places: Mapping[str, Path], built: Built, margin: float) -> RepeatedLane:
    first_run, second_run = load(places[key]), load(places[f"{key}{REPEATED}"])
    comparison = compare(first_run, second_run, built.gold, fitted(built.settings, built.gold), margin=margin)
    primary = comparison.differences[0]
    all_same = all(difference.wins == difference.losses == 0 for difference in comparison.differences)
    # A repetition is held against what was returned, which k ended in both alike.
    verdicts = [each.verdict if each.ended is None else each.ended.shown for each in comparison.differences]
    within = all(verdict.startswith("equal within") for verdict in verdicts)
    verdict = "the same on every question" if all_same else verdicts[0]
    return RepeatedLane(key, primary.measure, primary.a, primary.b, verdict, all_same or within)


def data_of(published: PublishedBoard) -> dict[str, object]:
    """Return the numbers of the page, as they are written beside the bundles."""
    board = published.board
    return {
        "dataset": {"ref": board.dataset.ref, "sha256": board.dataset.sha256},
        "contract": board.contract,
        "measures": board.measures,
        "k": board.k,
        "conversations": board.conversations,
        "questions": board.questions,
        "minimum_detectable": board.minimum_detectable,
        "rows": published.rows,
        "repeats": published.repeats,
        "absent": [entry.model_dump() for entry in published.absent],
        "notes": {key: note.model_dump() for key, note in published.notes.items()},
        "warmed": [entry.model_dump() for entry in published.warmed],
        "bundles": published.bundles,
        "versions": published.versions,
    }
