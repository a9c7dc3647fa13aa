"""The figures of this study, computed again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.studies.attribution.cells import ALL, DESIGNS
from memgauge.studies.attribution.memories import Remembering
from memgauge.studies.attribution.precedence import parse_order, precedence
from memgauge.studies.attribution.question import make_questions
from memgauge.studies.attribution.readers import WiredReader
from memgauge.studies.attribution.run import observe
from memgauge.studies.attribution.study import attribute
from memgauge.studies.attribution.wirings import separation
from memgauge.systems.catalogue import open_system
from memgauge.systems.reference.wired import WIRINGS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.studies.attribution.share import CountedShare
    from memgauge.studies.attribution.study import Attribution

QUESTIONS = 12
ORDERS = {
    "memory-first": "memory,document,state",
    "document-first": "document,memory,state",
    "state-first": "state,memory,document",
}
NAMES = {
    "accuracy only": "accuracy_only",
    "leave one out": "leave_one_out",
    "single swaps": "single_swaps",
    "2^3 swaps": "2x2x2",
    "12 cells": "12_cells",
    "3^3 agree, swap, absent": "3x3x3",
    "15 cells": "15_cells",
}


def attribution() -> Mapping[str, float]:
    """Compute what designs separate, what the fifteen cells say of the wirings, and what of three memories."""
    return {**_designs(), **_wirings(), **_memories()}


def _designs() -> dict[str, float]:
    figures = {}
    for name in DESIGNS:
        figures[f"separated_{NAMES[name]}"] = float(separation(name).separates)
        figures[f"separated_{NAMES[name]}_made_up_truth"] = float(separation(name, guessable=False).separates)
    return figures


def _wirings() -> dict[str, float]:
    """Ask the wirings as memories, through the whole protocol."""
    questions = make_questions(QUESTIONS)
    cards = {name: attribute(_open(f"wired:{name}"), questions) for name in WIRINGS}
    guesser, split = cards["guesser"].rates, cards["memory-if-document-agrees"].rates
    orders = [
        precedence(observe(WiredReader(name), questions, ALL), parse_order(order)).kept is (name == followed)
        for followed, order in ORDERS.items()
        for name in ORDERS
    ]
    claimed = attribute(_open("wired:guesser,cites=memory"), questions).citations
    return {
        "wirings_recognised": float(sum(card.nearest == (name,) for name, card in cards.items())),
        "guesser_accuracy_where_truth_is_guessable": _mean(guesser.accuracy_guessable),
        "guesser_accuracy_where_truth_is_made_up": _mean(guesser.accuracy_made_up),
        "guesser_right_for_wrong_reason": _mean(guesser.right_for_wrong_reason),
        "guesser_attributed_accuracy": _mean(guesser.attributed_accuracy),
        "document_first_right_for_wrong_reason": _mean(cards["document-first"].rates.right_for_wrong_reason),
        "memory_if_document_agrees_follows_memory": _mean(split.follows["memory"]),
        "memory_if_document_agrees_follows_both": _mean(split.together["memory-document"]),
        "guesser_citing_memory_faithfulness": _mean(claimed.faithfulness),
        "unlogged_influence_without_a_log": _unlogged("wired:memory-first,logs=false"),
        "unlogged_influence_with_a_log": _unlogged("wired:memory-first"),
        "orders_judged_rightly_of_9": float(sum(orders)),
    }


def _unlogged(ref: str) -> float:
    return attribute(_open(ref), make_questions(QUESTIONS)).log.unlogged_influence / QUESTIONS


def _memories() -> dict[str, float]:
    """Measure memories that do not answer by themselves, the truth stored twice."""
    questions = make_questions(QUESTIONS)
    figures = {}
    for name, ref in {"bm25": "bm25:as_heard=false", "pipeline": "pipeline:embedder=none"}.items():
        card: Attribution = attribute(_open(ref), questions, memories=6)
        figures[f"{name}_follows_memory"] = _mean(card.rates.follows["memory"])
        figures[f"{name}_attributed_accuracy"] = _mean(card.rates.attributed_accuracy)
        if card.leaving is not None:
            figures[f"{name}_copies_found_by_leaving_one_out"] = float(
                sum(card.leaving.alone[key].hits for key in ("memory", "memory 2"))
            )
            figures[f"{name}_truths_found_by_leaving_a_group_out"] = _mean(card.leaving.grouped["truth"])
    return figures


def _open(ref: str) -> Remembering:
    return Remembering.of(open_system(ref))


def _mean(rate: CountedShare) -> float:
    return -1.0 if rate.share.mean is None else rate.share.mean
