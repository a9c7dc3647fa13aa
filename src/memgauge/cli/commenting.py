"""`memgauge results comment`: what one build left of its checks, drawn by another that may post."""

from __future__ import annotations

from pathlib import Path

from memgauge.frame.output import SHOWN, Output, present


def comment(report: Path, /, *, output: Output = SHOWN) -> int:
    """Draw the report of a check, as the comment of a pull request.

    A report is what `memgauge results check --json` prints. It is read as a stranger's: bounded, held against its
    schema, and drawn so that it calls nobody and links nothing. Nothing else of the change is looked at.

    Example: memgauge results comment check.json --format markdown

    Parameters
    ----------
    report
        The file that the checks left.
    """
    from memgauge.submissions.checks.comment import comment as drawn
    from memgauge.submissions.checks.report import read_report

    return present(drawn(read_report(report)), output, name="comment")
