"""Verification: is a run what its seal says, and do its numbers follow from its rows?"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import RunError, UserError
from memgauge.records import Contract, Verdict
from memgauge.runs import journal, tables
from memgauge.runs.layers import FOLDER as LAYERS
from memgauge.runs.layers import load_layer, progress, sealed
from memgauge.runs.lineage import digest
from memgauge.runs.manifest import Manifest
from memgauge.runs.seal import connect, content_hash, file_hash
from memgauge.runs.seal import sealed as run_sealed
from memgauge.runs.store import load
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.score import FOLDER, Settings, score_file, score_name, score_text
from memgauge.streams import Write, clean, in_units
from memgauge.text.untrusted import json_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from memgauge.datasets.base import Dataset
    from memgauge.runs.store import Run


@dataclass(frozen=True)
class Finding:
    """What was found about one file or one claim."""

    subject: str
    verdict: Verdict
    """``pass``, ``fail``, or ``unsupported`` where it could not be checked."""
    detail: str = ""


def verify(folder: Path) -> list[Finding]:
    """Check the files, the tables, the texts and every score of a sealed run.

    Raises:
        RunError: There is no sealed run; of an unfinished one the message says what is whole.
    """
    if not run_sealed(folder):
        Manifest.read(folder)
        raise RunError(
            f"{folder} is not sealed: the run is unfinished. {_unfinished(folder)}",
            "Run the same command again to finish it.",
        )
    run = load(folder)
    findings = list(_files(run))
    if any(finding.verdict is Verdict.FAIL for finding in findings):
        # The rest would be recomputed from files that are known to be wrong; layers have seals of their own.
        return findings + list(_layers(run))
    findings += _tables(run)
    findings += _texts(run)
    findings += _scores(run)
    findings += _layers(run)
    return findings


def _unfinished(folder: Path) -> str:
    """Say what of an unfinished run is intact."""
    path = folder / journal.FILE
    if not path.is_file():
        return "Nothing was written yet."
    kept = journal.survey(path)
    whole = f"{len(kept.finished)} conversations are whole in its journal"
    return f"{whole}, up to {kept.damage}." if kept.damage else f"{whole}."


def passed(findings: list[Finding]) -> bool:
    """Whether nothing failed."""
    return all(finding.verdict is not Verdict.FAIL for finding in findings)


def _files(run: Run) -> Iterator[Finding]:
    for name, expected in run.seal.files.items():
        path = run.folder / name
        if not path.is_file():
            yield Finding(name, Verdict.FAIL, "missing")
        elif file_hash(path) != expected:
            yield Finding(name, Verdict.FAIL, "changed after sealing")
        else:
            yield Finding(name, Verdict.PASS, "as sealed")


def _tables(run: Run) -> Iterator[Finding]:
    """Rebuild every table from the journal, and hash what the Parquet files hold."""
    import duckdb

    for subject, find in (("tables against the journal", _rebuilt), ("tables against the seal", _stored)):
        try:
            found = find(run)
        except (duckdb.Error, UnicodeDecodeError) as error:
            yield Finding(subject, Verdict.FAIL, str(error).partition("\n")[0])
            continue
        good = found == run.seal.content
        yield Finding(subject, Verdict.PASS if good else Verdict.FAIL, "" if good else f"content is {found[:12]}")


def _rebuilt(run: Run) -> str:
    with connect() as db:
        tables.build(db, run.folder / journal.FILE)
        return content_hash(db)


def _stored(run: Run) -> str:
    with connect() as db:
        for table in tables.ORDERS:
            tables.view(db, table, run.folder / f"{table}.parquet")
        return content_hash(db)


def _texts(run: Run) -> Iterator[Finding]:
    """Check memory texts against their hashes; where texts are left out, against the dataset's turns."""
    rows = run.texts()
    present = [(text, sha) for _, _, text, sha in rows if text is not None]
    wrong = sum(digest(text) != sha for text, sha in present)
    if present:
        verdict = Verdict.FAIL if wrong else Verdict.PASS
        yield Finding("memory texts", verdict, f"{len(present) - wrong} of {len(present)} match their hash")
    absent = [row for row in rows if row[2] is None]
    if not absent:
        return
    dataset = _dataset(run)
    if isinstance(dataset, Finding):
        yield dataset
        return
    turns = _raw_digests(run, dataset)
    raw = [(conversation, sha) for conversation, form, _, sha in absent if form == "raw"]
    known = sum(pair in turns for pair in raw)
    yield Finding(
        "memory texts left out",
        Verdict.PASS if known == len(raw) else Verdict.UNSUPPORTED,
        f"{known} of {len(raw)} raw memories are turns of the dataset at hand, byte for byte; "
        f"{len(absent) - known} others cannot be checked",
    )


def _raw_digests(run: Run, dataset: Dataset) -> set[tuple[str, str]]:
    """Hash what was handed over, as a system may keep it word for word: with or without speakers, by write."""
    unit = str(run.manifest.system.capabilities["unit"])
    found: set[tuple[str, str]] = set()
    for case in dataset.cases():
        writes = [event.turns for event in in_units(clean(case), unit) if isinstance(event, Write)]
        for turns in writes + [(turn,) for turn in case.conversation.turns()]:
            for lines in ([turn.text for turn in turns], [f"{turn.speaker}: {turn.text}" for turn in turns]):
                found.add((case.conversation.id, digest("\n".join(lines))))
    return found


def _layers(run: Run) -> Iterator[Finding]:
    """Check that every layer is as it was sealed and stands on what it names."""
    folders = sorted((run.folder / LAYERS).iterdir()) if (run.folder / LAYERS).is_dir() else []
    known = {run.seal.content}
    for folder in folders:  # answers sort before the verdicts that stand on them
        subject = f"{LAYERS}/{folder.name}"
        try:
            if not sealed(folder):
                said = f"unfinished: {progress(folder)}; the command that began it goes on"
                yield Finding(subject, Verdict.UNSUPPORTED, said)
                continue
            layer = load_layer(folder)
        except RunError as error:
            yield Finding(subject, Verdict.FAIL, error.what)
            continue
        known.add(layer.hash)
        stands = layer.manifest.base in known
        yield Finding(
            subject, Verdict.PASS if stands else Verdict.FAIL, "" if stands else "stands on something else"
        )


def _scores(run: Run) -> Iterator[Finding]:
    """Recompute every score file."""
    files = sorted((run.folder / FOLDER).glob("*.json"))
    if not files:
        yield Finding("scores", Verdict.UNSUPPORTED, "none were written; `memgauge score` writes them")
        return
    dataset = _dataset(run)
    if isinstance(dataset, Finding):
        yield dataset
        return
    gold = GoldTable.read(dataset)
    for path in files:
        yield _score(run, gold, path)


def _score(run: Run, gold: GoldTable, path: Path) -> Finding:
    subject = f"{FOLDER}/{path.name}"
    try:
        claimed = json_of(path.read_bytes())
        settings = Settings(Contract.parse(claimed["contract"]), tuple(claimed["measures"]), claimed["k"])
        written = score_text(score_file(run, gold, settings))
        computed, scores = json.loads(written), dict(claimed["scores"])
    except (ValueError, KeyError, TypeError, UserError) as error:
        return Finding(subject, Verdict.FAIL, f"not a score file of this run: {error}")
    if score_name(settings) != path.name:
        return Finding(subject, Verdict.FAIL, "its settings are not those that its name stands for")
    if written.encode() == path.read_bytes():
        values = len(claimed["scores"]) + len(claimed["questions"]) * len(claimed["measures"])
        return Finding(subject, Verdict.PASS, f"{values} numbers recomputed from the rows")
    wrong = _differing(computed["scores"], scores) or _differing(computed, claimed) or ["its bytes"]
    where = ", ".join(wrong)
    return Finding(subject, Verdict.FAIL, f"differs from what the rows give: {where}")


def _differing(computed: Mapping[str, object], claimed: Mapping[str, object]) -> list[str]:
    return [key for key in {**computed, **claimed} if computed.get(key) != claimed.get(key)]


def _dataset(run: Run) -> Dataset | Finding:
    """Open the dataset of a run, or say why nothing can be checked against it."""
    wanted = run.manifest.dataset
    subject = f"dataset {wanted.ref}"
    try:
        dataset = open_dataset(wanted.ref, allow_unpinned=True)
    except UserError as error:
        return Finding(subject, Verdict.UNSUPPORTED, f"not at hand: {error.what}")
    if dataset.identity.sha256 != wanted.sha256:
        detail = f"the one at hand is {dataset.identity.sha256[:12]}, the run was made on {wanted.sha256[:12]}"
        return Finding(subject, Verdict.UNSUPPORTED, detail)
    return dataset
