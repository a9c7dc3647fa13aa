"""An erasure report as checks: a value each that has to be gone, and each of a control's that has to stay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memgauge.show import CheckOutcome, CountedCheck
from memgauge.studies.erasure.record import ErasureFinding, Moment
from memgauge.studies.erasure.verdict import is_left

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.studies.erasure.record import ErasureReport

SUITE: Final = "erasure"


def checks(report: ErasureReport) -> Iterator[CountedCheck]:
    """Yield a check a value; where the looks show nothing, none of them passes."""
    group = f"{report.system.name} {report.system.version}"
    seen = _seen(report) if is_left(report) else {}
    shown = is_left(report) or report.finding in {ErasureFinding.NOTHING, ErasureFinding.TOO_MUCH}
    for value in report.subject.values:
        name = f"{value.label} is gone"
        if value.label in seen:
            message = f"seen after the request: {', '.join(seen[value.label])}"
            yield CountedCheck(SUITE, group, name, CheckOutcome.FAIL, message, "left")
        elif shown:
            yield CountedCheck(SUITE, group, name)
        else:
            yield CountedCheck(SUITE, group, name, CheckOutcome.SKIP, report.sentences[0])
    if report.finding is ErasureFinding.LISTED:
        name, message = "nothing of the subject is listed", report.sentences[0]
        yield CountedCheck(SUITE, group, name, CheckOutcome.FAIL, message, "left")
    for control in report.controls:
        for label in control.values:
            name = f"{label} of {control.whose} is kept"
            if label in control.lost:
                yield CountedCheck(SUITE, group, name, CheckOutcome.FAIL, "no longer returned", "lost")
            else:
                yield CountedCheck(SUITE, group, name)


def _seen(report: ErasureReport) -> dict[str, list[str]]:
    """Return where each value was seen after the request, by its label."""
    seen: dict[str, dict[str, None]] = {}
    rows = [
        *((row.surface, row.moment, row.values) for row in report.surfaces),
        *((row.file, row.moment, row.values) for row in report.residue),
    ]
    for where, moment, labels in rows:
        for label in labels if moment is not Moment.BEFORE else ():
            seen.setdefault(label, {})[f"{where} ({moment})"] = None
    return {label: list(where) for label, where in seen.items()}
