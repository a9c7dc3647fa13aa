"""Are the texts of memories those that were hashed, and, where they were left out, those of the dataset?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.records import Verdict
from memgauge.runs.record.lineage import digest
from memgauge.scoring.verification import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.runs.record.store import Run
    from memgauge.scoring.verify_dataset import DatasetAtHand


def text_findings(run: Run, data: DatasetAtHand | None) -> Iterator[Finding]:
    """Check memory texts against their hashes; where texts are left out, against the dataset's turns."""
    stored = run.texts()
    present = [(text, sha) for _, _, text, sha in stored if text is not None]
    wrong = sum(digest(text) != sha for text, sha in present)
    if present:
        verdict = Verdict.FAIL if wrong else Verdict.PASS
        yield Finding("memory texts", verdict, f"{len(present) - wrong} of {len(present)} match their hash")
    absent = [(conversation, form, sha) for conversation, form, text, sha in stored if text is None]
    if absent:
        yield _left_out(run, data, absent)


def _left_out(run: Run, data: DatasetAtHand | None, absent: list[tuple[str, str, str]]) -> Finding:
    subject = "memory texts left out"
    if data is None:
        detail = f"{len(absent)} cannot be checked without the dataset"
        return Finding(subject, Verdict.UNSUPPORTED, detail)
    turns = data.raw_digests(str(run.manifest.system.capabilities["unit"]))
    raw = [(conversation, sha) for conversation, form, sha in absent if form == "raw"]
    known = sum(pair in turns for pair in raw)
    return Finding(
        subject,
        Verdict.PASS if known == len(absent) else Verdict.UNSUPPORTED,
        f"{known} of {len(raw)} raw memories are turns of the dataset at hand, byte for byte; "
        f"{len(absent) - known} others cannot be checked",
    )
