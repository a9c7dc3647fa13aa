"""Replies of models that were cut off: counted, and too many of them leave no mean."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memgauge.llm.judges.rubrics import Grade
from memgauge.llm.messages import Finish

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.runs.record.rows import Row
    from memgauge.scoring.board import Score

CUT_MOST = 0.02
"""The share of cut-off replies above which no mean is given: long replies are no random part of all."""
CUT_ANSWER = "answer cut off"


def is_cut(answer: Row) -> bool:
    """Whether an answer is none because the model's reply was cut off."""
    return str(answer.get("reason") or "").endswith(f"ended as {Finish.LENGTH}")


def why_no_mean(answers: Sequence[Row], verdicts: Sequence[Row] = ()) -> str:
    """Say that too many replies were cut off, of the model that answered or of those that judged; or nothing."""
    votes = [vote["grade"] for row in verdicts for vote in row["votes"]]
    for who, cut, asked in (
        ("the model that answers", sum(map(is_cut, answers)), len(answers)),
        ("judges", votes.count(Grade.CUT), len(votes)),
    ):
        if cut > CUT_MOST * asked:
            return (
                f"{cut:,} of {asked:,} replies of {who} were cut off, more than {CUT_MOST:.0%}: "
                "let the model write more, by --max-tokens"
            )
    return ""


def without_mean(score: Score, reason: str) -> Score:
    """Take value and ends from a score, and say why; its ledger stays."""
    return replace(
        score,
        value=None,
        low=None,
        high=None,
        question_low=None,
        question_high=None,
        se=None,
        df=None,
        reason=reason,
    )
