"""`memgauge study track doctor`: prove from inside that the sandbox holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.frame.exits import FAILED, OK
from memgauge.frame.output import PLAIN, Printing, present, told
from memgauge.show import CheckOutcome, CountedCheck
from memgauge.studies.track.sandbox.choose import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.studies.track.sandbox.doctor import Diagnosis


def doctor(*, sandbox: Kind = "auto", shown: Printing = PLAIN) -> int:
    """Plant a canary and prove from inside the sandbox that it cannot be reached; exit with 1 where it can.

    Out of reach must be answers, future events, environment variables, files
    of this machine, and the network. Limits must hold, nothing may outlive a
    call, and Git must work.

    Example: memgauge study track doctor

    Parameters
    ----------
    sandbox
        Which one; auto takes the strongest that works here, as a run does.
    """
    from dataclasses import asdict

    from memgauge.studies.track.sandbox.choose import WARNING
    from memgauge.studies.track.sandbox.doctor import examine

    diagnosis = examine(sandbox)
    warning = (WARNING,) if diagnosis.kind == "none" else ()
    data = {**asdict(diagnosis), "healthy": diagnosis.healthy}
    document = told(data, *warning, *_lines(diagnosis), checks=_counted(diagnosis))
    return present(document, shown, name="doctor", code=OK if diagnosis.healthy else FAILED)


def _counted(diagnosis: Diagnosis) -> Iterator[CountedCheck]:
    for check in diagnosis.checks:
        outcome = CheckOutcome.PASS if check.ok else CheckOutcome.FAIL
        yield CountedCheck("sandbox", diagnosis.kind, check.name, outcome, "" if check.ok else check.found)


def _lines(diagnosis: Diagnosis) -> Iterator[str]:
    yield f"{diagnosis.kind}, started by {diagnosis.user}"
    for check in diagnosis.checks:
        yield f"  {'holds ' if check.ok else 'BROKEN'}  {check.name}"
        if not check.ok and check.found:
            yield f"          {check.found}"
    broken_count = sum(not check.ok for check in diagnosis.checks)
    yield f"{len(diagnosis.checks) - broken_count} of {len(diagnosis.checks)} checks hold"
