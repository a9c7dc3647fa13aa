"""`memgauge results measures`: everything that can be measured."""

from __future__ import annotations

from memgauge.frame.output import SHOWN, Output, present


def measures(*, output: Output = SHOWN) -> int:
    """List every measure: what it is, what it is read from, which values are better, and who defined it.

    Example: memgauge results measures --tables
    """
    from memgauge.report.measures import document

    return present(document(), output, name="measures")
