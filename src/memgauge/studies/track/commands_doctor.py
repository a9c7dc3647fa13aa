"""`memgauge study track doctor`: prove from inside that the sandbox holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.frame.console import emit, say
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.options import AsData
from memgauge.studies.track.sandbox.choose import Kind

if TYPE_CHECKING:
    from memgauge.studies.track.sandbox.doctor import Diagnosis


def doctor(*, sandbox: Kind = "auto", json: AsData = False) -> int:
    """Plant a canary and prove from inside the sandbox that it cannot be reached; exit with 1 where it can.

    Out of reach must be answers, future events, environment variables, files
    of this machine, and the network. Limits must hold, nothing may outlive a
    call, and Git must work.

    Example: memgauge study track doctor

    Parameters
    ----------
    sandbox
        Which one; auto takes the strongest that works here, as a run does.
    json
        Print data instead of lines.
    """
    from dataclasses import asdict

    from memgauge.studies.track.sandbox.choose import WARNING
    from memgauge.studies.track.sandbox.doctor import examine

    diagnosis = examine(sandbox)
    if json:
        emit({**asdict(diagnosis), "healthy": diagnosis.healthy})
    else:
        if diagnosis.kind == "none":
            say(WARNING)
        _print(diagnosis)
    return OK if diagnosis.healthy else FAILED


def _print(diagnosis: Diagnosis) -> None:
    say(f"{diagnosis.kind}, started by {diagnosis.user}")
    for check in diagnosis.checks:
        say(f"  {'holds ' if check.ok else 'BROKEN'}  {check.name}")
        if not check.ok and check.found:
            say(f"          {check.found}")
    broken = sum(not check.ok for check in diagnosis.checks)
    say(f"{len(diagnosis.checks) - broken} of {len(diagnosis.checks)} checks hold")
