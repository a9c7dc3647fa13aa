"""`memgauge runs verify`: check runs, and say in words and exit codes what that shows."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App

from memgauge.errors import RunError
from memgauge.frame.choosing import finished
from memgauge.frame.console import working
from memgauge.frame.exits import FAILED, OK, PARTIAL, UNPROVEN
from memgauge.frame.options import RUNS, Flag
from memgauge.frame.output import PLAIN, Printing, present, told
from memgauge.show import CheckOutcome, CountedCheck

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.scoring.verification import Assurance, Verification
    from memgauge.scoring.verify import VerificationRequest

_SEVERITY = (OK, UNPROVEN, PARTIAL, FAILED)
_UNSEALED = "it has no seal, so that nothing of it could be checked"
_LEVELS = (
    "Consistent: files, checksums, manifest, tables, rows, texts and layers agree with the seal and each other.\n"
    "Recomputed: every score file follows from the rows and the dataset at hand.\n"
    "Repeated: a deterministic system of ours was played again and gave the same; done without being asked "
    "where it takes less than half a minute.\n"
    "Signed by NAME: somebody among your allowed signers signed the run as it is.\n"
    "Partial: something could not be checked. Failed: something contradicts.\n\n"
    "Exit codes: 0 all that was asked for holds: without --level, that a run was repeated, or is signed by "
    "somebody whom you allow; 1 something failed; 2 wrong use; 3 something could not be checked; 4 nothing is "
    "wrong, and nothing shows where the run comes from."
)

app = App("verify", help="Check runs or bundles, and say what that shows.", help_epilogue=_LEVELS)


@app.default
def verify(
    *paths: Path,
    level: Literal["consistent", "recomputed"] | None = None,
    repeat: Annotated[bool, Flag] = False,
    signers: Path | None = None,
    details: Annotated[bool, Flag] = False,
    shown: Printing = PLAIN,
) -> int:
    """Check runs or bundles, and say what that shows: files, rows, scores, and where they come from.

    Example: memgauge runs verify runs --details

    Parameters
    ----------
    paths
        Run folders, folders of them, bundles, or patterns (`'*.zip'`); `runs` when none is named.
    level
        Ask for no more than this, and exit with 0 where it holds. Consistency is not origin.
    repeat
        Play all conversations again, however long it takes; systems of ours only.
    signers
        Allowed signers, as SSH has them: one line each, name, key type, key. One of them has to have signed.
    details
        Print every check, not only those that did not pass.
    """
    from memgauge.runs.record.bundle import unbundled
    from memgauge.runs.record.store import find_runs, matching
    from memgauge.scoring.verification import Assurance
    from memgauge.scoring.verify import Repeat, VerificationRequest
    from memgauge.scoring.verify import verify as verify_run

    asked = None if level is None else Assurance(level)
    how = Repeat(everything=repeat, seed=secrets.randbits(32))  # a forger must not know what a sample will hold
    wanted = VerificationRequest(Assurance.REPEATED if asked is None or repeat else asked, how, signers)
    bundles = [path for each in paths for path in matching(each) if path.is_file()]
    folders = [path for each in paths for path in matching(each) if not path.is_file()]
    readable, left = _readable(folders) if folders or not paths else ([], [])
    checked, broken = _verified(readable, wanted)
    for path in bundles:
        with unbundled(path) as folder, working(f"verifying {path}"):
            checked |= {str(path): verify_run(run, wanted) for run in find_runs((folder,))}
    codes = {name: _code(each, asked, repeat=repeat) for name, each in checked.items()}
    code = max([*codes.values(), *([PARTIAL] if left else []), *([FAILED] if broken else [])], key=_SEVERITY.index)
    runs = {name: each.data for name, each in checked.items()}
    data = {"passed": code == OK, "exit": code, "runs": runs, "left_out": list(map(str, left)), "broken": broken}
    lines = [line for name, each in checked.items() for line in _lines(name, each, details=details)]
    lines += [f"{name}: cannot be read. {why}" for name, why in broken.items()]
    counted = [check for name, each in checked.items() for check in _counted(name, each, codes[name])]
    counted += [CountedCheck("verify", str(run), "is sealed", CheckOutcome.ERROR, _UNSEALED) for run in left]
    counted += [
        CountedCheck("verify", name, "can be read", CheckOutcome.ERROR, why) for name, why in broken.items()
    ]
    return present(told(data, *lines, checks=counted), shown, name="verify", code=code)


def _verified(runs: Sequence[Path], wanted: VerificationRequest) -> tuple[dict[str, Verification], dict[str, str]]:
    """Verify runs, and say of those that cannot be read why; one that is alone says it itself."""
    from memgauge.scoring.verify import verify as verify_run

    checked: dict[str, Verification] = {}
    broken: dict[str, str] = {}
    for run in runs:
        try:
            with working(f"verifying {run}"):
                checked[str(run)] = verify_run(run, wanted)
        except RunError as error:
            if len(runs) == 1:
                raise
            broken[str(run)] = str(error)
    return checked, broken


def _readable(folders: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Find what can be verified, and what is not sealed; a run that is alone says itself how far it came."""
    from memgauge.runs.record.store import find_runs

    named = find_runs(folders or (RUNS,))
    if len(named) == 1:
        return named, []
    runs = finished(folders)
    return runs, [run for run in named if run not in runs]


def _code(checked: Verification, asked: Assurance | None, *, repeat: bool) -> int:
    """Choose the exit code of one run: 0 only where everything that was asked for holds."""
    from memgauge.scoring.verification import Assurance

    if checked.level is Assurance.FAILED:
        return FAILED
    short = asked is not None and checked.level.rank < asked.rank
    if checked.level is Assurance.PARTIAL or short or (repeat and checked.level is not Assurance.REPEATED):
        return PARTIAL
    return OK if checked.verified or asked is not None else UNPROVEN


def _counted(name: str, checked: Verification, code: int) -> Iterator[CountedCheck]:
    """Count every finding of a run, and whether all that was asked for holds."""
    for finding in checked.findings:
        ended = CheckOutcome.of(finding.verdict)
        yield CountedCheck("verify", name, finding.subject, ended, finding.detail, str(finding.reach))
    ended = CheckOutcome.PASS if code == OK else CheckOutcome.FAIL if code == FAILED else CheckOutcome.ERROR
    message = "" if code == OK else checked.sentence
    yield CountedCheck("verify", name, "all that was asked for holds", ended, message, f"exit {code}")


def _lines(name: str, checked: Verification, *, details: bool) -> Iterator[str]:
    from memgauge.records import Verdict

    yield f"{name}: {checked.sentence} ({len(checked.findings)} checks)"
    for finding in checked.findings:
        if details or finding.verdict is not Verdict.PASS:
            ended = "not done" if finding.verdict is Verdict.VACUOUS else finding.verdict
            yield f"  {ended:<11} {finding.subject}{': ' if finding.detail else ''}{finding.detail}"
