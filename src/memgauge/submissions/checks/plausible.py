"""S12: what is hardly to be believed is asked about; it keeps nothing out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from memgauge.runs.record.store import load
from memgauge.submissions.checks.rulings import ask
from memgauge.submissions.layout import ENVIRONMENT, SHEET
from memgauge.text.jsons import json_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memgauge.runs.record.store import Run
    from memgauge.submissions.checks.rulings import CheckFinding
    from memgauge.submissions.checks.subject import Subject

FASTEST_MS: Final = 0.001
"""A search that takes less was not made: a call alone takes more."""
SHARE: Final = 0.95
_SHOWN: Final = 80
"""Characters of what a run says that a question repeats."""


def questions_to_ask(subject: Subject) -> Iterator[CheckFinding]:
    """S12: rows of another's, no time, hits in the order of the data, plays that were none."""
    others = _contents(subject)
    for number, (bundle, run) in enumerate(subject.runs):
        if owner := others.get(run.seal.content) or others.get(bundle.named.sha256):
            yield ask(
                SHEET,
                f"{bundle.file} holds the rows of {owner}.",
                "How do two systems return the same?",
                f"runs.{number}",
            )
        ms = run.questions["ms"]
        known = ms[~np.isnan(ms)]
        if len(known) and float(np.median(known)) < FASTEST_MS:
            yield ask(
                bundle.file, f"half of its searches take less than {FASTEST_MS:g} ms.", "What was timed?", "ms"
            )
        for what, remedy in (*_of_rankings(run), *_of_circumstances(run)):
            yield ask(bundle.file, what, remedy)


def _contents(subject: Subject) -> Mapping[str, str]:
    """Say whose the digests of rows and bundles are that submissions of other products name."""
    owners: dict[str, str] = {}
    for folder in subject.others:
        if folder.id == subject.sheet.supersedes or folder.product == subject.sheet.product:
            continue
        owners |= {run.sha256: folder.id for run in folder.sheet.runs}
        if folder.has(ENVIRONMENT):
            data: Any = json_file(folder.file(ENVIRONMENT))
            owners |= {
                str(run.get("content", "")): folder.id for run in data.get("runs", ()) if isinstance(run, dict)
            }
    return owners


def _of_circumstances(run: Run) -> Iterator[tuple[str, str]]:
    """Name what a run says of itself and no number shows."""
    isolation, conformance = run.manifest.isolation, run.manifest.conformance
    if isolation.evidence:
        yield f"it was told evidence: {isolation.evidence[:_SHOWN]}.", "Is it a ceiling, and no product?"
    if conformance.failed:
        yield f"it does not keep the protocol: {conformance.failed[0][:_SHOWN]}", "What do its rows show then?"


def _of_rankings(run: Run) -> Iterator[tuple[str, str]]:
    hits = load(run.folder, altered=True).hits
    question, memory = hits["question"], hits["memory"]
    if len(question) < 2:
        return
    same = question[1:] == question[:-1]
    steps = (memory[1:] > memory[:-1])[same]
    if len(steps) and run.manifest.system.capabilities.get("role", "system") == "system":
        if float(steps.mean()) > SHARE:
            yield "its hits stand in the order in which they were stored.", "Is anything ranked?"
        elif float(steps.mean()) < 1 - SHARE:
            yield "its hits stand in the reverse of the order in which they were stored.", "Is anything ranked?"
