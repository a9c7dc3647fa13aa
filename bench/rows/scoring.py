"""Score rankings: nDCG@60, MRR@60 and Recall@60 of 2,000 questions with 60 hits each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bench.agree import Values
from bench.made import DEPTH, QUESTIONS, Rankings
from bench.row import Job, Row, floor, ours, peer

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

MEASURES = ("nDCG@60", "MRR@60", "Recall@60")


def memgauge(_: Path) -> Job:
    """Judge columns of hits, as a run on disk holds them, against their evidence, and value the measures."""
    from memgauge.measures import judge, parse
    from memgauge.records import Credit

    trace, descent, evidence = columns(Rankings.made())
    measures = [parse(text) for text in MEASURES]

    def run() -> NDArray[np.float64]:
        judged = judge(trace, descent, evidence, k=DEPTH, credit=Credit.ANCHOR)
        return np.stack([measure.rows(judged).values for measure in measures])

    return Job(run, lambda values: values)


def columns(made: Rankings) -> tuple[Any, Any, Any]:
    """Lay rankings out as a run's columns: hits, lineage and evidence."""
    from memgauge.measures import Anchors, Descent, Trace

    questions, depth = made.hits.shape
    total = int(made.hits.max()) + 1
    total = max(total, int(max(each.max() for each in made.wanted)) + 1)
    query = np.repeat(np.arange(questions, dtype=np.int32), depth)
    owner = np.repeat(np.arange(questions, dtype=np.int32), [len(each) for each in made.wanted])
    return (
        Trace(query, made.hits.ravel(), questions),
        Descent(np.arange(total + 1), np.arange(total, dtype=np.int32)),
        Anchors(owner, np.concatenate(made.wanted).astype(np.int32)),
    )


def pytrec(_: Path) -> Job:
    """Score dictionaries, which are made before."""
    import pytrec_eval

    made = Rankings.made()
    evaluator = pytrec_eval.RelevanceEvaluator(made.judgements, {"ndcg_cut_60", "recip_rank", "recall_60"})
    run = made.run

    def check(found: dict[str, dict[str, float]]) -> NDArray[np.float64]:
        names = ("ndcg_cut_60", "recip_rank", "recall_60")
        return np.array([[found[f"q{q}"][name] for q in range(QUESTIONS)] for name in names])

    return Job(lambda: evaluator.evaluate(run), check)


def ir_measures(_: Path) -> Job:
    """Score dictionaries, which are made before."""
    import ir_measures as library
    from ir_measures import RR, R, nDCG

    made = Rankings.made()
    wanted = (nDCG @ 60, RR @ 60, R @ 60)
    evaluator, run = library.evaluator(wanted, made.judgements), made.run

    def check(found: list[Any]) -> NDArray[np.float64]:
        values = {(str(each.measure), each.query_id): each.value for each in found}
        return np.array([[values[str(m), f"q{q}"] for q in range(QUESTIONS)] for m in wanted])

    return Job(lambda: list(evaluator.iter_calc(run)), check)


def ranx(_: Path) -> Job:
    """Score what ranx has read before."""
    from ranx import Qrels, Run, evaluate

    made = Rankings.made()
    qrels, run, wanted = Qrels(made.judgements), Run(made.run), ["ndcg@60", "mrr@60", "recall@60"]
    return Job(lambda: evaluate(qrels, run, wanted, return_mean=False, make_comparable=False), _ranx_values)


def ranx_from_dictionaries(_: Path) -> Job:
    """Let ranx read the rankings as well."""
    from ranx import Qrels, Run, evaluate

    made = Rankings.made()
    run, judgements, wanted = made.run, made.judgements, ["ndcg@60", "mrr@60", "recall@60"]

    def read() -> Any:
        return evaluate(Qrels(judgements), Run(run), wanted, return_mean=False, make_comparable=False)

    return Job(read, _ranx_values)


def _ranx_values(found: dict[str, NDArray[np.float64]]) -> NDArray[np.float64]:
    """Bring values from ranx's order of questions, by name, into ours."""
    place = {name: at for at, name in enumerate(sorted(f"q{q}" for q in range(QUESTIONS)))}
    order = [place[f"q{q}"] for q in range(QUESTIONS)]
    return np.array([found[name][order] for name in ("ndcg@60", "mrr@60", "recall@60")])


def passing(_: Path) -> Job:
    """Look up one mark for each hit, and go through the table of gains once for each measure."""
    made = Rankings.made()
    marks = np.random.default_rng(0).random(made.hits.max() + 1)
    discount = 1.0 / np.log2(np.arange(2.0, DEPTH + 2.0))

    def run() -> tuple[Any, ...]:
        gains = marks[made.hits]
        return gains @ discount, gains.argmax(axis=1), gains.sum(axis=1)

    return Job(run)


ROW = Row(
    "score nDCG, MRR, Recall of 2,000 x 60",
    limit=5,
    agreement=Values(1e-9),
    above=(
        "The floor is told which hits count. Finding out (one look at every hit rules most out, the others are "
        "searched among the evidence, each credited once) and laying out gains and ideals is most of ours."
    ),
    sides=(
        ours(memgauge),
        peer("pytrec-eval-terrier", pytrec, at_least=4, note="its dictionaries are made before the clock starts"),
        peer("ir-measures", ir_measures, note="its dictionaries are made before the clock starts"),
        peer("ranx", ranx, note="reads and compiles before the clock starts; on one thread, as all"),
        peer("ranx, reading included", ranx_from_dictionaries, at_least=10, note="compiles before"),
        floor("one look-up a hit, three passes over the gains", passing),
    ),
)
