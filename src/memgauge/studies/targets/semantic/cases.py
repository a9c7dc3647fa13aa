"""The cases: memories that a relaxed target credits where Raw finds nothing, among controls that look alike.

Contested: Raw misses and Canonical hits; judged is the first memory that Canonical credits. Controls: the first
raw memory of questions that Raw hits, and decoys, derived memories of the same list that descend from no
evidence. The paper counts each contested case twice and has no control (targets.md, 6.3 and 6.4); here
(question, text) is one case.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.records import Form, Target

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from memgauge.datasets.base import Dataset
    from memgauge.measures import EvidenceHits
    from memgauge.studies.targets.lineup import Audited, Lineup

CONTESTED, RAW_HIT, DECOY = "contested", "raw hit", "decoy"
ARMS = (CONTESTED, RAW_HIT, DECOY)
SEED = 1337


@dataclass(frozen=True, slots=True)
class SupportCase:
    """One memory beside one question."""

    id: str
    """The hash of everything that a judge sees."""
    arm: str
    """Never shown to a judge."""
    conversation: str
    question_id: str
    category: str
    question: str
    gold: str
    evidence: tuple[str, ...]
    """The evidence turns, with speaker and date."""
    memory: str
    rank: int
    """Where the memory stood, from 1; the best of all lists that hold it."""
    place: int
    """The question's place in the dataset."""
    runs: tuple[str, ...]
    """Every list that holds it so."""


def cases(lineup: Lineup, dataset: Dataset) -> list[SupportCase]:
    """Extract the cases of all arms, each once, in a shuffled order that says nothing about the arm."""
    turns = _worded(dataset)
    by_text: dict[tuple[str, int, str], SupportCase] = {}
    for audited in lineup.serving(Target.CANONICAL):
        texts = [text or "" for _, _, text, _ in audited.run.texts()]
        for arm, place, memory, rank in _picked(lineup, audited):
            if not texts[memory]:
                continue  # a bundle without texts can be scored, not read
            key = arm, place, texts[memory]
            earlier_case = by_text.get(key)
            runs = (*(earlier_case.runs if earlier_case else ()), audited.label)
            best_rank = min(rank, earlier_case.rank) if earlier_case else rank
            by_text[key] = _case(lineup, turns, arm, place, texts[memory], best_rank, tuple(dict.fromkeys(runs)))
    sorted_cases = sorted(by_text.values(), key=lambda case: (case.id, case.arm))
    order = np.random.default_rng(SEED).permutation(len(sorted_cases))
    return [sorted_cases[n] for n in order]


def distinct(cases: Sequence[SupportCase]) -> list[SupportCase]:
    """Keep every case once in its arm, where it ranks best: a benchmark may ask one question under two ids."""
    by_content: dict[tuple[str, str], SupportCase] = {}
    for case in sorted(cases, key=lambda case: (case.rank, case.place)):
        by_content.setdefault((case.arm, case.id), case)
    return list(by_content.values())


def _picked(lineup: Lineup, audited: Audited) -> Iterator[tuple[str, int, int, int]]:
    """Yield (arm, question, memory, rank) of one run."""
    mask = lineup.shared(Target.RAW, Target.CANONICAL)
    hit = f"Hit@{lineup.spec.k}"
    raw, canonical = (audited.rows(t, hit).values > 0 for t in (Target.RAW, Target.CANONICAL))
    contested = mask & ~raw & canonical
    first_hits = {t: _first(audited.hits[t]) for t in (Target.RAW, Target.CANONICAL)}
    for place in np.flatnonzero(contested).tolist():
        yield CONTESTED, place, *first_hits[Target.CANONICAL][place]
    for place in np.flatnonzero(mask & raw).tolist():
        yield RAW_HIT, place, *first_hits[Target.RAW][place]
    for place, decoy in _decoys(audited, contested).items():
        yield DECOY, place, *decoy


def _first(hits: EvidenceHits) -> dict[int, tuple[int, int]]:
    """Return, for every question, the first credited memory and its rank from 1."""
    first_hits: dict[int, tuple[int, int]] = {}
    for hit, rank in zip(hits.hits.tolist(), hits.rank.tolist(), strict=True):
        place = int(hits.trace.query[hit])
        if place not in first_hits or rank + 1 < first_hits[place][1]:
            first_hits[place] = int(hits.trace.memory[hit]), rank + 1
    return first_hits


def _decoys(audited: Audited, contested: NDArray[np.bool_]) -> dict[int, tuple[int, int]]:
    """Return, for every contested question, the best derived memory of its list that descends from no evidence."""
    forms = audited.run.forms
    source = audited.hits[Target.SOURCE]
    credited_hits = set(source.hits.tolist())
    decoys: dict[int, tuple[int, int]] = {}
    starts = audited.trace.starts
    for place in np.flatnonzero(contested).tolist():
        for hit in range(int(starts[place]), min(int(starts[place + 1]), int(starts[place]) + source.k)):
            memory = int(audited.trace.memory[hit])
            if hit not in credited_hits and forms[memory] != str(Form.RAW):
                decoys[place] = memory, hit - int(starts[place]) + 1
                break
    return decoys


def _case(
    lineup: Lineup,
    turns: Mapping[tuple[str, str], str],
    arm: str,
    place: int,
    memory: str,
    rank: int,
    runs: tuple[str, ...],
) -> SupportCase:
    question, gold = lineup.gold.questions[place], lineup.gold.golds[place]
    evidence = tuple(turns[question.conversation, turn] for turn in gold.anchors(lineup.spec.evidence))
    answer = " / ".join(gold.answers)
    content = json.dumps([question.text, answer, evidence, memory], ensure_ascii=True)
    key = hashlib.sha256(content.encode()).hexdigest()[:16]
    return SupportCase(
        key,
        arm,
        question.conversation,
        question.id,
        question.category,
        question.text,
        answer,
        evidence,
        memory,
        rank,
        place,
        runs,
    )


def _worded(dataset: Dataset) -> dict[tuple[str, str], str]:
    """Return every turn as a judge reads it: date, speaker, words."""
    turns = {}
    for case in dataset.cases():
        for turn in case.conversation.turns():
            day = f"{turn.at.date().isoformat()} " if turn.at else ""
            turns[case.conversation.id, turn.id] = f"{day}{turn.speaker}: {turn.text}"
    return turns


STRATA: Sequence[tuple[int, int]] = ((1, 5), (6, 20), (21, 10_000))
"""Credited ranks that a human subset is drawn from in equal parts."""


def human_subset(chosen: Sequence[SupportCase], size: int) -> list[SupportCase]:
    """Choose contested cases for people to label: equal parts by rank, evenly spaced over the questions."""
    contested = [case for case in distinct(chosen) if case.arm == CONTESTED]
    contested.sort(key=lambda case: (case.place, case.id))
    strata = [[case for case in contested if low <= case.rank <= high] for low, high in STRATA]
    subset: list[SupportCase] = []
    for n, stratum in enumerate(strata):
        n_of_stratum = min(len(stratum), (size - len(subset)) // (len(strata) - n))
        places = (
            np.linspace(0, len(stratum) - 1, n_of_stratum).round().astype(int).tolist() if n_of_stratum else []
        )
        subset += [stratum[place] for place in dict.fromkeys(places)]
    return subset
