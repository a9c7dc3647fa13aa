"""Streams with one thing changed, by which a memory shows that it does what it is said to do.

Each needs nothing but a conversation: no gold is known here.
"""

from memgauge.streams.compliance.asking import QUESTION_ORDER, SEARCH_BEFORE_WRITE
from memgauge.streams.compliance.forgetting import DELETION, ERASURE, RESET
from memgauge.streams.compliance.withholding import WITHHELD_SCOPE, WITHHELD_SPEAKER

COMPLIANCE = (
    DELETION,
    ERASURE,
    QUESTION_ORDER,
    RESET,
    SEARCH_BEFORE_WRITE,
    WITHHELD_SCOPE,
    WITHHELD_SPEAKER,
)

__all__ = ["COMPLIANCE"]
