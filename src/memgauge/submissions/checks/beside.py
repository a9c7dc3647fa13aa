"""What a submission is held against before anybody merges it: its last version, BM25, and the best without it.

Numbers are those of the scores in bundles, which check S5 has computed again for the submission; pairs are
compared question by question over conversations. Nothing is decided here: boards do that.
"""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING, Annotated, Any, Final

import numpy as np
from pydantic import StringConstraints

from memgauge.errors import MemgaugeError
from memgauge.scoring.score import ENDS, score_name
from memgauge.scoring.score import FOLDER as SCORES
from memgauge.stats.clusters import cluster_interval
from memgauge.submissions.repository import settings_of
from memgauge.submissions.sheets.base import SheetPart
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from memgauge.submissions.checks.subject import Subject
    from memgauge.submissions.repository import SubmissionFolder
    from memgauge.submissions.sheets.submission import SubmissionSheet, SubmittedRun

BASELINE: Final = "bm25"
_LARGEST: Final = 64 << 20
Short = Annotated[str, StringConstraints(max_length=300)]


class ReportedMeasure(SheetPart):
    """One measure of this submission, or of one that it is held against."""

    dataset: Short
    who: Short
    """This, the version before, a baseline, or the best."""
    submission: Short
    measure: Short
    value: float | None
    low: float | None
    high: float | None
    tied: bool | None
    """Whether the paired interval of the difference holds 0; ``None`` where nothing was paired, or k is seen."""
    ends: Short = ""
    """How lists end at k before the budget of the measure is full, where its score file says so."""


def measures_beside(subject: Subject) -> Iterator[ReportedMeasure]:
    """Yield every measure of a submission, and of those that it is held against, by dataset."""
    sheet, contract = subject.sheet, subject.repository.contracts.get(subject.sheet.contract)
    if contract is None:
        return
    name = score_name(settings_of(contract))
    for named in {run.dataset: run for run in sheet.runs}.values():
        bundle = next(opened for opened, _ in subject.runs if opened.named.dataset == named.dataset)
        own = _of_file(bundle.folder / SCORES / name) if bundle.folder else None
        if own is None:
            continue
        labels = _conversations(subject, named)
        yield from _measured("this", subject.submission.id, named, own, contract.measures)
        for who, folder, scores in _references(subject, named, name, contract.measures[0]):
            cut = any(_ends(each, contract.measures[0]) for each in (own, scores))
            tied = None if cut else _tied(own, scores, labels)
            yield from _measured(who, folder.id, named, scores, contract.measures, tied)


def _measured(
    who: str,
    submission: str,
    named: SubmittedRun,
    scores: Any,
    measures: tuple[str, ...],
    tied: bool | None = None,
) -> Iterator[ReportedMeasure]:
    for number, measure in enumerate(measures):
        cell = scores["scores"][measure]
        yield ReportedMeasure(
            dataset=named.dataset_ref,
            who=who,
            submission=submission,
            measure=measure,
            value=cell["value"],
            low=cell["low"],
            high=cell["high"],
            tied=None if number else tied,
            ends=_ends(scores, measure),
        )


def _ends(scores: Any, measure: str) -> str:
    """Say how lists end at k before the budget of a measure is full; empty where they do not."""
    short = (scores.get(ENDS) or {}).get(measure)
    return f"lists end at k={short['k']:.0f} before {short['before']:,.0f} tokens" if short else ""


def _references(
    subject: Subject, named: SubmittedRun, name: str, first: str
) -> Iterator[tuple[str, SubmissionFolder, Any]]:
    """Yield the version before, the baseline, and whoever has the highest value of the first measure."""
    scored = []
    for folder in subject.others:
        sheet = _sheet(folder)
        if sheet is None:
            continue
        own = subject.sheet
        alike = (sheet.lane, sheet.contract, sheet.division) == (own.lane, own.contract, own.division)
        if alike or sheet.product in {BASELINE, own.product}:
            run = next(
                (run for run in sheet.runs if (run.dataset, run.first) == (named.dataset, named.first)), None
            )
            scores = None if run is None else _packed(folder, run, name)
            if scores is not None:
                scored.append((folder, sheet, alike, scores))
    before = [row for row in scored if row[1].product == subject.sheet.product and row[2]]
    baseline = [row for row in scored if row[1].product == BASELINE != subject.sheet.product]
    best = max(
        (row for row in scored if row[2]), key=lambda row: row[3]["scores"][first]["value"] or 0, default=None
    )
    for who, row in (
        ("version before", max(before, key=lambda row: row[1].day, default=None)),
        (BASELINE, next(iter(baseline), None)),
        ("best", best),
    ):
        if row is not None:
            yield who, row[0], row[3]


def _sheet(folder: SubmissionFolder) -> SubmissionSheet | None:
    try:
        return folder.sheet
    except MemgaugeError:  # the check of files names it
        return None


def _packed(folder: SubmissionFolder, run: SubmittedRun, name: str) -> Any:
    """Read the scores in a bundle without opening the rest of it; ``None`` where there are none."""
    try:
        with zipfile.ZipFile(folder.bundle_of(run)) as archive:
            member = archive.getinfo(f"{SCORES}/{name}")
            return json_of(archive.read(member)) if member.file_size < _LARGEST else None
    except (MemgaugeError, OSError, KeyError, ValueError, zipfile.BadZipFile):
        return None


def _of_file(path: Path) -> Any:
    return json_of(path.read_bytes()) if path.is_file() else None


def _conversations(subject: Subject, named: SubmittedRun) -> Mapping[str, str]:
    """Say of which conversation every question is."""
    table = next(run.questions for opened, run in subject.runs if opened.named == named)
    return dict(zip(table["question"].tolist(), table["conversation"].tolist(), strict=True))


def _tied(own: Any, other: Any, labels: Mapping[str, str]) -> bool | None:
    """Whether the first measure differs by no more than chance, over conversations."""
    mine, theirs = own["questions"], other["questions"]
    pairs = [
        (mine[question][0] - theirs[question][0], labels[question])
        for question in mine
        if question in theirs and question in labels and None not in (mine[question][0], theirs[question][0])
    ]
    if not pairs:
        return None
    differences = np.array([difference for difference, _ in pairs])
    if not differences.any():
        return True
    interval = cluster_interval(differences, [label for _, label in pairs])
    return None if interval.low is None or interval.high is None else bool(interval.low <= 0 <= interval.high)
