"""Evidence by session: every turn stands for the session that it was said in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from memgauge.measures import Anchors, Descent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.datasets.base import Dataset
    from memgauge.records import EvidencePolicy
    from memgauge.runs.record.store import Run
    from memgauge.scoring.gold import GoldTable


def by_session(run: Run, gold: GoldTable, dataset: Dataset, policy: EvidencePolicy) -> tuple[Descent, Anchors]:
    """Number sessions, and say from which of them memories descend and which hold the evidence of a question.

    Where a dataset labels sessions itself (LongMemEval, HaluMem) these are the evidence, else those of its turns.
    """
    sessions: dict[tuple[str, str], int] = {}
    home: dict[tuple[str, str], int] = {}
    for case in dataset.cases():
        key = case.conversation.id
        for session in case.conversation.sessions:
            number = sessions.setdefault((key, session.id), len(sessions))
            home.update({(key, turn.id): number for turn in session.turns})
    pairs = []
    for place, (question, question_gold) in enumerate(zip(gold.questions, gold.golds, strict=True)):
        turns = question_gold.anchors(policy)
        named_sessions = [
            sessions[question.conversation, each]
            for each in question_gold.sessions
            if (question.conversation, each) in sessions
        ]
        question_sessions = named_sessions or [home[question.conversation, turn] for turn in turns]
        pairs += [(place, number) for number in dict.fromkeys(question_sessions)] if turns else []
    return descent_by(run, home), anchors_of(pairs)


def descent_by(run: Run, numbers: Mapping[tuple[str, str], int]) -> Descent:
    """Number what every memory descends from, each number once; *numbers* are by conversation and turn."""
    indptr, descent = [0], list[int]()
    for conversation, sources in zip(run.memories["conversation"], run.memories["sources"], strict=True):
        descent += dict.fromkeys(
            numbers[conversation, turn] for turn in sources if (conversation, turn) in numbers
        )
        indptr.append(len(descent))
    return Descent(np.array(indptr, dtype=np.int64), np.array(descent, dtype=np.int32))


def anchors_of(pairs: Sequence[tuple[int, int]]) -> Anchors:
    """Return anchors of pairs of a question and a number."""
    columns = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    return Anchors(np.ascontiguousarray(columns[:, 0]), np.ascontiguousarray(columns[:, 1]))
