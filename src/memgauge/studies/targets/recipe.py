"""The figures of this study, computed again on LoCoMo with the observations that it ships."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from memgauge.datasets.catalogue import open_dataset
from memgauge.records import Coverage, Credit, Target
from memgauge.runs.play.execute import execute
from memgauge.runs.play.plan import plan
from memgauge.runs.record.store import load
from memgauge.scoring.gold import GoldTable
from memgauge.studies.targets.lineup import TARGETS, AuditSpec, line_up
from memgauge.studies.targets.shifts import PAIRS, flips, shifts, transfers
from memgauge.studies.targets.stores import STORES, write_store

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.datasets.base import Dataset
    from memgauge.runs.record.store import Run
    from memgauge.studies.targets.lineup import Lineup

BM25 = "bm25:k1=1.2,stem=english,stop=lucene,speaker=true"
"""targets.md, section 10."""
NAMES = ("obs", "summary", "facts-1", "facts-5")


def targets() -> Mapping[str, float]:
    """Run BM25 over four stores and score the frozen lists under every target."""
    dataset = open_dataset("locomo")
    gold = GoldTable.read(dataset)
    with TemporaryDirectory() as folder:
        refs = [f"{BM25},store={write_store(dataset, name, Path(folder) / 'stores')}" for name in NAMES]
        played = execute(plan([dataset.identity.ref], refs), Path(folder) / "runs")
        runs = dict(zip(NAMES, map(load, played), strict=True))
        observations = line_up([runs["obs"]], gold, AuditSpec())
        everything = line_up([runs["obs"]], gold, AuditSpec(answerable=False))
        return {
            **_counts(dataset, observations),
            **_obs(observations),
            "obs_covered_any_1977": float(everything.shared(Target.CANONICAL).sum()),
            "questions_scored": float(everything.inside.sum()),
            **_orders(gold, runs),
            **_density(line_up([runs["facts-1"], runs["facts-5"]], gold, AuditSpec())),
        }


def _counts(dataset: Dataset, lineup: Lineup) -> dict[str, float]:
    turns = sum(len(list(case.conversation.turns())) for case in dataset.cases())
    store = STORES.get("obs")(dataset)
    covered = {(conversation, turn) for conversation, each in store.items() for m in each for turn in m.sources}
    whole = lineup.runs[0].rows(Target.CANONICAL, coverage=Coverage.ALL).defined & lineup.inside
    return {
        "turns": float(turns),
        "questions_native": float(lineup.inside.sum()),
        "obs_memories": float(sum(map(len, store.values()))),
        "obs_turns": float(len(covered)),
        "obs_covered_any": float(lineup.shared(Target.CANONICAL).sum()),
        "obs_covered_all": float(whole.sum()),
    }


def _obs(lineup: Lineup) -> dict[str, float]:
    (shift,) = shifts(lineup)
    by_pair = {row.pair: row for row in flips(lineup)}
    # All three pairs on one set of questions, so that the flips must add up.
    mask = lineup.shared(*TARGETS)
    (audited,) = lineup.runs
    hits = {t: audited.rows(t, "Hit@60").values[mask] for t in TARGETS}
    flipped = {pair: int((hits[pair[0]] != hits[pair[1]]).sum()) for pair in PAIRS}
    source, canonical = (
        audited.rows(t, credit=Credit.ANCHOR_CN).values[mask] for t in (Target.SOURCE, Target.CANONICAL)
    )
    return {
        "obs_bm25_raw": shift.means["raw"] or 0.0,
        "obs_bm25_source": shift.means["source"] or 0.0,
        "obs_bm25_canonical": shift.means["canonical"] or 0.0,
        "obs_bm25_rc_change_rate": by_pair["raw to canonical"].rate or 0.0,
        "obs_bm25_hitflips_rc": float(by_pair["raw to canonical"].hit),
        "obs_bm25_hitflip_identity": float(flipped[PAIRS[1]] == flipped[PAIRS[0]] + flipped[PAIRS[2]]),
        "obs_bm25_cn_exceeding_source": float((canonical > source + 1e-12).sum()),
    }


def _orders(gold: GoldTable, runs: Mapping[str, Run]) -> dict[str, float]:
    """Check that both of the paper's transfer orders appear without any language model."""
    orders = {name: transfers(line_up([runs[name]], gold, AuditSpec()))[0].order for name in ("obs", "summary")}
    return {
        "obs_order_is_scr": float(set(orders["obs"].values()) == {"S > C > R"}),
        "summary_order_is_src": float(orders["summary"]["MRR@60"] == orders["summary"]["nDCG@60"] == "S > R > C"),
    }


def _density(lineup: Lineup) -> dict[str, float]:
    """Check who wins under Source, few facts (0) or many (1), by the rule of credit."""
    mask = lineup.shared(Target.SOURCE, Target.CANONICAL)

    def gain(credit: Credit) -> float:
        few, many = (audited.rows(Target.SOURCE, credit=credit).values[mask] for audited in lineup.runs)
        return float(np.mean(many - few))

    return {
        "dense_minus_sparse_source_anchor": gain(Credit.ANCHOR),
        "dense_wins_source_anchor": float(gain(Credit.ANCHOR) > 0),
        "dense_wins_source_id": float(gain(Credit.ID) > 0),
    }
