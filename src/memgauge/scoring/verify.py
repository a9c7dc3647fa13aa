"""Verification: is a run what its seal says, do its numbers follow from its rows, and where does it come from?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import MissingExtraError, RunError, UserError
from memgauge.records import Verdict
from memgauge.runs.layers.layer import FOLDER as LAYERS
from memgauge.runs.layers.layer import load_layer, progress, sealed
from memgauge.runs.layers.signing import FOLDER as SIGNATURES
from memgauge.runs.layers.signing import signatures
from memgauge.runs.record import journal, tables
from memgauge.runs.record.cost import FILE as COST
from memgauge.runs.record.cost import CostRecord
from memgauge.runs.record.database import connect
from memgauge.runs.record.files import small
from memgauge.runs.record.manifest import Manifest
from memgauge.runs.record.members import strangers
from memgauge.runs.record.seal import content_hashes
from memgauge.runs.record.seal import sealed as run_sealed
from memgauge.runs.record.store import load
from memgauge.scoring.repeat import Repeat, repeat
from memgauge.scoring.verification import Assurance, Finding, Reach, Verification, passed
from memgauge.scoring.verify_dataset import at_hand
from memgauge.scoring.verify_manifest import manifest_findings
from memgauge.scoring.verify_rows import checksums, rows
from memgauge.scoring.verify_scores import score_findings
from memgauge.scoring.verify_texts import text_findings
from memgauge.show.safety import name_line
from memgauge.text.parquet import TooMuchError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path

    from memgauge.datasets.base import Dataset
    from memgauge.runs.layers.signing import Signature
    from memgauge.runs.record.seal import ContentHashes
    from memgauge.runs.record.store import Run

__all__ = ["Assurance", "Finding", "Repeat", "Verification", "VerificationRequest", "passed", "verify"]
_SHOWN = 3
"""Files that are no file of a run, of which the names are told."""


@dataclass(frozen=True)
class VerificationRequest:
    """What verification is asked for."""

    level: Assurance = Assurance.REPEATED
    """Where to stop: ``consistent`` needs no dataset, ``recomputed`` plays nothing again."""
    repeat: Repeat = field(default_factory=Repeat)
    signers: Path | None = None
    """A file of allowed signers, as SSH has them; without it nobody is trusted."""


def verify(folder: Path, wanted: VerificationRequest = VerificationRequest()) -> Verification:
    """Check a sealed run: files, checksums, manifest, tables, rows, texts, layers, scores, and its origin.

    Raises:
        RunError: There is no sealed run; of an unfinished one the message says what is whole.
        MissingExtraError: Signatures are to be checked, and there is no ``ssh-keygen``.
    """
    if not run_sealed(folder):
        Manifest.read(folder)
        damaged, state = _unfinished(folder)
        raise RunError(
            f"{folder} is not sealed: the run is unfinished. {state}",
            "Restore it from a copy, or move its folder away; the same command then plays it anew."
            if damaged
            else "Run the same command again to finish it.",
        )
    run = load(folder, altered=True)
    findings = [*_files(run), *_strangers(run)]
    if not passed(findings):
        # The rest would be recomputed from files that are known to be wrong; layers have seals of their own.
        return Verification((*findings, *_layers(run)))
    findings += [checksums(run), *manifest_findings(run), *_tables(run), *_costs(run)]
    if passed(findings):
        findings += _contents(run, wanted)
    layers = list(_layers(run))
    checks = [*findings, *layers]
    trusted = _signatures(run, wanted.signers, checks)
    covered = {name for signature in trusted for name in signature.layers}
    unsigned = (finding.subject for finding in layers if finding.subject not in covered)
    return Verification(tuple(checks), tuple(each.principal for each in trusted), tuple(unsigned))


def _contents(run: Run, wanted: VerificationRequest) -> Iterator[Finding]:
    """Hold rows, texts and scores against each other and the dataset, and play again what can be."""
    opened = None if wanted.level is Assurance.CONSISTENT else _dataset(run)
    if isinstance(opened, Finding):
        yield opened
    data = None if opened is None or isinstance(opened, Finding) else at_hand(opened)
    findings = [*rows(run, data), *text_findings(run, data)]
    if wanted.level is not Assurance.CONSISTENT:
        findings += score_findings(run, data)
    yield from findings
    if data is not None and wanted.level is Assurance.REPEATED and passed(findings):
        yield repeat(run, data.dataset, wanted.repeat)


def _signatures(run: Run, allowed: Path | None, findings: list[Finding]) -> list[Signature]:
    """Check every signature, add what was found, and return those that hold, of signers whom the reader trusts."""
    try:
        checked = signatures(run, allowed)
    except MissingExtraError as error:
        if allowed is not None:
            raise
        findings.append(Finding(SIGNATURES, Verdict.UNSUPPORTED, str(error), Reach.SIGNED))
        return []
    findings += [_signature(each, allowed) for each in checked]
    trusted = [each for each in checked if each.principal and not each.problem]
    if allowed is not None and not trusted:
        findings.append(Finding("signers", Verdict.FAIL, f"nobody in {allowed} signed this run", Reach.SIGNED))
    return trusted


def _signature(checked: Signature, allowed: Path | None) -> Finding:
    subject = f"{SIGNATURES}/{checked.name}"
    if checked.problem:
        return Finding(subject, Verdict.FAIL, checked.problem, Reach.SIGNED)
    if checked.principal:
        detail = f"signed by {checked.principal}, {checked.key}"
        return Finding(subject, Verdict.PASS, detail, Reach.SIGNED)
    whose = "whose it is, --signers can say" if allowed is None else "none of the allowed signers has it"
    return Finding(subject, Verdict.VACUOUS, f"signed with the key {checked.key}; {whose}", Reach.SIGNED)


def _unfinished(folder: Path) -> tuple[bool, str]:
    """Say whether an unfinished run is damaged, and what of it is intact."""
    path = folder / journal.FILE
    if not path.is_file():
        return False, "Nothing was written yet."
    state = journal.survey(path)
    whole = f"{len(state.finished)} conversations are whole in its journal"
    return (True, f"{whole}, up to {state.damage}.") if state.damage else (False, f"{whole}.")


def _files(run: Run) -> Iterator[Finding]:
    altered = run.seal.altered(run.folder)
    for name in run.seal.files:
        if name not in altered:
            yield Finding(name, Verdict.PASS, "as sealed")
        elif (run.folder / name).is_file():
            yield Finding(name, Verdict.FAIL, "changed after sealing")
        else:
            yield Finding(name, Verdict.FAIL, "missing")


def _strangers(run: Run) -> Iterator[Finding]:
    """Name what lies in the folder and is no file of a run: no number follows from it."""
    if others := strangers(run.folder):
        shown = ", ".join(map(name_line, others[:_SHOWN])) + (", …" if len(others) > _SHOWN else "")
        what = "is no file of a run" if len(others) == 1 else f"are no files of a run ({len(others)})"
        yield Finding("other files", Verdict.VACUOUS, f"{shown} {what}, and go into no bundle")


def _tables(run: Run) -> Iterator[Finding]:
    """Rebuild every table from the journal, and hash what the Parquet files hold, with clocks and without."""
    rebuilt = yield from _hashed("tables against the journal", run, lambda: _rebuilt(run))
    stored = yield from _hashed("tables against the seal", run, lambda: _stored(run, rebuilt))
    if rebuilt and stored:
        good = rebuilt.clocked == stored.clocked
        detail = "" if good else "times, notes or reasons are not those of the journal"
        yield Finding("clock readings and notes", Verdict.PASS if good else Verdict.FAIL, detail)


def _hashed(
    subject: str, run: Run, read: Callable[[], ContentHashes]
) -> Generator[Finding, None, ContentHashes | None]:
    """Hold what tables hold against the seal, and return their hashes; none of what cannot be read."""
    import duckdb

    try:
        hashes = read()
    except (duckdb.Error, UnicodeDecodeError, TooMuchError) as error:
        yield Finding(subject, Verdict.FAIL, str(error).partition("\n")[0])
        return None
    good = hashes.content == run.seal.content
    detail = "" if good else f"content is {hashes.content[:12]}"
    yield Finding(subject, Verdict.PASS if good else Verdict.FAIL, detail)
    return hashes


def _costs(run: Run) -> Iterator[Finding]:
    """Hold what a run says that it cost against its journal; one of an earlier version says nothing."""
    subject, path = f"{COST} against the journal", run.folder / COST
    try:
        derived = CostRecord.of(run.folder)
    except RunError as error:
        yield Finding(subject, Verdict.FAIL, error.what)
        return
    written = small(path).decode("utf-8", "replace") if path.is_file() else None
    if derived is None and written is None:
        return
    if derived is None:
        yield Finding(subject, Verdict.FAIL, "the journal says nothing of costs")
    elif written is None or COST not in run.seal.files:
        yield Finding(subject, Verdict.FAIL, "it is missing, or was not sealed with the run")
    else:
        same = written == derived.text
        yield Finding(subject, Verdict.PASS if same else Verdict.FAIL, "" if same else "its amounts are others")


def _rebuilt(run: Run) -> ContentHashes:
    with connect() as db:
        tables.build(db, run.folder / journal.FILE)
        return content_hashes(db)


def _stored(run: Run, rebuilt: ContentHashes | None) -> ContentHashes:
    with connect() as db:
        for table in tables.ORDERS:
            tables.view(db, table, run.folder / f"{table}.parquet")
        return content_hashes(db, rebuilt)


def _layers(run: Run) -> Iterator[Finding]:
    """Check that every layer is as it was sealed and stands on what it names."""
    folders = sorted((run.folder / LAYERS).iterdir()) if (run.folder / LAYERS).is_dir() else []
    known = {run.seal.content}
    for folder in folders:  # answers sort before the verdicts that stand on them
        subject = f"{LAYERS}/{folder.name}"
        try:
            if not sealed(folder):
                unfinished = f"unfinished: {progress(folder)}; the command that began it goes on"
                yield Finding(subject, Verdict.UNSUPPORTED, unfinished)
                continue
            layer = load_layer(folder)
        except RunError as error:
            yield Finding(subject, Verdict.FAIL, error.what)
            continue
        known.add(layer.hash)
        stands = layer.manifest.base in known
        named = layer.manifest.id == folder.name
        wrong = "" if stands and named else "stands on something else" if named else "its maker was changed"
        yield Finding(subject, Verdict.FAIL if wrong else Verdict.PASS, wrong)


def _dataset(run: Run) -> Dataset | Finding:
    """Open the dataset of a run, or say why nothing can be checked against it."""
    wanted = run.manifest.dataset
    subject = f"dataset {wanted.ref}"
    try:
        dataset = open_dataset(wanted.ref, allow_unpinned=True)
    except UserError as error:
        return Finding(subject, Verdict.UNSUPPORTED, f"not at hand: {error.what}", Reach.RECOMPUTED)
    identity = dataset.identity
    if identity.sha256 != wanted.sha256 or dict(identity.options) != wanted.options:
        detail = f"the one at hand is {identity.sha256[:12]}, the run was made on {wanted.sha256[:12]}"
        return Finding(subject, Verdict.UNSUPPORTED, detail, Reach.RECOMPUTED)
    return dataset
