"""The operators, by the class of failures that they stand for; importing this registers them."""

from memgauge.studies.golden.breeding.operators import (
    finding,
    forgetting,
    hiding,
    identity,
    meaning,
    timing,
    writing,
)

__all__ = ["finding", "forgetting", "hiding", "identity", "meaning", "timing", "writing"]
