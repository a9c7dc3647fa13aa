"""Our side of tools/bench.py.

Usage: python tools/bench_ours.py FOLDER, in an environment that holds memgauge. What the peers need is written to
FOLDER when the job that they share is prepared.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bench_worker import CannotRunError, Took, serve, timed
from memgauge.datasets.base import DatasetIdentity
from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import DataError
from memgauge.measures import Anchors, Descent, Trace, judge, parse
from memgauge.records import Case, Conversation, Credit, Gold, Question, Session, Turn
from memgauge.retrieval.bm25 import BM25
from memgauge.retrieval.terms import TermMatrix
from memgauge.runs.execute import execute
from memgauge.runs.journal import FILE as JOURNAL
from memgauge.runs.manifest import Manifest, dataset_part, system_part
from memgauge.runs.plan import Cell, Plan
from memgauge.runs.store import load
from memgauge.stats import Resamples
from memgauge.systems.catalogue import open_system
from memgauge.systems.protocol import supported

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

QUESTIONS, DEPTH, STORE = 2000, 60, 600
CONVERSATIONS = 10


def scoring(folder: Path) -> Callable[[], Took]:
    """Judge 2,000 rankings of 60 hits and value nDCG, MRR and Recall."""
    rng = np.random.default_rng(1)
    hits = np.concatenate([rng.permutation(STORE)[:DEPTH] for _ in range(QUESTIONS)]).astype(np.int32)
    query = np.repeat(np.arange(QUESTIONS, dtype=np.int32), DEPTH)
    own = (np.arange(QUESTIONS, dtype=np.int32) % CONVERSATIONS * STORE)[query]
    wanted = [rng.choice(STORE, size, replace=False) for size in rng.integers(1, 4, QUESTIONS)]
    evidence = Anchors(
        np.repeat(np.arange(QUESTIONS, dtype=np.int32), [len(each) for each in wanted]),
        np.concatenate([each + q % CONVERSATIONS * STORE for q, each in enumerate(wanted)]).astype(np.int32),
    )
    total = STORE * CONVERSATIONS
    trace = Trace(query, hits + own, QUESTIONS)
    descent = Descent(np.arange(total + 1), np.arange(total, dtype=np.int32))
    _write_trace(folder / "trace.json", trace, evidence)
    measures = [parse(text) for text in ("nDCG@60", "MRR@60", "Recall@60")]

    def job() -> float:
        judged = judge(trace, descent, evidence, k=DEPTH, credit=Credit.ANCHOR)
        return float(sum(measure.rows(judged).values.sum() for measure in measures))

    return lambda: timed(job)


def _write_trace(path: Path, trace: Trace, evidence: Anchors) -> None:
    run: dict[str, dict[str, float]] = {}
    for place, (query, memory) in enumerate(zip(trace.query.tolist(), trace.memory.tolist(), strict=True)):
        run.setdefault(str(query), {})[str(memory)] = float(DEPTH - place % DEPTH)
    qrels: dict[str, dict[str, int]] = {}
    for query, turn in zip(evidence.query.tolist(), evidence.turn.tolist(), strict=True):
        qrels.setdefault(str(query), {})[str(turn)] = 1
    path.write_text(json.dumps({"run": run, "qrels": qrels}), encoding="utf-8")


def bm25(folder: Path) -> Callable[[], Took]:
    """Fit one index a conversation of LoCoMo and search it with all of its questions that have evidence."""
    try:
        dataset = open_dataset("locomo")
    except DataError as error:
        raise CannotRunError(error.what.partition(" Looked at")[0]) from error
    scored = {gold.question for gold in dataset.gold() if gold.anchors()}
    conversations = [
        (
            [turn.text for turn in case.conversation.turns()],
            [question.text for question in case.questions if question.id in scored],
        )
        for case in dataset.cases()
    ]
    (folder / "texts.json").write_text(json.dumps(conversations), encoding="utf-8")

    def job() -> None:
        for texts, queries in conversations:
            BM25(TermMatrix.build(texts)).search_many(queries, DEPTH)

    return lambda: timed(job)


def bootstrap(_: Path) -> Callable[[], Took]:
    """Draw 3,000 resamples of 2,000 questions and take the interval of one column."""
    values = np.random.default_rng(2).random(QUESTIONS)

    def job() -> None:
        Resamples.draw(QUESTIONS, seed=1, draws=3000).interval(values)

    return lambda: timed(job)


@dataclass(frozen=True)
class Bulk:
    """Ten conversations of 600 turns and 200 questions: 2,000 searches, 120,000 hits."""

    identity = DatasetIdentity(ref="bulk", name="bulk", sha256="0" * 64)

    def cases(self) -> Iterator[Case]:
        """Yield them."""
        for number in range(CONVERSATIONS):
            name = f"bulk-{number}"
            turns = tuple(Turn(f"t{i}", "A", f"turn {i} of {name}", "s1") for i in range(STORE))
            asked = QUESTIONS // CONVERSATIONS
            questions = tuple(Question(f"{name}-{q}", name, f"question {q}", "any") for q in range(asked))
            yield Case(Conversation(name, (Session("s1", None, turns),)), questions)

    def gold(self) -> Iterator[Gold]:
        """Yield a gold without evidence for every question; nobody scores these runs."""
        return (Gold(question.id) for case in self.cases() for question in case.questions)

    def describe(self) -> dict[str, object]:
        """Count nothing."""
        return {}


def make_run(out: Path, ref: str) -> Path:
    """Run one system on the bulk, journal, seal and all."""
    dataset, system = Bulk(), open_system(ref)
    manifest = Manifest(
        dataset=dataset_part(dataset.identity), system=system_part(ref, ref, system, supported(system))
    )
    cell = Cell(manifest, CONVERSATIONS, CONVERSATIONS * STORE, QUESTIONS)
    (made,) = execute(Plan((cell,), {dataset.identity.ref: dataset}), out)
    return made


def overhead(folder: Path) -> Callable[[], Took]:
    """Run a whole experiment and subtract what was spent inside the system; the rest, by search."""
    out = folder / "overhead"

    def job() -> Took:
        shutil.rmtree(out, ignore_errors=True)
        start = time.perf_counter()
        made = make_run(out, "recency")
        whole = (time.perf_counter() - start) * 1000
        lines = (json.loads(line) for line in (made / JOURNAL).read_text(encoding="utf-8").splitlines())
        return Took((whole - sum(line.get("ms") or 0.0 for line in lines)) / QUESTIONS)

    return job


def load_hits(folder: Path) -> Callable[[], Took]:
    """Open a sealed run and read its questions and its 120,000 hits."""
    made = _sealed(folder)

    def job() -> None:
        run = load(made)
        if len(run.hits["rank"]) != QUESTIONS * DEPTH or len(run.questions["row"]) != QUESTIONS:
            raise CannotRunError("the run is not whole")

    return lambda: timed(job)


def load_all(folder: Path) -> Callable[[], Took]:
    """Read the memories and their sources as well."""
    made = _sealed(folder)

    def job() -> float:
        run = load(made)
        return float(sum(map(len, (run.hits["rank"], run.questions["row"], run.memories["form"]))))

    return lambda: timed(job)


def _sealed(folder: Path) -> Path:
    """Make the run once; hits drawn at random pack worse than those of any other system."""
    return make_run(folder / "sealed", "random")


JOBS = {
    "scoring": scoring,
    "bm25": bm25,
    "bootstrap": bootstrap,
    "overhead": overhead,
    "load": load_hits,
    "load with lineage": load_all,
}

if __name__ == "__main__":
    place = Path(sys.argv[1])
    serve({name: lambda prepare=prepare: prepare(place) for name, prepare in JOBS.items()})  # type: ignore[misc]
