"""The figures of this study, computed again; no model is asked."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from memgauge.datasets.catalogue import open_dataset
from memgauge.runs.play.execute import execute
from memgauge.runs.play.plan import plan
from memgauge.runs.record.manifest import limits
from memgauge.runs.record.store import load
from memgauge.scoring.voiced import Truth
from memgauge.studies.context.assembled import asked, measure_lane
from memgauge.studies.context.models import Curve
from memgauge.studies.context.policies import POLICIES, Assembly
from memgauge.studies.context.predict import Surface, predicted_mean
from memgauge.studies.context.sample import place
from memgauge.studies.context.scorer import score
from memgauge.studies.context.simulate import adaptive, penalties, rules
from memgauge.studies.context.tasks import NAMES, sample, samples
from memgauge.text.counting import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memgauge.studies.context.assembled import AssemblyLane

WORLD = "synthetic:medium,level=lex"
SYSTEMS = ("bm25:as_heard=false", "tfidf:as_heard=false", "pipeline:embedder=none")
BUDGET = 160
COMPUTED = frozenset({"count", "sum"})
"""Tasks whose right answer stands nowhere in the text."""


def context() -> Mapping[str, float]:
    """Compute the rules on simulated models, the echo under both scorers, and the prompts of three memories."""
    prompts = dict(_assembled(WORLD))
    orders = {name: value for name, value in prompts.items() if name.startswith("predicted_")}
    leads = {"edges_first_leads": float(max(orders, key=orders.__getitem__) == "predicted_edges_first")}
    return {**_rules(), **_echo(), **_positions(), **prompts, **leads}


def locomo() -> Mapping[str, float]:
    """Measure the prompts of the same memories on LoCoMo, which does not say what is stale."""
    return dict(_assembled("locomo"))


def _rules() -> dict[str, float]:
    figures = {}
    for n in (50, 200, 500):
        for fared in rules(n):
            name = fared.rule.replace(" ", "_")
            figures[f"{name}_overstates_n{n}"] = fared.over
            figures[f"{name}_exact_n{n}"] = fared.exact
    adaptive_cost = adaptive(200)
    full_grid = rules(200)[0]
    figures["adaptive_overstates_n200"] = adaptive_cost.over
    figures["adaptive_saves_n200"] = 1 - adaptive_cost.calls / full_grid.calls
    for n in (20, 100):
        spread, hidden = penalties(n)
        figures[f"penalty_spread_n{n}"] = spread
        figures[f"penalty_hidden_n{n}"] = hidden
    return figures


def _echo() -> dict[str, float]:
    """Score prompts as their own answers, and right answers, over every task."""
    guarded, published_scores, gold_scores = [], [], []
    for name in NAMES:
        for echo_sample in samples(name, 50):
            echoed = f"{place(echo_sample, 1_000).text}\n{echo_sample.question}"
            echo_score = score(echoed, echo_sample)
            guarded.append(echo_score.f1)
            if name not in COMPUTED:
                published_scores.append(echo_score.published)
            gold_scores.append(score(", ".join(echo_sample.gold), echo_sample).f1)
    return {
        "echo_guarded": float(np.mean(guarded)),
        "echo_published": float(np.mean(published_scores)),
        "gold_scores": float(np.mean(gold_scores)),
    }


def _positions() -> dict[str, float]:
    """Return the least share, over generators, of samples whose evidence begins where no other sample's does."""
    shares = []
    for name in NAMES:
        firsts = [place(position_sample, 4_000).offsets for position_sample in samples(name, 100)]
        shares.append(len(set(firsts)) / len(firsts))
    return {
        "positions_differ": min(shares),
        "latent_overlap": _overlap("latent"),
        "lexical_overlap": _overlap("kv"),
    }


def _overlap(name: str) -> float:
    return float(np.mean([sample(name, number).overlap for number in range(100)]))


def _assembled(ref: str) -> Iterator[tuple[str, float]]:
    """Yield what retrieval found, what survives, and what stands beside it, for every memory."""
    surface = _surface()
    for lane in _lanes(ref):
        system = lane.run.partition(" ")[0].partition(":")[0]
        for name in ("recall@k", "survival", "stale beside evidence"):
            mean = lane.measures[name].mean
            if lane.policy == "relevance-first" and mean is not None:
                yield f"{system}_{name.replace(' ', '_').replace('@k', '')}", mean
        if system == "bm25":
            chance = predicted_mean(lane.fates, surface).mean
            yield f"predicted_{lane.policy.replace('-', '_')}", chance or 0.0


def _lanes(ref: str) -> Iterator[AssemblyLane]:
    dataset = open_dataset(ref)
    truth = Truth.of(dataset)
    with TemporaryDirectory() as scratch:
        for folder in execute(plan([ref], SYSTEMS, limits=limits(k=10)), Path(scratch)):
            run = load(folder)
            questions = asked(run, dataset, truth, 10)
            for policy in POLICIES.builtin:
                yield measure_lane(run, questions, Assembly(policy, BUDGET, DEFAULT))


def _surface() -> Surface:
    """Return what would be measured of a simulated model that neglects the middle."""
    curve, lengths = Curve(penalty=0.12), (100, 1_000, 4_000)
    depths = tuple(tenth / 10 for tenth in range(11))
    rows = tuple(tuple(curve.accuracy(length, depth) for depth in depths) for length in lengths)
    return Surface("simulated", "known", lengths, depths, rows)
