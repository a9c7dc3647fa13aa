"""`memgauge study erasure report | check`: what a memory still holds of somebody, as a document for an auditor."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from cyclopts import App, Parameter

from memgauge.frame.console import working
from memgauge.frame.exits import FAILED, OK, PARTIAL, UNPROVEN
from memgauge.frame.numbers import DURATION, PAUSE, SEED
from memgauge.frame.options import Repeatable, SystemRef
from memgauge.frame.output import PLAIN, SHOWN, Format, Output, Printing, present, text_of, told
from memgauge.studies.erasure.plan import ErasureRequest
from memgauge.text.shell import typed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.studies.erasure.plan import ErasurePlan
    from memgauge.studies.erasure.record import ErasureReport

app = App(
    "erasure", help="What a memory still holds of somebody whom it was asked to forget, and what nobody saw."
)


@Parameter(name="*")
@dataclass(frozen=True)
class PeopleOptions:
    """Whose memories are looked for, where somebody real is asked about."""

    subject: str = ""
    """User who is in the store and shall be forgotten; texts of a person never stand in the report."""
    control: str = ""
    """Another user who is there, and must not lose anything; without one, that is not looked at."""
    tenant: str = "default"
    """Of both."""
    agent: str = ""
    """Of both, where a memory is of a user with an agent."""
    session: str = ""
    """Of both, where it is of one session."""
    texts: Path | None = None
    """File of texts to look for beside what is listed, one a line: a name, an address, what was deleted before."""


INVENTED: Final = PeopleOptions()


@app.command
def report(
    system: SystemRef,
    *,
    people: PeopleOptions = INVENTED,
    request: ErasureRequest = ErasureRequest.SCOPE,
    also: Annotated[tuple[Path, ...], Repeatable] = (),
    wait: Annotated[float, PAUSE] = 0.0,
    seed: Annotated[int, SEED] = 0,
    timeout: Annotated[float, DURATION] = 120.0,
    key: Path | None = None,
    output: Output = SHOWN,
) -> int:
    """Ask a memory to forget somebody, look before and after, and report what is left, where and when.

    Without --subject an invented person is planted, beside one who must survive, in a store made for this; the
    same is played once more with nobody asking, to show what the looks can see. With --subject the memories of
    somebody who is there are deleted for good. Exit with 1 where something is left or too much is gone, 3 where
    nothing was seen before the request either.

    Example: memgauge study erasure report qdrant --out erasure --key ~/.ssh/id_ed25519

    Parameters
    ----------
    system
        Memory system; of your own store with its path, such as mem0:path=/srv/memory, or a TOML
        file with `system` and `[parameters]` for a class of your own.
    request
        scope: erase the user in one call; memories: delete all that is listed by id; none: it was asked before.
    also
        File or folder to look through too: a backup, a server's log; repeat.
    wait
        Seconds to wait after the request for what is deleted later, before a further look.
    seed
        The same seed plants the same values.
    timeout
        Seconds that one call may take.
    key
        SSH key that signs the report in the folder of --out; without one, digests show changes but no origin.
    """
    from memgauge.studies.erasure.plan import ErasurePlan
    from memgauge.studies.erasure.show import erasure_document

    folder = output.out if output.out is not None and not output.out.suffix else None
    lines = () if people.texts is None else _lines(people.texts)
    _require(signed_into=folder, key=key, people=people, others=(people.control, *lines), also=also)
    _require_room(output)
    named = _named(people) | {"texts": lines}
    plan = ErasurePlan(system, request, **named, also=also, seed=seed, timeout_s=timeout, wait_s=wait)
    with working(f"auditing {system}"):
        made = _audited(plan)
    if folder is None:
        return present(erasure_document(made), output, name="erasure", code=_code(made))
    return _sealed_into(folder, made, key, Printing(format=output.format, json=output.json, plain=output.plain))


def _named(people: PeopleOptions) -> dict[str, Any]:
    """Say who shall be forgotten and who must survive, as a plan has it."""
    return {
        "user": people.subject,
        "control": people.control,
        "tenant": people.tenant,
        "agent": people.agent or None,
        "session": people.session or None,
    }


def _sealed_into(folder: Path, made: ErasureReport, key: Path | None, shown: Printing) -> int:
    """Write a report with its digests and signature, and show it."""
    from memgauge.studies.erasure.sealing import seal
    from memgauge.studies.erasure.show import erasure_document

    written = seal(made, pages_of(made), folder, None if key is None else key.expanduser())
    code = present(erasure_document(made), shown, name="erasure", code=_code(made))
    shown.tell(f"Written: {', '.join(path.name for path in written)} in {folder}")
    shown.tell(f"Next: memgauge study erasure check {typed(folder)}")
    return code


def _require(
    *,
    signed_into: Path | None,
    key: Path | None,
    people: PeopleOptions,
    others: tuple[str, ...],
    also: tuple[Path, ...],
) -> None:
    """Tell a mistake before anything is asked: what was deleted does not come back."""
    from memgauge.errors import ConfigError
    from memgauge.runs.layers.ssh import fingerprint

    if key is not None:
        if signed_into is None:
            raise ConfigError("A signature needs a folder to lie in.", "Say --out FOLDER.")
        fingerprint(key.expanduser())
    if any(others) and not people.subject:
        raise ConfigError("A control or texts are of somebody who is there.", "Name the user: --subject USER.")
    if people.subject and people.control == people.subject:
        raise ConfigError(f"The control {people.control} is who shall be forgotten.", "Name another --control.")
    for path in also:
        if not path.exists():
            raise ConfigError(f"There is no {path} to look through.", "Check --also.")


def _require_room(output: Output) -> None:
    """Refuse an --out that nothing can be written to, before somebody is forgotten without a report."""
    from tempfile import TemporaryFile

    if output.out is None:
        return
    folder = output.folder(output.out.parent)
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryFile(dir=folder):
        pass


def _audited(plan: ErasurePlan) -> ErasureReport:
    from memgauge.errors import ConfigError, SystemFault
    from memgauge.studies.erasure.auditing import audit

    try:
        return audit(plan)
    except SystemFault as fault:
        raise ConfigError(f"{plan.ref} could not be audited: {fault}.", "Try `memgauge systems check`.") from fault


def _code(made: ErasureReport) -> int:
    from memgauge.studies.erasure.record import ErasureFinding
    from memgauge.studies.erasure.verdict import is_bad, unseen

    if is_bad(made):
        return FAILED
    return OK if made.finding is ErasureFinding.NOTHING and not unseen(made) else PARTIAL


@app.command
def check(folder: Path, *, signers: Path | None = None, shown: Printing = PLAIN) -> int:
    """Check a report: its files, its signature, and that verdict and pages follow from its rows.

    Exit codes: 0 all holds, signed by somebody whom you allow; 1 something was changed; 4 nothing was changed as
    far as digests show, and nothing shows who made it.

    Example: memgauge study erasure check erasure --signers allowed_signers

    Parameters
    ----------
    folder
        Of `study erasure report --out`.
    signers
        Allowed signers, as SSH has them: one line each, name, key type, key.
    """
    from memgauge.studies.erasure.sealing import check as checked_report

    checked = checked_report(folder, pages_of, signers)
    code = FAILED if checked.problems else OK if checked.signer else UNPROVEN
    origin = (
        f"signed by {checked.signer}"
        if checked.signer
        else f"signed by a key that nobody here vouches for (SHA256:{checked.key.removeprefix('SHA256:')})"
        if checked.key
        else "not signed"
    )
    verdict = "changed" if checked.problems else "as it was stated"
    data = {
        "passed": code == OK,
        "exit": code,
        "problems": list(checked.problems),
        "notes": list(checked.notes),
        "key": checked.key,
        "signer": checked.signer,
    }
    lines = (f"{folder}: {verdict}, {origin}.", *(f"  {line}" for line in (*checked.problems, *checked.notes)))
    return present(told(data, *lines), shown, name="erasure-check", code=code)


def pages_of(made: ErasureReport) -> Mapping[str, str]:
    """Draw the pages of a report, by the names of their files."""
    from memgauge.studies.erasure.show import erasure_document

    document = erasure_document(made)
    return {"erasure.html": text_of(document, Format.HTML), "erasure.md": text_of(document, Format.MARKDOWN)}


def _lines(path: Path) -> tuple[str, ...]:
    from memgauge.errors import ConfigError
    from memgauge.studies.erasure.values import LEAST

    try:
        lines = tuple(line.strip() for line in path.read_text("utf-8").splitlines() if line.strip())
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"Cannot read {path}: {error}.", "Name a text file in UTF-8, one text a line."
        ) from error
    for number, line in enumerate(lines, 1):
        if len(line) < LEAST:
            raise ConfigError(f"{path}: text {number} has fewer than {LEAST} characters.", "It is met by chance.")
    return lines
