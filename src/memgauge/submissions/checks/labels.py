"""What a row is called follows from its runs: their label, or the product with their options, or with its lane."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.submissions.checks.rulings import refuse
from memgauge.submissions.layout import SHEET

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.submissions.checks.rulings import CheckFinding
    from memgauge.submissions.checks.subject import Subject

SCRIPTED = "scripted"
"""Says that stand-ins answered: that makes no row look better, so everybody may say it."""
_SHOWN = 60


def label_of_its_runs(subject: Subject) -> Iterator[CheckFinding]:
    """Refuse a label that nothing in the runs bears out: readers find rows by it, and quote it."""
    label, wanted = subject.sheet.label, sorted({run.label for _, run in subject.runs})
    if wanted == [label] or _says_product(subject, label):
        return
    shown = " or ".join(repr(each[:_SHOWN]) for each in (*wanted, subject.sheet.product))
    yield refuse(
        SHEET, f"is {label[:_SHOWN]!r}, and its runs are of {shown}.", "Call it as its runs are.", "label"
    )


def _says_product(subject: Subject, label: str) -> bool:
    """Whether a label is the product's name or title, alone, with options of all runs, or with its lane."""
    sheet, product = subject.sheet, subject.product
    names = {sheet.product} if product is None else {sheet.product, product.title}
    name, mark, rest = next(
        (parts for mark in (", ", ":") if (parts := label.partition(mark))[0] in names), (label, "", "")
    )
    if name not in names or (mark and not rest):
        return False
    if mark == ", ":
        lane = subject.repository.lanes.get(sheet.lane)
        return rest in {SCRIPTED, sheet.lane, *(() if lane is None else (lane.kind,))}
    options = set(rest.split(",")) if mark else set[str]()
    return all(options <= set(run.manifest.system.ref.partition(":")[2].split(",")) for _, run in subject.runs)
