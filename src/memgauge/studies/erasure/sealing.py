"""The report as a folder for an auditor: pages, data, a statement with their digests, and a signature of that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.results import plain
from memgauge.runs.layers.ssh import fingerprint, principal, require_signers, sign_file, signer_key
from memgauge.runs.record.files import small, write_atomically
from memgauge.runs.record.seal import file_hash
from memgauge.show.exports import data_text
from memgauge.studies.erasure.kinds import ERASURE
from memgauge.studies.erasure.verdict import control_lost, finding_of, sentences
from memgauge.text.jsons import json_of
from memgauge.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from memgauge.studies.erasure.record import ErasureReport

DATA: Final = "erasure.json"
STATEMENT: Final = "statement.txt"
_FIRST: Final = "memgauge erasure statement 1"
_LARGEST: Final = 64 << 20
"""Bytes of a report's data."""


@dataclass(frozen=True)
class CheckedReport:
    """What checking a folder came to."""

    problems: tuple[str, ...]
    """Where something contradicts."""
    notes: tuple[str, ...]
    """What could not be checked."""
    key: str = ""
    """Fingerprint of the key that signed; empty where nobody did."""
    signer: str = ""
    """Whom the reader's file of allowed signers knows by that key."""


def seal(report: ErasureReport, pages: Mapping[str, str], folder: Path, key: Path | None) -> tuple[Path, ...]:
    """Write a report with its *pages* by name, state their digests, and sign the statement where a key is named.

    Raises:
        ConfigError: The key does not exist, or cannot sign.
    """
    named = fingerprint(key) if key is not None else ""
    folder.mkdir(parents=True, exist_ok=True)
    for old in (STATEMENT, f"{STATEMENT}.sig"):
        (folder / old).unlink(missing_ok=True)
    for name, text in {DATA: data_text(plain(ERASURE.of(report))), **pages}.items():
        write_atomically(folder / name, text)
    about = {**_about(report), **({"key": f"SHA256:{named}"} if named else {})}
    digests = {name: file_hash(folder / name) for name in (DATA, *pages)}
    lines = (_FIRST, *(f"{name}: {value}" for name, value in {**about, **digests}.items()))
    statement = folder / STATEMENT
    write_atomically(statement, "".join(f"{line}\n" for line in lines))
    written = [*(folder / name for name in digests), statement]
    return (*written, sign_file(statement, key)) if key is not None else tuple(written)


def check(
    folder: Path, drawn: Callable[[ErasureReport], Mapping[str, str]], signers: Path | None
) -> CheckedReport:
    """Check a folder: digests, signature, the finding from the rows, and the pages from the data.

    Raises:
        DataNotFoundError: There is no statement, or no data.
        MalformedDataError: The data is no report.
        ConfigError: There is no such file of allowed signers.
    """
    require_signers(signers)
    for name in (STATEMENT, DATA):
        if not (folder / name).is_file():
            raise DataNotFoundError(
                f"{folder} holds no {name}.", "Name the folder of `study erasure report --out`."
            )
    signed = small(folder / STATEMENT)
    stated = _stated(folder, signed)
    problems, notes = list(_differing(folder, stated)), list[str]()
    if not problems:
        report = ERASURE.read(json_of(small(folder / DATA, _LARGEST)), str(folder / DATA))
        problems += _contradictions(report, stated)
        if report.made_by == __version__:
            shown = (name for name, text in drawn(report).items() if _text(folder / name) != text)
            problems += [f"{name} does not say what {DATA} says" for name in shown]
        else:
            notes.append(f"Version {report.made_by} drew the pages; {__version__} does not draw them again.")
    key, signer = "", ""
    signature = folder / f"{STATEMENT}.sig"
    if signature.is_file():
        key, problem = signer_key(signature, signed)
        signer = principal(signature, signed, signers) if key else ""
        problems += [problem] if problem else []
    return CheckedReport(tuple(problems), tuple(notes), key, signer)


def _about(report: ErasureReport) -> dict[str, str]:
    return {
        "system": report.system.ref,
        "subject": report.subject.scope,
        "finding": str(report.finding),
        "made by": f"memgauge {report.made_by}",
    }


def _stated(folder: Path, signed: bytes) -> Mapping[str, str]:
    first, *lines = signed.decode("utf-8", "replace").splitlines() or [""]
    if first != _FIRST:
        raise MalformedDataError(f"{folder / STATEMENT} is no statement of an erasure report.", "Make it again.")
    return dict(line.partition(": ")[::2] for line in lines)


def _differing(folder: Path, stated: Mapping[str, str]) -> Iterator[str]:
    names = {name for name in stated if name.startswith("erasure.")}
    if DATA not in names:
        yield f"the statement does not name {DATA}"
    for name in sorted(names):
        path = folder / name
        if not path.is_file() or file_hash(path) != stated[name]:
            yield f"{name} is not the file that was stated"


def _contradictions(report: ErasureReport, stated: Mapping[str, str]) -> Iterator[str]:
    for name, value in _about(report).items():
        if stated.get(name) != value:
            yield f"the statement and {DATA} differ in {name}"
    if finding_of(report) is not report.finding:
        yield f"the rows say “{finding_of(report)}”, the report “{report.finding}”"
    if sentences(report) != report.sentences:
        yield "its sentences do not follow from its rows"
    for control in report.controls:
        if control_lost(report.surfaces, control.whose) != (control.values, control.lost):
            yield f"what {control.whose} lost does not follow from the rows"


def _text(path: Path) -> str:
    return path.read_text("utf-8") if path.is_file() else ""
