"""S5 and S6: bundles verify, and hold every question of their dataset once."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memgauge.records import Outcome, Verdict
from memgauge.scoring.score import FOLDER as SCORES
from memgauge.scoring.score import score_name
from memgauge.scoring.verification import Assurance
from memgauge.scoring.verify import VerificationRequest, verify
from memgauge.submissions.checks.grades import every_grade_once, grades_that_follow
from memgauge.submissions.checks.rulings import ask, cannot, refuse
from memgauge.submissions.layout import SHEET
from memgauge.submissions.repository import settings_of
from memgauge.submissions.rows.reading import CHECKSUMS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.runs.record.store import Run
    from memgauge.submissions.checks.rulings import CheckFinding
    from memgauge.submissions.checks.subject import OpenedBundle, Subject


def bundles_that_verify(subject: Subject) -> Iterator[CheckFinding]:
    """S5: seals hold, tables follow from journals, scores from rows, and hashes of texts from the dataset."""
    for bundle, run in subject.runs:
        checked = verify(run.folder, VerificationRequest(Assurance.RECOMPUTED))
        for finding in checked:
            if finding.verdict is Verdict.FAIL:
                yield refuse(
                    bundle.file,
                    f"{finding.subject}: {finding.detail or 'does not hold'}.",
                    "Pack the run as it was sealed.",
                )
            elif finding.verdict is Verdict.UNSUPPORTED and finding.subject == CHECKSUMS:
                yield ask(bundle.file, f"{finding.subject}: {finding.detail}.", "A new run has them.")
            elif finding.verdict is Verdict.UNSUPPORTED:
                yield cannot(
                    bundle.file,
                    f"{finding.subject}: {finding.detail}.",
                    "Check it where the data are, or run it again.",
                )
        yield from _scored(subject, bundle, run)
    yield from grades_that_follow(subject)


def _scored(subject: Subject, bundle: OpenedBundle, run: Run) -> Iterator[CheckFinding]:
    """Refuse a bundle without the scores of its contract, which are what recomputing compares with."""
    contract = subject.repository.contracts.get(subject.sheet.contract)
    if contract is not None and not (run.folder / SCORES / score_name(settings_of(contract))).is_file():
        yield refuse(
            bundle.file,
            f"holds no scores under {contract.name}.",
            "Pack it with `memgauge results pack`, which scores it.",
        )


def questions_each_once(subject: Subject) -> Iterator[CheckFinding]:
    """S6: a run is of the dataset that the sheet says, and asked every question of it, once."""
    for number, (bundle, run) in enumerate(subject.runs):
        named, registered = bundle.named, subject.registered(bundle.named)
        data, place = run.manifest.dataset, f"runs.{number}"
        if (data.ref, run.manifest.conversations) != (
            named.dataset_ref,
            named.first,
        ) or not data.sha256.startswith(named.dataset_digest):
            yield refuse(
                SHEET,
                f"says {named.dataset}, and {bundle.file} is of {data.ref}@{data.sha256[:12]}.",
                "Name the dataset that was played.",
                f"{place}.dataset",
            )
            continue
        counted = Counter(run.questions["question"].tolist())
        errors = sum(not Outcome(outcome).valid for outcome in run.questions["outcome"].tolist())
        for field, says, holds in (("questions", named.questions, len(counted)), ("errors", named.errors, errors)):
            if says != holds:
                yield refuse(
                    SHEET,
                    f"says {says}, and {bundle.file} holds {holds}.",
                    "Write what the rows say.",
                    f"{place}.{field}",
                )
        twice = [question for question, times in counted.items() if times > 1]
        if twice:
            yield refuse(
                bundle.file,
                f"answers {len(twice)} questions twice, {twice[0]} first.",
                "Pack the run as it was made.",
            )
        if registered is not None and len(counted) != registered.questions:
            missing = registered.questions - len(counted)
            few = (
                f"{missing} of {registered.questions} questions missing"
                if missing > 0
                else f"{-missing} questions too many"
            )
            yield refuse(bundle.file, f"{few}.", "Run the whole dataset: nobody chooses their own questions.")
    yield from every_grade_once(subject)
