"""Whether a published number may be set against a run of ours: by rule, from what both state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memgauge.submissions.claims.verdicts import ClaimFinding, ClaimVerdict
from memgauge.submissions.sheets.claim import NOT_STATED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.submissions.claims.ours import OwnRun
    from memgauge.submissions.sheets.claim import ClaimedNumber, ClaimSheet

COUNTED: Final = {
    "judged-answers": "answers that a judge accepted",
    "matched-answers": "answers that match by rule",
    "evidence-found": "evidence among what was returned",
    "rubric-score": "points of a rubric",
    "word-overlap": "words that answer and gold share",
    "other": "something else",
}
"""What a number counts, in words."""


def beside_run(sheet: ClaimSheet, number: ClaimedNumber, run: OwnRun) -> ClaimFinding:
    """Set a number against a run on the same dataset: compared where nothing hinders it, by the run's interval."""
    basis = f"our run {run.key}"
    reasons = tuple(hindrances(sheet, number, run))
    if reasons:
        return ClaimFinding(ClaimVerdict.NOT_COMPARABLE, basis, f"because {'; '.join(reasons)}")
    measured = run.scores[_measure(number, run)]
    low, high = measured.low, measured.high
    if low is None or high is None:
        return ClaimFinding(
            ClaimVerdict.NOT_COMPARABLE, basis, f"the run has no interval: {measured.reason}", measured
        )
    inside = low - number.rounding <= number.published <= high + number.rounding
    verdict = ClaimVerdict.AGREES if inside else ClaimVerdict.DIFFERS
    where = "inside" if inside else "outside"
    return ClaimFinding(verdict, basis, f"what is printed lies {where} the interval of the run", measured)


def hindrances(sheet: ClaimSheet, number: ClaimedNumber, run: OwnRun) -> Iterator[str]:
    """Yield everything that keeps a number and a run from being compared."""
    setting = sheet.setting_of(number)
    if number.counts != run.counts:
        yield f"it counts {COUNTED[number.counts]}, the run counts {COUNTED[run.counts]}"
    if setting.questions == NOT_STATED:
        yield "how many questions it counts is not stated"
    elif setting.questions != run.questions:
        yield f"it counts {setting.questions:,} questions, the run {run.questions:,}"
    if sheet.version == NOT_STATED:
        yield f"its version is not stated, that of the run is {run.version}"
    elif sheet.version != run.version:
        yield f"its version is {sheet.version}, that of the run {run.version}"
    if number.counts == run.counts and not _measure(number, run):
        yield f"its measure is {number.measure}, and the run has none that is called so"
    if number.counts == run.counts and setting.k == NOT_STATED:
        yield "its k is not stated"
    if number.counts == "judged-answers" and NOT_STATED in {setting.judge, setting.answerer}:
        yield "its judge or its answering model is not stated"


def _measure(number: ClaimedNumber, run: OwnRun) -> str:
    """Return what the run calls the measure of a number, by its name; empty where it has none."""
    return next((name for name in run.scores if name.casefold() == number.measure.casefold()), "")
