"""Playing a board lane by lane: one command each, as a user would type it; what is there already is not played."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import UserError
from memgauge.records import BOARD
from memgauge.retrieval.embedders import embed_queries
from memgauge.runs.record.bundle import compact_bundle
from memgauge.runs.record.files import write_atomically
from memgauge.runs.record.machine import day_of, this_machine
from memgauge.runs.record.manifest import Limits, Manifest
from memgauge.runs.record.seal import sealed
from memgauge.runs.record.store import find_runs, load
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.score import Settings, fitted, write_scores
from memgauge.studies.board.notes import (
    BUNDLE,
    REPEATED,
    WARMED,
    LaneNote,
    Warming,
    read_note,
)
from memgauge.systems.models.catalogue import names_model
from memgauge.systems.models.lending import lend
from memgauge.systems.models.routing import LENT
from memgauge.systems.policies.embedding import open_embedder
from memgauge.text.heard import as_heard
from memgauge.text.jsons import json_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from memgauge.retrieval.embedders import Embedder
    from memgauge.studies.board.spec import BoardSpec, Lane

CACHE: Final = "MEMGAUGE_CACHE"
_WORDS: Final = 400
_PORTION: Final = 512


@dataclass(frozen=True)
class BoardPlay:
    """Where a board is played, and what of it."""

    folder: Path
    """Of the board: its description, and where bundles go."""
    runs: Path
    """Where run folders are made; a cache of vectors lies beside them."""
    spec: BoardSpec
    tell: Callable[[str], None] = lambda _: None
    below: str = ""
    """Folder of the run folders below *runs*; boards that share *runs* share its cache."""
    checked: set[str] = field(default_factory=set)
    """Systems that were checked in this sitting; boards of one command share it."""
    call: Callable[[list[str], float | None], str] | None = None
    """Runs a command of ours within so many seconds, and says why it failed; by default in its own process."""

    def play(self, keys: tuple[str, ...] = (), *, limit_s: float | None = None) -> Iterator[LaneNote]:
        """Play every lane that has no bundle yet, or those of *keys*; then those that are repeated from scratch.

        A command that takes *limit_s* seconds goes on where it was at the next sitting.
        """
        chosen_lanes = [lane for lane in self.spec.lanes if not keys or lane.key in keys]
        open_lanes = [lane for lane in chosen_lanes if not self._bundle(lane).is_file()]
        self.folder.mkdir(parents=True, exist_ok=True)
        os.environ[CACHE] = str((self.runs / "cache").resolve())
        embedders = dict.fromkeys(lane.embedder for lane in open_lanes if lane.embedder)
        for embedder in embedders:
            if names_model(embedder):
                lend([embedder])
            if self.spec.warmed:
                self._warm(embedder)
        for lane in open_lanes:
            yield self._lane(lane, limit_s)
        for lane in chosen_lanes:
            if lane.key in self.spec.repeated and not self._bundle(lane, REPEATED).is_file():
                os.environ[CACHE] = str((self.runs / f"cache{REPEATED}" / lane.key).resolve())
                os.environ.pop(LENT, None)  # a server that runs already looks into the cache of the others
                yield self._lane(lane, limit_s, REPEATED)

    def _warm(self, embedder: str) -> None:
        """Embed every text once, so that no lane pays for the vectors of another."""
        path = self.folder / WARMED
        warmings = json_file(path) if path.is_file() else {}
        warming = Warming.model_validate(
            warmings.get(embedder, {"embedder": embedder, "texts": 0, "seconds": 0.0})
        )
        self.tell(f"embedding every text with {embedder}")
        model, n_texts = open_embedder(embedder), 0
        for texts, embed in _portions(self.spec, model):
            began = time.monotonic()
            embed(texts)
            n_texts += len(texts)
            if n_texts > warming.texts:
                seconds = warming.seconds + time.monotonic() - began
                warming = Warming(embedder=embedder, texts=n_texts, seconds=round(seconds, 3))
                warmings[embedder] = warming.model_dump()
                write_atomically(path, json.dumps(warmings, indent=2, sort_keys=True) + "\n")

    def _lane(self, lane: Lane, limit_s: float | None, suffix: str = "") -> LaneNote:
        key = f"{lane.key}{suffix}"
        run_folder = self.runs / self.below / key
        arguments = _arguments(self.spec, lane)
        earlier_note = read_note(self.folder, key)
        began, load_then, clock = datetime.now(UTC), os.getloadavg()[0], time.monotonic()
        self.tell(f"{key}: memgauge {' '.join(arguments)}")
        call = self.call or _called
        if not suffix and lane.system not in self.checked:  # `run` checks too, with little patience
            self.checked.add(lane.system)
            call(["systems", "check", lane.system], limit_s)
            clock = time.monotonic()
        problem = call([*arguments, "--out", str(run_folder)], limit_s)
        note = LaneNote(
            key=key,
            command=f"memgauge {' '.join(arguments)}",
            began=earlier_note.began if earlier_note else day_of(began),
            seconds=round(time.monotonic() - clock + (earlier_note.seconds if earlier_note else 0.0), 1),
            load=round(load_then, 2),
            machine=this_machine(),
            problem=problem or self._pack(lane, run_folder, suffix),
        )
        note.write(self.folder)
        return note

    def _pack(self, lane: Lane, out: Path, suffix: str) -> str:
        """Score and pack the run of a lane; say why not where that cannot be."""
        try:
            (folder,) = (
                run_path for run_path in find_runs((out,)) if Manifest.read(run_path).system.ref == lane.system
            )
            if not sealed(folder):
                return "the run is unfinished"
            run = load(folder)
            gold = GoldTable.read(open_dataset(run.manifest.dataset.ref, allow_unpinned=True))
            write_scores(run, gold, fitted(Settings(BOARD), gold))
            compact_bundle(folder, self._bundle(lane, suffix))
        except (UserError, ValueError) as error:
            return str(error)
        return ""

    def _bundle(self, lane: Lane, suffix: str = "") -> Path:
        return self.folder / f"{lane.key}{suffix}{BUNDLE}"


def _arguments(spec: BoardSpec, lane: Lane) -> list[str]:
    limit_arguments = [] if spec.conversations is None else ["--conversations", str(spec.conversations)]
    patience = [] if spec.timeout == Limits().timeout_s else ["--timeout", f"{spec.timeout:g}"]
    return ["run", "-d", spec.dataset, "-s", lane.system, "--k", str(spec.k), *patience, *limit_arguments]


def _called(arguments: list[str], limit_s: float | None) -> str:
    """Run a command of ours in a process of its own; return why it failed, or nothing."""
    command = [sys.executable, "-m", "memgauge", *arguments]
    try:
        process = subprocess.run(command, capture_output=True, text=True, check=False, timeout=limit_s)  # noqa: S603 - our own
    except subprocess.TimeoutExpired:
        return f"it took longer than {limit_s:g} s; it goes on where it was"
    words = " ".join(process.stderr.split())
    return "" if process.returncode in {0, 1} else words[-_WORDS:] or f"it ended with {process.returncode}"


def _portions(spec: BoardSpec, embedder: Embedder) -> Iterator[tuple[list[str], Callable[[list[str]], object]]]:
    """Yield every turn as lanes are handed it, and every question, each with what embeds it."""
    documents, queries = dict[str, None](), dict[str, None]()
    for case in islice(open_dataset(spec.dataset).cases(), spec.conversations):
        for turn in case.conversation.turns():
            documents[as_heard(turn.text, turn.speaker, turn.at)] = None
        queries |= dict.fromkeys(question.text for question in case.questions)
    for texts in _cut(documents):
        yield texts, embedder.embed
    for texts in _cut(queries):
        yield texts, partial(embed_queries, embedder)


def _cut(texts: Iterable[str]) -> Iterator[list[str]]:
    """Cut *texts* into portions, so that little is lost when embedding them is broken off."""
    remaining = iter(texts)
    while portion := list(islice(remaining, _PORTION)):
        yield portion
