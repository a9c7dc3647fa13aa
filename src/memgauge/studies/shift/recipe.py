"""The figures of this study, computed again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from memgauge.datasets.catalogue import open_dataset
from memgauge.measures.recovery import pooled, recovery
from memgauge.stats import inversion, spearman
from memgauge.studies.shift.findings.analysis import analyse
from memgauge.studies.shift.play.simulate import run_shift
from memgauge.studies.shift.protocol.spec import PRESETS, Filing
from memgauge.studies.shift.published import LEXICAL, TABLE_1

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.studies.shift.play.outcomes import Outcomes

DATA = "locomo:captions=false"
"""The paper retrieves single turns, text only."""


def shift() -> Mapping[str, float]:
    """Run the preset ``paper`` on LoCoMo, once more with distractors filed like turns, and Flat for ten seeds."""
    dataset = open_dataset(DATA)
    spec = replace(PRESETS["paper"], bursts=(0, 100))
    outcomes = run_shift(dataset, spec)
    filed = run_shift(dataset, replace(spec, filing=Filing.CURRENT), ("hsr",))
    flat = [run_shift(dataset, replace(spec, seed=seed), ("flat",)) for seed in range(10)]
    after = {name: _recovery(outcomes, name, 1) for name in LEXICAL}
    figures = {
        "questions": float(len(outcomes.questions)),
        "post_shift": float(outcomes.post_shift.sum()),
        "recovery_questions": float(pooled(outcomes.post_shift, outcomes.order, spec.horizon).sum()),
        "hsr_minus_fusion_m100": after["hsr"] - after["fusion"],
        "hsr_filed_like_turns_m100": _recovery(filed, "hsr", 1),
        "flat_recovery5_m100_ten_seeds": float(np.mean([_recovery(each, "flat", 1) for each in flat])),
    }
    for name in LEXICAL:
        figures[f"{name}_overall"] = float(outcomes.hits[outcomes.policies.index(name), 0].mean())
        figures[f"{name}_recovery5_m0"] = _recovery(outcomes, name, 0)
        figures[f"{name}_recovery5_m100"] = after[name]
    return figures | _published() | _sure(outcomes)


def _sure(outcomes: Outcomes) -> dict[str, float]:
    """Compute what the paper says about conversations, and how far the main gap could shrink."""
    result = analyse(outcomes)
    natural, interrupted = result.ranks
    gap = next(gap for gap in result.gaps if (gap.a, gap.b) == ("hsr", "fusion"))
    figures = {
        "hsr_minus_fusion_m100_low": gap.over_conversations.low,
        "rho_by_conversation_m0": natural.rho_by_conversation.mean,
        "rho_by_conversation_m100": interrupted.rho_by_conversation.mean,
        "delta_rho_m100": interrupted.delta_rho.mean,
    }
    return {name: value for name, value in figures.items() if value is not None}


def _recovery(outcomes: Outcomes, policy: str, burst: int) -> float:
    hits = outcomes.hits[outcomes.policies.index(policy), burst]
    value = recovery(hits, outcomes.post_shift, outcomes.order, outcomes.spec.horizon)
    return float("nan") if value is None else value


def _published() -> dict[str, float]:
    """Compute rank agreement from the numbers that the paper printed."""
    overall, natural, interrupted = (
        np.array(column) for column in zip(*(TABLE_1[p] for p in LEXICAL), strict=True)
    )
    agreements = {
        "table1_rho_m0": spearman(overall, natural),
        "table1_rho_m100": spearman(overall, interrupted),
        "table1_inversion_m0": inversion(overall, natural),
        "table1_inversion_m100": inversion(overall, interrupted),
    }
    return {name: agreement.value for name, agreement in agreements.items() if agreement.value is not None}
