"""Boards and stories as scoring would hand them over, about invented people."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from memgauge.datasets.base import DatasetIdentity
from memgauge.records import Contract, Denominator, Items
from memgauge.scoring.board import (
    Board,
    Entry,
    Exclusion,
    Latency,
    QuestionStory,
    Score,
    ShownAnswer,
    ShownHit,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from xml.etree.ElementTree import Element

MEASURES = ("nDCG@60", "Recall@5", "MRR", "Success@1")
CATEGORIES = {"single-hop": 841, "multi-hop": 282, "temporal": 321, "open-domain": 96, "adversarial": 437}
BUDGETS = (250, 500, 1000, 2000, 4000, 8000)
LEVELS: Mapping[str, tuple[str, str, tuple[int, int, int] | None, float]] = {
    "hybrid": ("fusion", "system", (1, 1, 2), 0.562),
    "bm25": ("bm25", "system", (2, 1, 2), 0.551),
    "dense": ("dense", "system", (3, 3, 3), 0.498),
    "recency": ("recency", "system", (4, 4, 4), 0.121),
    "oracle": ("oracle", "ceiling", None, 1.0),
    "random": ("random", "floor", None, 0.036),
}
NOTES = {
    "dense": ("Runs on embeddings made elsewhere: minilm-6 at 384 dimensions.",),
    "recency": ("Three searches ran into the time limit of 30 s and are not scored.",),
}
_FACTS = (
    ("Where did Ottilie leave the spare key?", "under the third flower pot", "multi-hop"),
    ("When did Bram repair the rowing boat?", "the weekend before Easter", "temporal"),
    ("Which instrument does Ines practise at night?", "a muted cornet", "single-hop"),
    ("What would Ottilie choose for a rainy holiday?", "a museum of clocks", "open-domain"),
    ("Who told Bram about the flooded cellar?", "nobody says", "adversarial"),
)


def parsed(xml: str) -> Element:
    """Parse XML that the code under test has just made."""
    return ET.fromstring(xml)  # noqa: S314 - our own output


def score(measure: str, value: float, spread: float = 0.017, denominator: Denominator | None = None) -> Score:
    """Make a score with both intervals around *value*."""
    return Score(
        measure,
        value,
        max(0.0, value - spread),
        min(1.0, value + spread),
        max(0.0, value - 2.1 * spread),
        min(1.0, value + 1.9 * spread),
        denominator or Denominator(1986, 1977, {"no evidence": 4, "no evidence resolves": 5}),
    )


def undefined(measure: str, reason: str) -> Score:
    """Make a score that has no value."""
    return Score(measure, None, None, None, None, None, Denominator(9, 0, {"error": 9}), reason)


def entry(label: str) -> Entry:
    """Make one entry of the main board."""
    system, role, ranks, level = LEVELS[label]
    failed = 3 if label == "recency" else 0
    lost = {"timeout": failed} if failed else {}
    denominator = Denominator(1986, 1977 - failed, {"no evidence": 4, "no evidence resolves": 5} | lost)
    factors = zip(MEASURES, (1.0, 0.9, 0.85, 0.72), strict=True)
    shifts = zip(CATEGORIES.items(), (0.05, -0.14, 0.02, -0.3, -0.04), strict=True)
    pace = 1 + len(label)
    return Entry(
        label,
        system,
        "0.1.0",
        role,
        f"runs/locomo-{label}",
        {m: score(m, level * f if role == "system" else level, denominator=denominator) for m, f in factors},
        rank=ranks[0] if ranks else None,
        rank_low=ranks[1] if ranks else None,
        rank_high=ranks[2] if ranks else None,
        marks=(),
        outcomes={"ok": 1986 - failed, "timeout": failed} if failed else {"ok": 1986},
        coverage=0.034 if role != "ceiling" else 0.004,
        context_tokens=812.4,
        latency=Latency(0.12 * pace, 0.31 * pace, 0.004 * pace, 0.02 * pace * (40 if label == "dense" else 1)),
        by_category={c: score(c, min(1.0, level * (1 + d)), 0.03, Denominator(n, n)) for (c, n), d in shifts},
        by_k={
            k: score(f"Recall@{k}", level * (0.3 + 0.7 * i / 5) if role != "ceiling" else 0.7 + 0.06 * i)
            for i, k in enumerate((1, 5, 10, 20, 40, 60))
        },
        by_budget={n: score(f"Recall@{n}tok", level * (0.2 + 0.8 * i / 5)) for i, n in enumerate(BUDGETS)},
        own_floor={n: score(f"Recall@{n}tok", 0.04 * i) for i, n in enumerate(BUDGETS)}
        if role == "system"
        else {},
        notes=NOTES.get(label, ()),
    )


def board() -> Board:
    """Make the main board: four systems, a ceiling and a floor, 1,977 questions scored."""
    identity = DatasetIdentity(
        "locomo", "LoCoMo", "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4"
    )
    return Board(
        identity,
        Contract(),
        MEASURES,
        60,
        10,
        1986,
        tuple(entry(label) for label in LEVELS),
        (
            Exclusion("no evidence", tuple(f"conv-{i}:q{i * 7}" for i in range(1, 5))),
            Exclusion("no evidence resolves", tuple(f"conv-{i}:q{i * 11}" for i in range(1, 6))),
        ),
        0.013,
        ("Ten conversations only: intervals over conversations are wide.",),
    )


def second() -> Board:
    """Make a small board on another dataset: unpinned, unplaced systems, nothing by k or category."""
    identity = DatasetIdentity("synthetic:small,seed=1", "synthetic", "0" * 64, pinned=False)
    tied = [
        replace(entry(label), by_category={}, by_k={}, notes=(), rank=place, rank_low=None, rank_high=None)
        for place, label in enumerate(("bm25", "recency"), 1)
    ]
    broken = replace(
        entry("dense"),
        scores={m: undefined(m, "every search failed") for m in MEASURES},
        outcomes={"error": 9},
        coverage=None,
        context_tokens=None,
        rank=None,
        rank_low=None,
        rank_high=None,
        by_category={},
        by_k={},
    )
    return Board(
        identity,
        Contract(items=Items.CLEAN),
        MEASURES,
        60,
        1,
        1986,
        (*tied, broken, replace(entry("random"), by_category={}, by_k={})),
    )


def _hits(rng: Random, found: int | None, answer: str) -> tuple[ShownHit, ...]:
    fillers = (
        "The ferry was late again and we shared a bag of roasted chestnuts on the pier while gulls complained.",
        "I moved the seedlings to the shelf by the window; the tomato leans towards the light like a curious cat.",
        "My brother insists that the old radio still works. It hums. That is all it does, in two keys.",
    )
    return tuple(
        ShownHit(
            rank,
            f"m{rng.randrange(10_000):04d}",
            f"I keep it {answer}, as everybody in the house knows." if rank == found else rng.choice(fillers),
            round(12.5 / rank, 3),
            (f"D{rng.randrange(1, 19)}:{rng.randrange(1, 22)}",),
            "exact",
            rank == found,
        )
        for rank in range(1, 21)
    )


def stories(n: int = 12) -> tuple[QuestionStory, ...]:
    """Make *n* stories; a system finds gold at a rank that its level suggests, or misses it."""
    rng = Random(7)  # noqa: S311 - a fixture, not a secret
    made = []
    for i in range(n):
        text, answer, category = _FACTS[i % len(_FACTS)]
        answers = []
        for label, (_, role, _, level) in LEVELS.items():
            found = 1 if role == "ceiling" else rng.choice((1, 2, 4, 14)) if rng.random() < level else None
            hits = _hits(rng, found, answer)
            answers.append(ShownAnswer(label, "ok", "", 0.0 if found is None else round(1 / found, 3), hits))
        if i == 1:
            answers[3] = ShownAnswer("recency", "timeout", "no reply within 30 s", None, ())
        evidence = (("D4:11", f"I keep it {answer}, as everybody in the house knows."),)
        made.append(
            QuestionStory(
                f"conv-{i % 10}:q{i}",
                f"conv-{i % 10}",
                category,
                text,
                (answer,),
                (*evidence, ("D99:1", "")) if i == 2 else evidence,
                "The label names a turn that says something else." if i == 2 else "",
                "no evidence resolves" if i == 3 else "",
                tuple(answers),
                "bm25 and dense disagree most here." if i % 2 == 0 else "",
            )
        )
    return tuple(made)
