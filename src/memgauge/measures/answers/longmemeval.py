"""What LongMemEval lets a judge tolerate, by the type of question, as data.

Source: Wu et al. 2025, appendix on the evaluation prompts; the wording is ours. Nothing of it can be scored
without a judge; whether the right reply is to decline follows from the id of the question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

ABSTENTION = "_abs"
"""What the id of a question ends with that must not be answered; its type says nothing about that."""
TOLERANCES: Mapping[str, str] = {
    "temporal-reasoning": "A number of days, weeks or months that is off by one is fine.",
    "knowledge-update": "Mentioning an earlier state is fine as long as the reply gives the newest as the answer.",
    "single-session-preference": (
        "The accepted answer describes what a good reply takes into account. CORRECT is a reply that uses what is "
        "known of the user as described; it need not name every point."
    ),
    "multi-session": "A reply that holds only a part of the accepted answer is INCORRECT.",
    "single-session-user": "A reply that holds only a part of the accepted answer is INCORRECT.",
    "single-session-assistant": "A reply that holds only a part of the accepted answer is INCORRECT.",
}
"""By type; other datasets have none."""


def must_abstain(question: str) -> bool:
    """Tell from the id of a question whether the right reply is to decline."""
    return question.endswith(ABSTENTION)
